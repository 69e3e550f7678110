import { describe, expect, test } from "vitest";
import { type EffectFacts, type EffectWord, findEffect, project, unknownEffects } from "../../../src/agent/index.js";
import { answer } from "../fixtures.js";
import { pairingProblem } from "../pairing.js";
import { play, problem, type StoredWalk, value, withStore } from "../stored.js";

/** A call whose effect ended in a way nobody saw, with its result. */
async function unsure(
  run: (walk: StoredWalk, effect: EffectFacts) => Promise<void> | void,
  outcome: "applied" | "unknown" = "unknown",
): Promise<void> {
  await withStore(async (store, ids) => {
    await play(store, ids, async (walk) => {
      walk.say("go").round(answer("", [walk.call("shell")]));
      const effect = walk.intent("shell", "process.run");
      walk.done(effect, outcome).settle("shell").round(answer("done"));
      await walk.written();
      await run(walk, value(await findEffect(walk.writer, effect)));
      await walk.written();
    });
  });
}

const say = (walk: StoredWalk, effect: EffectFacts, word: EffectWord): StoredWalk =>
  walk.input({ type: "effect-reconciled", effect, word });
const told = (walk: StoredWalk): readonly string[] =>
  project(walk.state.history).flatMap((message) => (message.text.startsWith("The user states") ? [message.text] : []));

describe("a word on an effect whose outcome is unknown", () => {
  test("is a new record beside the old one, and the model is told", async () => {
    await unsure(async (walk, effect) => {
      const before = walk.entries.length;
      say(walk, effect, { outcome: "applied", note: "saw it" });
      expect(walk.entries.slice(before)).toMatchObject([
        { type: "reconciled", effect: effect.intent.effect, outcome: "applied", note: "saw it" },
        { type: "user-message", source: "notice" },
      ]);
      const short = effect.intent.effect.slice(-8);
      expect(told(walk)).toEqual([`The user states: effect ${short} (process.run {"path":"a.txt"}) was applied. Note: saw it`]);
      expect(walk.state.leaf).toBe(walk.entries.at(-1)?.id);
      await walk.written();
      expect(value(await findEffect(walk.writer, short))).toMatchObject({ done: { outcome: "unknown" }, word: { outcome: "applied" } });
      expect(await unknownEffects(walk.writer)).toEqual([]);
    });
  });

  test("may be changed by another word, and the same word again is refused as said", async () => {
    await unsure(async (walk, effect) => {
      await say(walk, effect, { outcome: "applied" }).written();
      const again = value(await findEffect(walk.writer, effect.intent.effect));
      expect(say(walk, again, { outcome: "applied" }).refused?.code).toBe("agent.effect-said");
      expect(say(walk, again, { outcome: "not-applied" }).refused).toBeUndefined();
      expect(told(walk)).toHaveLength(2);
    });
  });

  test("is refused when the outcome was observed", async () => {
    await unsure((walk, effect) => {
      expect(say(walk, effect, { outcome: "not-applied" }).refused).toMatchObject({
        code: "agent.effect-known",
        what: expect.stringContaining("applied") as string,
      });
    }, "applied");
  });

  test("is refused while the effect runs", async () => {
    await withStore(async (store, ids) => {
      await play(store, ids, async (walk) => {
        walk.say("go").round(answer("", [walk.call("shell")]));
        const effect = walk.intent("shell", "process.run");
        await walk.written();
        expect(say(walk, value(await findEffect(walk.writer, effect)), { outcome: "applied" }).refused?.code).toBe("agent.effect-running");
      });
    });
  });

  test("reaches the model at the next safe point of a running turn, never between a call and its result", async () => {
    await unsure((walk, effect) => {
      walk.say("more").round(answer("", [walk.call("read")]));
      say(walk, effect, { outcome: "applied" });
      expect(told(walk)).toEqual([]);
      walk.settle("read");
      walk.prepare();
      expect(walk.sent.at(-1)?.text).toContain("The user states");
      expect(pairingProblem(walk.sent)).toBeUndefined();
    });
  });

  test("reaches the model when the call it belongs to has no result yet and its turn still runs", async () => {
    await withStore(async (store, ids) => {
      await play(store, ids, async (walk) => {
        walk.say("go").round(answer("", [walk.call("shell")]));
        const effect = walk.intent("shell", "process.run");
        await walk.done(effect, "unknown").written();
        say(walk, value(await findEffect(walk.writer, effect)), { outcome: "applied", note: "saw it" });
        walk.settle("shell").prepare();
        expect(walk.sent.at(-1)?.text).toContain("Note: saw it");
        await walk.written();
      });
    });
  });

  test("reaches the model after a turn that makes no more requests", async () => {
    await unsure((walk, effect) => {
      walk.say("more").prepare();
      say(walk, effect, { outcome: "not-applied" }).round(answer("done"));
      expect(told(walk)).toHaveLength(1);
    });
  });

  test("is kept from the model when the selected branch does not hold the call", async () => {
    await unsure((walk, effect) => {
      walk.input({ type: "leaf-selected", to: undefined, loaded: { ...walk.state, history: [], leaf: undefined } });
      say(walk, effect, { outcome: "applied" });
      expect(walk.entries.at(-1)?.type).toBe("reconciled");
      expect(told(walk)).toEqual([]);
    });
  });
});

describe("finding effects", () => {
  test.each([
    ["too few digits", "abc"],
    ["no hex digits", "zzzz"],
    ["an effect that is not there", "01900000-0000-7000-8000-00000000dead"],
  ])("%s: refused", async (_name, name) => {
    await unsure(async ({ writer }) => {
      expect(problem(await findEffect(writer, name)).code).toBe("agent.effect-unknown");
    });
  });

  test("an end that several ids have is refused, and they are named", async () => {
    await withStore(async (store, ids) => {
      await play(store, ids, async (walk) => {
        walk.say("go").round(answer("", [walk.call("shell")]));
        const effects = Array.from({ length: 3 }, () => walk.intent("shell", "process.run"));
        await walk.written();
        const shared = effects.map((effect) => effect.slice(-4)).find((end, index, all) => all.indexOf(end) !== index);
        expect(value(await findEffect(walk.writer, effects[1] ?? "")).intent.effect).toBe(effects[1]);
        expect(shared).toBeUndefined();
        walk.take({
          state: walk.state,
          entries: [0, 1].map((digit) => ({
            type: "effect-intent",
            id: ids.next(),
            time: 1,
            effect: `01900000-0000-7000-800${String(digit)}-00000000beef` as EffectFacts["intent"]["effect"],
            cause: ids.next(),
            operation: "fs.write",
            plugin: "toy",
            generation: 1,
            input: null,
          })),
        });
        await walk.written();
        expect(problem(await findEffect(walk.writer, "beef"))).toMatchObject({
          code: "agent.effect-ambiguous",
          what: expect.stringContaining("beef") as string,
        });
      });
    });
  });

  test("unknown effects are listed oldest first: without an end or with an unknown one, nothing read-only, not the model's own", async () => {
    await withStore(async (store, ids) => {
      await play(store, ids, async (walk) => {
        walk.say("go").round(answer("", [walk.call("shell")]));
        const [ended, read, sure, open] = ["process.run", "fs.read", "fs.write", "fs.edit"].map((operation) =>
          walk.intent("shell", operation),
        );
        if (ended === undefined || read === undefined || sure === undefined) throw new Error("no effects");
        walk.done(ended, "unknown").done(sure, "applied").settle("shell").prepare();
        await walk.written();
        const found = await unknownEffects(walk.writer);
        expect(found.map(({ intent, done }) => [intent.effect, done?.outcome])).toEqual([
          [ended, "unknown"],
          [open, undefined],
        ]);
      });
    });
  });
});
