import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EntryId } from "../../../src/base/index.js";
import { type AgentState, type ContextEditRequest, project } from "../../../src/agent/index.js";
import type { HistoryEntry, Message } from "../../../src/schema/index.js";
import { answer, noLimits, toolCall, Walk } from "../fixtures.js";
import { pairingProblem } from "../pairing.js";

/** Two turns: one of two calls, one of words. */
function talked(): Walk {
  return new Walk()
    .submit("first")
    .round(answer("looking", [toolCall("read"), toolCall("list")]))
    .settle("read")
    .settle("list")
    .round(answer("found"))
    .submit("second")
    .round(answer("done"));
}

const edit = (walk: Walk, ...edits: readonly ContextEditRequest[]): Walk => walk.input({ type: "context-edited", edits });
const omit = (...targets: readonly EntryId[]): readonly ContextEditRequest[] => targets.map((target) => ({ target, operation: "omit" }));
const seen = ({ history }: AgentState): readonly string[] =>
  project(history).map((message) =>
    message.role === "assistant"
      ? `${message.text}(${message.toolCalls.map(({ name }) => name).join()})`
      : `${message.role}:${message.text}`,
  );

const whole = ["user:first", "looking(read,list)", "tool:read ok", "tool:list ok", "found()", "user:second", "done()"];

describe("context edits that are refused leave the projection unchanged", () => {
  const rows: readonly (readonly [string, (walk: Walk) => readonly ContextEditRequest[], string, string])[] = [
    ["an unknown target", () => omit("nowhere" as EntryId), "agent.edit-target", "nowhere"],
    ["a target that is no message", (walk) => omit(walk.entry("prompt")), "agent.edit-target", "prompt"],
    ["a call without its result", (walk) => omit(walk.entry("tool-call", "read")), "agent.edit-invalid", "read"],
    ["a result without its call", (walk) => omit(walk.entry("tool-result", "read")), "agent.edit-invalid", "read"],
    ["an answer while its calls stay", (walk) => omit(walk.entry("assistant", "looking")), "agent.edit-invalid", "call of read"],
    [
      "every input",
      (walk) => omit(walk.entry("user-message", "first"), walk.entry("user-message", "second")),
      "agent.edit-invalid",
      "No input would be left",
    ],
    [
      "an input whose answer would come first",
      (walk) => omit(walk.entry("user-message", "first")),
      "agent.edit-invalid",
      "begin with an answer",
    ],
    [
      "a replacement of a call",
      (walk) => [{ target: walk.entry("tool-call", "read"), operation: "replace", text: "x" }],
      "agent.edit-invalid",
      "cannot be replaced",
    ],
    [
      "a replacement without text",
      (walk) => [{ target: walk.entry("assistant", "found"), operation: "replace" }],
      "agent.edit-invalid",
      "by nothing",
    ],
    [
      "an omission with text",
      (walk) => [{ target: walk.entry("assistant", "found"), operation: "omit", text: "x" }],
      "agent.edit-invalid",
      "has a text",
    ],
    [
      "a restoration of what is not edited",
      (walk) => [{ target: walk.entry("assistant", "found"), operation: "restore" }],
      "agent.edit-invalid",
      "not edited",
    ],
    ["no edit at all", () => [], "agent.edit-invalid", "No edit"],
    [
      "a batch of which one edit is invalid",
      (walk) => [...omit(walk.entry("assistant", "found")), ...omit(walk.entry("tool-call", "read"))],
      "agent.edit-invalid",
      "read",
    ],
  ];
  test.each(rows)("%s", (_name, edits, code, words) => {
    const walk = talked();
    const before = walk.entries.length;
    edit(walk, ...edits(walk));
    expect(walk.refused).toMatchObject({ code, what: expect.any(String) as string });
    expect(`${walk.refused?.what ?? ""} ${walk.refused?.why ?? ""}`).toContain(words);
    expect(walk.entries).toHaveLength(before);
    expect(seen(walk.state)).toEqual(whole);
  });

  test("while a turn runs", () => {
    const walk = talked();
    const target = walk.entry("assistant", "found");
    edit(walk.submit("third"), ...omit(target));
    expect(walk.refused?.code).toBe("agent.turn-running");
  });

  test("a target before the newest compaction", () => {
    const walk = talked();
    const old = walk.entry("assistant", "found");
    const compaction: HistoryEntry = {
      type: "compaction",
      id: "k" as EntryId,
      time: 1,
      firstKept: walk.entry("user-message", "second"),
      summary: "sum",
      tokensBefore: 1,
    };
    const after = new Walk(noLimits, { state: { ...walk.state, history: [...walk.state.history, compaction] } });
    edit(after, ...omit(old));
    expect(after.refused).toMatchObject({ code: "agent.edit-target", why: expect.stringContaining("compaction") as string });
  });

  test("restoring a call while its result stays omitted", () => {
    const walk = talked();
    const [call, result] = [walk.entry("tool-call", "read"), walk.entry("tool-result", "read")];
    edit(walk, ...omit(call, result));
    const before = seen(walk.state);
    edit(walk, { target: call, operation: "restore" });
    expect(walk.refused?.code).toBe("agent.edit-invalid");
    expect(seen(walk.state)).toEqual(before);
  });
});

describe("context edits that are recorded", () => {
  test("a call and its result are omitted together, the other call of the answer stays", () => {
    const walk = talked();
    edit(walk, ...omit(walk.entry("tool-call", "read"), walk.entry("tool-result", "read")));
    expect(seen(walk.state)).toEqual(["user:first", "looking(list)", "tool:list ok", "found()", "user:second", "done()"]);
  });

  test("a whole exchange goes in one batch, also with its calls named after it", () => {
    const walk = talked();
    const targets = [walk.entry("assistant", "looking"), walk.entry("tool-result", "list"), walk.entry("tool-call", "list")];
    edit(walk, ...omit(...targets, walk.entry("tool-call", "read"), walk.entry("tool-result", "read")));
    expect(seen(walk.state)).toEqual(["user:first", "found()", "user:second", "done()"]);
  });

  test("an answer may be omitted once its calls were omitted before", () => {
    const walk = talked();
    edit(walk, ...omit(walk.entry("tool-call", "read"), walk.entry("tool-result", "read")));
    edit(walk, ...omit(walk.entry("tool-call", "list"), walk.entry("tool-result", "list")));
    edit(walk, ...omit(walk.entry("assistant", "looking")));
    expect(walk.refused).toBeUndefined();
    expect(seen(walk.state)).toEqual(["user:first", "found()", "user:second", "done()"]);
  });

  test("a replacement changes the words of the message and nothing of its raw entry", () => {
    const walk = talked();
    const target = walk.entry("tool-result", "read");
    edit(walk, { target, operation: "replace", text: "cut" });
    expect(seen(walk.state)[2]).toBe("tool:cut");
    expect(walk.state.history.find(({ id }) => id === target)).toMatchObject({ text: "read ok", mutation: "not-applied" });
  });

  test("the latest edit of a target wins, and restoring brings back what was recorded", () => {
    const walk = talked();
    const target = walk.entry("assistant", "found");
    edit(walk, { target, operation: "replace", text: "one" });
    edit(walk, { target, operation: "replace", text: "two" });
    expect(seen(walk.state)[4]).toBe("two()");
    edit(walk, ...omit(target));
    expect(seen(walk.state)).not.toContain("two()");
    edit(walk, { target, operation: "restore" });
    expect(seen(walk.state)).toEqual(whole);
  });

  test("an edit is an entry of its branch: without it the earlier projection is back", () => {
    const walk = talked();
    const before = walk.state.history.length;
    edit(walk, ...omit(walk.entry("assistant", "found")));
    expect(walk.state.history[before]).toMatchObject({ type: "context-edit", operation: "omit" });
    expect(seen({ ...walk.state, history: walk.state.history.slice(0, before) })).toEqual(whole);
  });

  test("images and thoughts of a replaced message are gone with its words", () => {
    const walk = new Walk().submit("first").round({ ...answer("found"), thinking: [{ text: "hm", signature: "s" }] });
    edit(walk, { target: walk.entry("assistant", "found"), operation: "replace", text: "x" });
    expect(project(walk.state.history)[1]).not.toHaveProperty("thinking");
  });
});

describe("stored edits that break pairing", () => {
  const stored = (target: EntryId, operation: "omit" | "restore", time: number): HistoryEntry => ({
    type: "context-edit",
    id: `e-${target}-${String(time)}` as EntryId,
    time,
    target,
    operation,
  });

  test("are passed over, and the edits before and after them count", () => {
    const walk = talked();
    const [call, result, found] = [walk.entry("tool-call", "read"), walk.entry("tool-result", "read"), walk.entry("assistant", "found")];
    const edits = [stored(found, "omit", 1), stored(call, "omit", 2), stored(call, "omit", 3), stored(result, "omit", 3)];
    const { history } = walk.state;
    const texts = (count: number): readonly string[] => seen({ ...walk.state, history: [...history, ...edits.slice(0, count)] });
    expect(texts(2)).toEqual(texts(1));
    expect(texts(4)).toEqual(["user:first", "looking(list)", "tool:list ok", "user:second", "done()"]);
  });
});

/** A conversation as the policy makes it, from numbers. */
function conversation(rounds: readonly number[]): Walk {
  const walk = new Walk({ stallThreshold: 1000 }).submit("start");
  rounds.forEach((calls, index) => {
    if (walk.state.turn === undefined) walk.submit(`more ${String(index)}`);
    const asked = Array.from({ length: calls }, (_, call) => toolCall(`t${String(index)}-${String(call)}`));
    walk.round(answer(calls === 1 ? "" : `a${String(index)}`, asked));
    for (const { name } of asked.toReversed()) walk.settle(name);
  });
  return walk.state.turn === undefined ? walk : walk.round(answer("end"));
}

const validContext = (messages: readonly Message[]): string | undefined =>
  pairingProblem(messages) ?? (messages[0]?.role === "user" ? undefined : `begins with ${messages[0]?.role ?? "nothing"}`);

test("random batches of edits never break pairing or order, whether they are taken or stored as they are", () => {
  const pick = fc.record({ at: fc.nat(), operation: fc.constantFrom("omit" as const, "replace" as const, "restore" as const) });
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 6 }),
      fc.array(fc.array(pick, { minLength: 1, maxLength: 6 }), { maxLength: 8 }),
      (rounds, batches) => {
        const walk = conversation(rounds);
        const targets = walk.state.history.map(({ id }) => id);
        let raw = walk.state.history;
        batches.forEach((batch, number) => {
          const edits = batch.map(({ at, operation }): ContextEditRequest => {
            const target = targets[at % targets.length] ?? ("" as EntryId);
            return { target, operation, ...(operation === "replace" ? { text: "new" } : {}) };
          });
          const before = project(walk.state.history);
          edit(walk, ...edits);
          const after = project(walk.state.history);
          expect(validContext(after)).toBeUndefined();
          if (walk.refused !== undefined) expect(after).toEqual(before);
          raw = [
            ...raw,
            ...edits.map((one, index): HistoryEntry => ({
              type: "context-edit",
              id: `x${String(index)}` as EntryId,
              time: 9e9 + number,
              ...one,
            })),
          ];
          expect(validContext(project(raw))).toBeUndefined();
        });
      },
    ),
  );
});
