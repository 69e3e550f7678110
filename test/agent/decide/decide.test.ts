import { describe, expect, test } from "vitest";
import { project } from "../../../src/agent/index.js";
import type { Entry } from "../../../src/schema/index.js";
import { answer, outcome, toolCall, Walk } from "../fixtures.js";

const receipts = (entries: readonly Entry[]): readonly unknown[] =>
  entries.flatMap((entry) =>
    entry.type === "receipt" ? [{ submission: entry.submission, status: entry.status, reason: entry.reason }] : [],
  );

describe("admission", () => {
  test("input to an idle agent is admitted, worked on and made a message in one change", () => {
    const walk = new Walk().submit("hello");
    expect(walk.types()).toEqual(["submission", "work", "user-message"]);
    expect(walk.requests).toEqual([{ type: "start-round" }]);
  });

  test("input to a running agent waits and starts nothing", () => {
    const walk = new Walk().submit("one").submit("two");
    expect(walk.requests).toEqual([]);
    expect(walk.state.queue.map((item) => item.text)).toEqual(["two"]);
    expect(walk.types().slice(3)).toEqual(["submission", "queue", "work"]);
  });

  test("withdrawn input leaves the queue with a receipt and reaches no model", () => {
    const walk = new Walk()
      .submit("one")
      .submit("two")
      .input({ type: "withdrawn", submission: walk0("two") })
      .round(answer("done"));
    expect(walk.requests).toMatchObject([{ type: "turn-ended", end: { status: "ok" } }]);
    expect(receipts(walk.entries)).toEqual([
      { submission: "s-two", status: "aborted", reason: "abort" },
      { submission: "s-one", status: "ok", reason: "done" },
    ]);
  });
});

const walk0 = (text: string): never => `s-${text}` as never;

describe("rounds", () => {
  test("an answer without calls settles the work and writes the receipt in the change of the answer", () => {
    const walk = new Walk().submit("hi").round(answer("hello"));
    expect(walk.types().slice(-4)).toEqual(["effect-done", "assistant", "work", "receipt"]);
    expect(walk.requests).toMatchObject([{ type: "turn-ended", end: { status: "ok", reason: "done", reply: "hello" } }]);
    expect(walk.state.turn).toBeUndefined();
  });

  test("the intent of a request is recorded before its completion, under one effect id", () => {
    const walk = new Walk().submit("hi").round(answer("hello"));
    const intent = walk.entries.find((entry) => entry.type === "effect-intent");
    const done = walk.entries.find((entry) => entry.type === "effect-done");
    expect(intent).toMatchObject({ operation: "provider.respond" });
    expect(done?.type === "effect-done" && intent?.type === "effect-intent" && done.effect === intent.effect).toBe(true);
  });

  test("calls run together and the next round waits for the whole batch", () => {
    const walk = new Walk().submit("go").round(answer("", [toolCall("a"), toolCall("b")]));
    expect(walk.requests).toMatchObject([{ type: "run-tools", calls: [{ name: "a" }, { name: "b" }] }]);
    expect(walk.settle("b").requests).toEqual([]);
    expect(walk.settle("a").requests).toEqual([{ type: "start-round" }]);
  });

  test("every history entry is the child of the one before it", () => {
    const walk = new Walk()
      .submit("go")
      .round(answer("", [toolCall("a"), toolCall("b")]))
      .settle("b")
      .settle("a")
      .round(answer("done"));
    const history = walk.state.history;
    expect(history.map((entry) => entry.parent)).toEqual([undefined, ...history.slice(0, -1).map((entry) => entry.id)]);
    expect(walk.state.leaf).toBe(history.at(-1)?.id);
  });

  test("the prompt is recorded once while it does not change", () => {
    const walk = new Walk()
      .submit("go")
      .round(answer("", [toolCall("a")]))
      .settle("a")
      .round(answer("done"));
    expect(walk.types().filter((type) => type === "prompt")).toHaveLength(1);
  });

  test("a failed response keeps its text, drops its calls and ends the turn as failed", () => {
    const error = { code: "provider.x", what: "w", why: "y", next: "n", severity: "error", retry: { type: "never" } } as const;
    const walk = new Walk().submit("go").round({ type: "failed", error, partial: answer("half", [toolCall("a")]), outcome: "unknown" });
    expect(walk.types()).not.toContain("tool-call");
    expect(walk.requests).toMatchObject([{ type: "turn-ended", end: { status: "error", reason: "provider", reply: "half", error } }]);
  });

  test.each([
    ["refusal", "error", "provider"],
    ["content-filter", "error", "provider"],
    ["limit", "limit", "tokens"],
  ] as const)("a response that stopped by %s ends the turn as %s", (stop, status, reason) => {
    const walk = new Walk().submit("go").round({ ...answer("x"), stop });
    expect(walk.requests).toMatchObject([{ type: "turn-ended", end: { status, reason } }]);
  });
});

describe("stop conditions", () => {
  test("the same tool-call set three times in a row is a stall", () => {
    const walk = new Walk().submit("go");
    for (let count = 0; count < 3; count += 1) walk.round(answer("", [toolCall("a")])).settle("a");
    expect(walk.requests).toMatchObject([{ type: "turn-ended", end: { status: "stalled", reason: "stall" } }]);
  });

  test("another call in between is no stall", () => {
    const walk = new Walk().submit("go");
    for (const name of ["a", "a", "b", "a", "a"]) walk.round(answer("", [toolCall(name)])).settle(name);
    expect(walk.requests).toEqual([{ type: "start-round" }]);
  });

  test("the round limit ends the turn after the batch, with pairing whole", () => {
    const walk = new Walk({ stallThreshold: 3, maxRounds: 1 })
      .submit("go")
      .round(answer("", [toolCall("a")]))
      .settle("a");
    expect(walk.requests).toMatchObject([{ type: "turn-ended", end: { status: "maxTurns", reason: "rounds" } }]);
    expect(project(walk.state.history).map((message) => message.role)).toEqual(["user", "assistant", "tool"]);
  });

  test("the token limit counts what the provider reported", () => {
    const walk = new Walk({ stallThreshold: 3, maxTokens: 15 })
      .submit("go")
      .round(answer("", [toolCall("a")]))
      .settle("a");
    expect(walk.requests).toMatchObject([{ type: "turn-ended", end: { status: "limit", reason: "tokens" } }]);
  });

  test("a model that never forms a runnable call is given up", () => {
    const walk = new Walk().submit("go");
    for (let count = 0; count < 5; count += 1)
      walk.round(answer("", [toolCall("a", { n: String(count) })])).settle("a", outcome("bad", { refused: true }));
    expect(walk.requests).toMatchObject([{ type: "turn-ended", end: { status: "error", reason: "stall" } }]);
  });

  test("a tool may end the run with a final message", () => {
    const done = outcome("ok", {
      settlement: {
        output: { text: "ok", isError: false, details: { done: { finalMessage: "all done" } } },
        mutation: "not-applied",
        end: "returned",
      },
    });
    const walk = new Walk()
      .submit("go")
      .round(answer("", [toolCall("a")]))
      .settle("a", done);
    expect(walk.requests).toMatchObject([{ type: "turn-ended", end: { status: "ok", reply: "all done" } }]);
  });

  test("input that waits does not take a run past a limit, whether the model or a tool ends it", () => {
    const details = { done: { finalMessage: "all done" } };
    const done = outcome("ok", {
      settlement: { output: { text: "ok", isError: false, details }, mutation: "not-applied", end: "returned" },
    });
    const begin = (): Walk => new Walk({ stallThreshold: 3, maxRounds: 1 }).submit("go").submit("more", "follow-up");
    const byModel = begin().round(answer("done"));
    const byTool = begin()
      .round(answer("", [toolCall("a")]))
      .settle("a", done);
    for (const { requests, state } of [byModel, byTool]) {
      expect(requests).toMatchObject([{ type: "turn-ended", end: { status: "maxTurns", reason: "rounds" } }]);
      expect(state.queue).toHaveLength(1);
    }
  });
});

describe("stopping and steering", () => {
  test("abort records the wish, aborts what runs and ends when the batch is settled", () => {
    const walk = new Walk()
      .submit("go")
      .round(answer("", [toolCall("a")]))
      .input({ type: "stop-requested", cause: "abort" });
    expect(walk.requests).toEqual([{ type: "stop-running", cause: "abort" }]);
    walk.settle("a", outcome("aborted"));
    expect(walk.requests).toMatchObject([{ type: "turn-ended", end: { status: "aborted", reason: "abort" } }]);
  });

  test("a passed deadline ends the turn as limit with exit status 124", () => {
    const walk = new Walk()
      .submit("go")
      .input({ type: "stop-requested", cause: "deadline" })
      .round({ type: "aborted", partial: answer("") });
    expect(walk.requests).toMatchObject([{ type: "turn-ended", end: { status: "limit", reason: "deadline", error: { exit: 124 } } }]);
  });

  test("a steer is delivered after the batch, never between a call and its result", () => {
    const walk = new Walk()
      .submit("go")
      .round(answer("", [toolCall("a"), toolCall("b")]))
      .submit("left", "steer")
      .settle("a");
    expect(walk.state.queue).toHaveLength(1);
    walk.settle("b");
    expect(walk.requests).toEqual([{ type: "start-round" }]);
    expect(project(walk.state.history).map((message) => message.role)).toEqual(["user", "assistant", "tool", "tool", "user"]);
  });

  test("a follow-up waits until the agent would stop, and both inputs get receipts", () => {
    const walk = new Walk()
      .submit("go")
      .submit("then", "follow-up")
      .round(answer("", [toolCall("a")]))
      .settle("a");
    expect(walk.state.queue).toHaveLength(1);
    walk.round(answer("first"));
    expect(walk.state.queue).toHaveLength(0);
    walk.round(answer("second"));
    expect(receipts(walk.entries)).toEqual([
      { submission: "s-go", status: "ok", reason: "done" },
      { submission: "s-then", status: "ok", reason: "done" },
    ]);
  });
});
