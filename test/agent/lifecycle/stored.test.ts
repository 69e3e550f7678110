import { describe, expect, test } from "vitest";
import type { InvocationId } from "../../../src/base/index.js";
import { loadState, reconstructRequest, recover } from "../../../src/agent/index.js";
import { type ActionBoundary, stateName } from "../../../src/agent/boundary.js";
import type { Action, ContextTransform } from "../../../src/schema/index.js";
import { answer, sha256 } from "../fixtures.js";
import { pairingProblem } from "../pairing.js";
import { play, reopened, type StoredWalk, value, withStore } from "../stored.js";

const boundary = (walk: StoredWalk, trigger: ActionBoundary["trigger"], actions: readonly Action[]): ActionBoundary => {
  const invocation = walk.ids.next<InvocationId>();
  const { turn } = walk.state;
  return {
    trigger,
    generation: 2,
    ...(turn === undefined ? {} : { work: turn.work }),
    accepted: actions.map((action) => ({ plugin: "acme.one", invocation, action })),
    refused: [],
    invocations: [{ invocation, plugin: "acme.one", trigger: { type: "event", event: "turn-started" } }],
    states: new Map([[stateName("acme.one", "kept"), { version: 2, fork: "copy" }]]),
  };
};

const publish = (walk: StoredWalk, actions: readonly Action[]): StoredWalk => {
  walk.input({ type: "actions-published", boundary: boundary(walk, "turn-started", actions) });
  return walk;
};

/** A turn with one call and its result, at its safe point. */
function begun(walk: StoredWalk): StoredWalk {
  walk.say("a long story").round(answer("look", [walk.call("read")]));
  walk.settle("read");
  return walk;
}

describe("what plugins did, from the file alone", () => {
  test.each<[string, (walk: StoredWalk) => readonly ContextTransform[]]>([
    ["a message replaced and one appended", (walk) => [replace(walk, "a long story"), { operation: "append", text: "now \ud800" }]],
    ["a result left out, with its call", (walk) => [{ operation: "omit", target: walk.entry("tool-result") }]],
    ["an answer left out, with its calls", (walk) => [{ operation: "omit", target: walk.entry("assistant") }]],
    ["what would leave no input, which changes nothing", (walk) => [{ operation: "omit", target: walk.entry("user-message") }]],
  ])("a request with %s is rebuilt as it was sent; so is the one after it", async (_, wanted) => {
    await withStore(async (store, ids) => {
      const [id, shown, plain] = await play(store, ids, async (walk) => {
        begun(walk);
        const prepared = walk.prepare({}, wanted(walk));
        const { sent } = walk;
        const end = { type: "done", result: answer("on", [walk.call("read", { n: "2" })]) } as const;
        walk.input({
          type: "round-ended",
          request: prepared.request,
          effect: prepared.effect,
          attempt: { dispatch: { provider: "toy", model: "t" }, facts: {} },
          end,
        });
        walk.settle("read");
        walk.prepare();
        return [(await walk.written()).writer.id, sent, walk.sent] as const;
      });
      const reader = value(await store.open(id, "read"));
      const requests = [value(await reconstructRequest(reader, 2, sha256)), value(await reconstructRequest(reader, 3, sha256))];
      expect(requests.map(({ messages }) => messages)).toEqual([shown, plain]);
      expect(requests.map(({ verified }) => verified)).toEqual(["yes", "yes"]);
      expect([shown, plain].map(pairingProblem)).toEqual([undefined, undefined]);
      await reader.close();
    });
  });

  test.each<[string, (walk: StoredWalk) => readonly Action[]]>([
    ["a message", () => [{ type: "add-message", text: "mind \ud800 the gap" }]],
    ["edits", (walk) => [{ type: "edit-context", target: walk.entry("tool-result"), operation: "omit" }]],
    ["a compaction", (walk) => [{ type: "compact", firstKept: walk.entry("assistant"), summary: "before" }]],
    ["state of the branch", () => [{ type: "set-state", scope: "branch", key: "kept", value: { a: 1 } }]],
    ["state of the session", () => [{ type: "set-state", scope: "session", key: "kept", value: [1] }]],
    ["input", () => [{ type: "enqueue", text: "and then" }]],
    [
      "all at once",
      (walk) => [
        { type: "add-message", text: "x" },
        { type: "edit-context", target: walk.entry("tool-result"), operation: "replace", text: "short" },
        { type: "set-state", scope: "branch", key: "kept", value: 1 },
        { type: "compact", firstKept: walk.entry("assistant"), summary: "before" },
        { type: "enqueue", text: "later", delivery: "follow-up" },
      ],
    ],
  ])(
    "a process that ends right after the boundary with %s leaves what the next one goes on with: no handler runs for it",
    async (_, wanted) => {
      await withStore(async (store, ids) => {
        const [id, was] = await play(store, ids, async (walk) => {
          publish(begun(walk), wanted(walk));
          expect(walk.entries.filter(({ type }) => type === "actions")).toMatchObject([{ refused: [] }]);
          return [(await walk.written()).writer.id, walk.state] as const;
        });
        await reopened(store, id, ids, async (walk) => {
          const { leaf, queue, history } = walk.state;
          expect({ leaf, queue }).toEqual({ leaf: was.leaf, queue: was.queue });
          expect(history).toEqual(was.history.slice(was.history.length - history.length));
          walk.input({ type: "work-resumed", available: { tools: [], providers: [{ id: "toy", plugin: "toy" }] } });
          expect(walk.refused).toBeUndefined();
          walk.prepare();
          expect(pairingProblem(walk.sent)).toBeUndefined();
          await walk.written();
        });
      });
    },
  );

  test("state is read back as it was declared, and what a plugin enqueued is its own in the next process", async () => {
    await withStore(async (store, ids) => {
      const id = await play(store, ids, async (walk) => {
        const set = (scope: "session" | "branch"): Action => ({ type: "set-state", scope, key: "kept", value: scope });
        publish(begun(walk), [set("session"), set("branch"), { type: "enqueue", text: "next" }]);
        return (await walk.written()).writer.id;
      });
      const reader = value(await store.open(id, "read"));
      const fields = { owner: "acme.one", key: "kept", version: 2, fork: "copy", operation: "put" };
      expect(await reader.sessionState("acme.one", "kept")).toMatchObject({ ...fields, value: "session" });
      expect(await reader.branchState("acme.one", "kept")).toMatchObject({ ...fields, value: "branch" });
      expect(value(await loadState(reader, await recover(reader))).queue).toMatchObject([{ text: "next", plugin: "acme.one" }]);
      await reader.close();
    });
  });

  test("what is wanted after a turn that its process left open ends that first, so that nothing is said between a call and its result", async () => {
    await withStore(async (store, ids) => {
      const id = await play(store, ids, async (walk) => {
        walk.say("go").round(answer("", [walk.call("read")]));
        return (await walk.written()).writer.id;
      });
      await reopened(store, id, ids, async (walk) => {
        publish(walk, [{ type: "add-message", text: "welcome back" }]);
        expect(walk.state.interrupted).toBeUndefined();
        expect(walk.types()).toEqual(["tool-result", "work", "receipt", "invocation", "actions", "user-message"]);
        walk.say("go on").prepare();
        expect(pairingProblem(walk.sent)).toBeUndefined();
        await walk.written();
      });
    });
  });
});

const replace = (walk: StoredWalk, text: string): ContextTransform => ({
  operation: "replace",
  target: walk.entry("user-message", text),
  text: "short",
});
