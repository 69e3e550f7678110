import { describe, expect, test } from "vitest";
import { type Available, blockedBy, project } from "../../../src/agent/index.js";
import type { ToolDefinition } from "../../../src/schema/index.js";
import { answer } from "../fixtures.js";
import { pairingProblem } from "../pairing.js";
import { play, reopened, type StoredWalk, withStore } from "../stored.js";

const definition = (name: string, plugin = "toy"): ToolDefinition => ({
  name,
  plugin,
  description: name,
  parameters: { type: "object" },
  readOnly: false,
  timeoutMs: 1000,
  summaryKeys: [],
});
const tools = [definition("one"), definition("two")];
const available: Available = { tools, providers: [{ id: "toy", plugin: "toy" }] };

/** Runs `begin` in a process that ends, then `resume` in the next one. */
async function afterCrash(begin: (walk: StoredWalk) => unknown, resume: (walk: StoredWalk) => Promise<void> | void): Promise<void> {
  await withStore(async (store, ids) => {
    const id = await play(store, ids, async (walk) => {
      begin(walk);
      return (await walk.written()).writer.id;
    });
    await reopened(store, id, ids, async (walk) => {
      await resume(walk);
      await walk.written();
    });
  });
}

const inBatch = (walk: StoredWalk): StoredWalk => {
  walk
    .say("go")
    .round(answer("on it", [walk.call("one")]), { tools })
    .settle("one");
  walk.round(answer("", [walk.call("one"), walk.call("two")]), { tools }).settle("two");
  walk.intent("one", "process.run");
  return walk;
};

describe("going on with an interrupted turn", () => {
  test("open calls end with what is known, nothing is run again, rounds and usage go on from the checkpoint, the work stays open", async () => {
    await afterCrash(inBatch, (walk) => {
      walk.input({ type: "work-resumed", available });
      expect(walk.types()).toEqual(["effect-done", "tool-result", "work"]);
      expect(walk.entries).toMatchObject([
        { outcome: "unknown" },
        { name: "one", mutation: "unknown", text: expect.stringContaining("process.run") as string },
        { state: "running", checkpoint: { rounds: 1 } },
      ]);
      expect(walk.requests).toEqual([{ type: "start-round" }]);
      expect(walk.state.turn).toMatchObject({
        rounds: 1,
        spend: { usage: { inputTokens: 20, outputTokens: 10 }, unpriced: 2 },
        reply: "on it",
      });
      expect(walk.state.interrupted).toBeUndefined();
      walk.round(answer("done"), { tools });
      expect(pairingProblem(walk.sent)).toBeUndefined();
      expect(walk.requests).toMatchObject([
        { type: "turn-ended", end: { status: "ok", reply: "done", spend: { usage: { inputTokens: 30 } } } },
      ]);
      expect(walk.entries.filter(({ type }) => type === "receipt")).toHaveLength(1);
    });
  });

  test("a response that was under way is asked for again, and its effect is recorded as unknown", async () => {
    await afterCrash(
      (walk) => walk.say("go").prepare({ tools }),
      (walk) => {
        walk.input({ type: "work-resumed", available });
        expect(walk.types()).toEqual(["effect-done", "work"]);
        expect(walk.requests).toEqual([{ type: "start-round" }]);
      },
    );
  });

  test("input that was delivered into the turn gets its receipt with it", async () => {
    await afterCrash(
      (walk) =>
        walk
          .say("go")
          .round(answer("", [walk.call("one")]), { tools })
          .say("left")
          .settle("one"),
      (walk) => {
        walk.input({ type: "work-resumed", available });
        expect(walk.state.turn?.submissions).toHaveLength(2);
        walk.round(answer("done"), { tools });
        expect(walk.entries.filter(({ type }) => type === "receipt")).toHaveLength(2);
      },
    );
  });

  test("a limit that was reached ends the turn instead", async () => {
    await afterCrash(inBatch, (walk) => {
      walk.limits = { stallThreshold: 3, maxRounds: 1 };
      walk.input({ type: "work-resumed", available });
      expect(walk.requests).toMatchObject([{ type: "turn-ended", end: { status: "maxTurns", reason: "rounds" } }]);
    });
  });

  test("without an interrupted turn it is refused", async () => {
    await afterCrash(
      (walk) => walk.say("go").round(answer("done")),
      (walk) => {
        expect(walk.input({ type: "work-resumed", available }).refused?.code).toBe("agent.nothing-interrupted");
      },
    );
  });
});

describe("missing execution dependencies block continuation without silent rebinding or erasing durable state", () => {
  test.each([
    ["a tool is gone", { tools: [definition("one")], providers: available.providers }, "tool two (plugin toy)"],
    [
      "another plugin brings a tool of that name",
      { tools: [definition("one"), definition("two", "other")], providers: available.providers },
      "tool two of plugin toy; the two there is now is of plugin other",
    ],
    ["the provider is gone", { tools, providers: [] }, "provider toy"],
  ])("%s", async (_name, lacking, words) => {
    await afterCrash(inBatch, async (walk) => {
      walk.input({ type: "work-resumed", available: lacking });
      expect(walk.refused).toMatchObject({ code: "agent.work-blocked", what: expect.stringContaining(words) as string });
      expect(walk.entries).toMatchObject([{ type: "work", state: "blocked", checkpoint: { rounds: 1 } }]);
      expect([walk.state.turn, walk.requests]).toEqual([undefined, []]);
      walk.input({ type: "work-resumed", available: lacking });
      expect(walk.entries).toHaveLength(1);
      expect(walk.input({ type: "work-resumed", available }).requests).toEqual([{ type: "start-round" }]);
      expect(walk.state.turn?.rounds).toBe(1);
      await walk.written();
    });
  });

  test("a provider of another plugin is not taken for the one a request was under way with", async () => {
    await afterCrash(
      (walk) => walk.say("go").prepare(),
      ({ state }) => {
        expect(blockedBy(state, { tools: [], providers: [{ id: "toy", plugin: "other" }] })?.what).toContain("provider toy of plugin toy");
        expect(blockedBy(state, { tools: [], providers: [{ id: "toy", plugin: "toy" }] })).toBeUndefined();
      },
    );
  });

  test("nor for the one that answered last, when no request was under way", async () => {
    await afterCrash(inBatch, ({ state }) => {
      expect(state.interrupted?.pendingEffects.some(({ operation }) => operation === "provider.respond")).toBe(false);
      expect(blockedBy(state, { tools, providers: [{ id: "toy", plugin: "other" }] })?.what).toContain("provider toy of plugin toy");
      expect(blockedBy(state, available)).toBeUndefined();
    });
  });

  test("a call of a tool that never was needs nothing", async () => {
    await afterCrash(
      (walk) => walk.say("go").round(answer("", [walk.call("invented")]), { tools }),
      ({ state }) => {
        expect(blockedBy(state, available)).toBeUndefined();
      },
    );
  });

  test("the next input ends a blocked turn as interrupted", async () => {
    await afterCrash(inBatch, (walk) => {
      walk.input({ type: "work-resumed", available: { tools: [], providers: [] } }).say("then");
      expect(walk.entries.filter(({ type }) => type === "receipt")).toMatchObject([
        { status: "aborted", error: { code: "agent.interrupted" } },
      ]);
      expect(pairingProblem(project(walk.state.history))).toBeUndefined();
    });
  });
});
