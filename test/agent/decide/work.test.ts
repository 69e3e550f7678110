import { describe, expect, test } from "vitest";
import type { EntryId } from "../../../src/base/index.js";
import { emptyState } from "../../../src/agent/index.js";
import type { Entry, WorkEntry } from "../../../src/schema/index.js";
import { answer, outcome, toolCall, Walk } from "../fixtures.js";

const works = (entries: readonly Entry[]): readonly WorkEntry[] => entries.filter((entry): entry is WorkEntry => entry.type === "work");

describe("work ownership and checkpoints", () => {
  test("the last result of a batch and the checkpoint of the next round are one change", () => {
    const walk = new Walk().submit("go").round(answer("", [toolCall("a"), toolCall("b")]));
    walk.settle("a");
    const before = walk.entries.length;
    walk.settle("b");
    expect(walk.entries.slice(before)).toMatchObject([
      { type: "tool-result", name: "b" },
      {
        type: "work",
        state: "running",
        checkpoint: { rounds: 1, refusedRounds: 0, usage: { inputTokens: 10, outputTokens: 5 }, unpriced: 1 },
      },
    ]);
  });

  test("a checkpoint counts rounds without a runnable call, and usage nobody reported stays unknown", () => {
    const { usage, ...silent } = answer("", [toolCall("a")]);
    const walk = new Walk()
      .submit("go")
      .round(silent)
      .settle("a", outcome("no", { refused: true }));
    expect(usage).toEqual({ inputTokens: 10, outputTokens: 5 });
    expect(works(walk.entries).at(-1)?.checkpoint).toEqual({ rounds: 1, refusedRounds: 1, unpriced: 1 });
  });

  test("a long turn records one checkpoint for each round, of the same size", () => {
    const walk = new Walk({ stallThreshold: 1000 }).submit("go");
    for (let round = 0; round < 50; round += 1) walk.round(answer("", [toolCall("a", { n: "x".repeat(round * 100) })])).settle("a");
    const sizes = works(walk.entries).flatMap(({ checkpoint }) => (checkpoint === undefined ? [] : [JSON.stringify(checkpoint).length]));
    expect(sizes).toHaveLength(50);
    expect(Math.max(...sizes)).toBeLessThan(120);
  });

  test("input that is delivered into a turn is owned by it, and settles before it in the same change", () => {
    const walk = new Walk()
      .submit("go")
      .round(answer("", [toolCall("a")]))
      .submit("left")
      .submit("right")
      .settle("a");
    const lead = walk.state.turn?.work;
    const owned = works(walk.entries).filter(({ parentWork }) => parentWork !== undefined);
    expect(owned).toMatchObject([
      { parentWork: lead, state: "running" },
      { parentWork: lead, state: "running" },
    ]);
    const before = walk.entries.length;
    walk.round(answer("done"));
    const settled = works(walk.entries.slice(before)).map(({ work }) => work);
    expect(settled).toEqual([owned[1]?.work, owned[0]?.work, lead]);
    expect(walk.entries.slice(before).filter(({ type }) => type === "receipt")).toHaveLength(3);
  });

  test("what a turn left waiting begins a turn that owns all but its lead", () => {
    const walk = new Walk().submit("go").submit("one").submit("two");
    walk.round({
      type: "failed",
      error: { code: "x", what: "", why: "", next: "", severity: "error", retry: { type: "never" } },
      partial: answer(""),
      outcome: "unknown",
    });
    const before = walk.entries.length;
    walk.input({ type: "queue-due" });
    const begun = works(walk.entries.slice(before));
    expect(begun.map(({ state, parentWork }) => [state, parentWork])).toEqual([
      ["running", undefined],
      ["running", begun[0]?.work],
    ]);
    expect(walk.state.turn?.submissions.map(({ submission }) => submission)).toEqual(["s-one", "s-two"]);
  });
});

describe("a branch that ends in a batch of a turn that is over", () => {
  test("gets results that say so before new input is added, so that pairing stays whole", () => {
    const walk = new Walk()
      .submit("go")
      .round(answer("", [toolCall("a"), toolCall("b")]))
      .settle("b")
      .settle("a")
      .round(answer("done"));
    const at = walk.state.history.findIndex(({ type }) => type === "tool-call") + 1;
    const history = walk.state.history.slice(0, at);
    const loaded = { ...emptyState, history, leaf: history.at(-1)?.id };
    walk.input({ type: "leaf-selected", to: loaded.leaf as EntryId, loaded });
    const before = walk.entries.length;
    walk.submit("on");
    expect(walk.entries.slice(before)).toMatchObject([
      { type: "tool-result", name: "a", mutation: "unknown", text: expect.stringContaining("not known here") as string },
      { type: "submission" },
      { type: "work" },
      { type: "user-message" },
    ]);
  });
});

test("texts are remembered as the file keeps them: a lone surrogate is U+FFFD everywhere", () => {
  const walk = new Walk().submit("a\ud800b").round(answer("", [{ ...toolCall("t"), args: { "k\udc00": ["x\ud800"] } }]));
  const call = walk.state.turn?.batch?.calls[0];
  expect(call?.args).toEqual({ "k\ufffd": ["x\ufffd"] });
  walk.prepare();
  expect(walk.sent[0]).toMatchObject({ text: "a\ufffdb" });
});

test("state of a branch moves on with it", () => {
  const walk = new Walk().submit("go").round(answer("done"));
  const fields = { owner: "core", key: "todo", version: 1, fork: "copy", operation: "put", value: [1] } as const;
  walk.input({ type: "branch-state-changed", fields });
  expect(walk.state.history.at(-1)).toMatchObject({ type: "branch-state", ...fields });
  expect(walk.state.leaf).toBe(walk.state.history.at(-1)?.id);
});
