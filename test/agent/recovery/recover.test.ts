import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import type { EntryId } from "../../../src/base/index.js";
import { findEffect, loadState, project, recover, reportable, settleInterrupted, unknownEffects } from "../../../src/agent/index.js";
import type { Entry, HistoryEntry } from "../../../src/schema/index.js";
import { dumpLines, readDump } from "../../../src/session/index.js";
import { answer } from "../fixtures.js";
import { pairingProblem } from "../pairing.js";
import type { StoredWalk } from "../stored.js";
import { play, problem, reopened, value, withStore } from "../stored.js";

const results = (entries: readonly Entry[]): readonly unknown[] =>
  entries.flatMap((entry) => (entry.type === "tool-result" ? [{ name: entry.name, mutation: entry.mutation, text: entry.text }] : []));

const collectIntents = async ({ writer }: StoredWalk): Promise<readonly string[]> => {
  const effects: string[] = [];
  for await (const entry of writer.scan(new Set(["effect-intent"]))) {
    if (entry.type === "effect-intent" && entry.operation === "fs.write") effects.push(entry.effect);
  }
  return effects;
};

/** A turn of two calls in which the process ends while both run; the first has begun to write. */
const brokenOff = (walk: StoredWalk): StoredWalk => {
  walk.say("go").round(answer("", [walk.call("one"), walk.call("two")]));
  walk.intent("one", "fs.write");
  return walk;
};

describe("reopening after a process ended within a turn", () => {
  test("admitted input, work ownership, checkpoints and receipts reconstruct without re-executing recorded effects", async () => {
    await withStore(async (store, ids) => {
      const id = await play(store, ids, async (walk) => {
        walk
          .say("go")
          .round(answer("", [walk.call("one")]))
          .say("left")
          .settle("one");
        walk.prepare();
        walk.say("later", "follow-up");
        return (await walk.written()).writer.id;
      });
      await reopened(store, id, ids, async ({ writer, state }) => {
        const recovered = await recover(writer);
        const [lead, joined] = recovered.unsettled;
        expect(recovered.unsettled).toMatchObject([
          { state: "running", checkpoint: { rounds: 1, refusedRounds: 0, usage: { inputTokens: 10, outputTokens: 5 } } },
          { state: "running", parent: lead?.work },
        ]);
        expect(recovered.unsettled).toHaveLength(2);
        expect(joined?.submission).not.toBe(lead?.submission);
        expect(recovered.queue).toMatchObject([{ text: "later", delivery: "follow-up" }]);
        expect(recovered.pendingEffects).toMatchObject([{ operation: "provider.respond", plugin: "toy" }]);
        expect(reportable(recovered)).toEqual([]);
        expect(state.interrupted).toEqual(recovered);
        return await Promise.resolve();
      });
    });
  });

  test("the next input settles what was open in its own change: calls, effects, works and receipts", async () => {
    await withStore(async (store, ids) => {
      const id = await play(store, ids, async (walk) => (await brokenOff(walk).written()).writer.id);
      await reopened(store, id, ids, async (walk) => {
        walk.say("go on");
        expect(walk.types()).toEqual([
          "effect-done",
          "tool-result",
          "tool-result",
          "work",
          "receipt",
          "submission",
          "work",
          "user-message",
        ]);
        expect(results(walk.entries)).toMatchObject([
          { name: "one", mutation: "unknown", text: expect.stringContaining("fs.write") as string },
          { name: "two", mutation: "not-applied" },
        ]);
        expect(pairingProblem(project(walk.state.history))).toBeUndefined();
        expect(walk.state.interrupted).toBeUndefined();
        await walk.written();
        expect((await recover(walk.writer)).unsettled).toHaveLength(1);
      });
    });
  });

  test("a word on an effect is what the result of its open call says", async () => {
    await withStore(async (store, ids) => {
      const id = await play(store, ids, async (walk) => (await brokenOff(walk).written()).writer.id);
      await reopened(store, id, ids, async (walk) => {
        const [effect] = await unknownEffects(walk.writer);
        if (effect === undefined) throw new Error("no effect");
        walk.input({ type: "effect-reconciled", effect, word: { outcome: "applied", note: "saw the file" } });
        expect(walk.types()).toEqual(["reconciled"]);
        expect(walk.state.interrupted?.pendingEffects).toEqual([]);
        await walk.written();
        const again = value(await loadState(walk.writer, await recover(walk.writer)));
        for (const state of [walk.state, again]) {
          const recovered = state.interrupted;
          if (recovered === undefined) throw new Error("nothing open");
          expect(results(settleInterrupted(state, recovered, walk.mint()).entries)).toMatchObject([
            { name: "one", mutation: "applied", text: expect.stringContaining("Note: saw the file") as string },
            { name: "two", mutation: "not-applied" },
          ]);
        }
      });
    });
  });

  test("the newest word stands for an effect that ended as unknown, now and after reopening", async () => {
    await withStore(async (store, ids) => {
      const id = await play(store, ids, async (walk) => {
        walk.say("go").round(answer("", [walk.call("one")]));
        walk.done(walk.intent("one", "fs.write"), "unknown");
        return (await walk.written()).writer.id;
      });
      await reopened(store, id, ids, async (walk) => {
        for (const outcome of ["applied", "not-applied"] as const) {
          const [intent] = (await collectIntents(walk)).slice(-1);
          const effect = value(await findEffect(walk.writer, intent ?? ""));
          await walk.input({ type: "effect-reconciled", effect, word: { outcome } }).written();
        }
        const again = value(await loadState(walk.writer, await recover(walk.writer)));
        for (const state of [walk.state, again]) {
          const recovered = state.interrupted;
          if (recovered === undefined) throw new Error("nothing open");
          const [result] = results(settleInterrupted(state, recovered, walk.mint()).entries);
          expect(result).toMatchObject({ mutation: "not-applied", text: expect.stringContaining("was not applied") as string });
          expect(result).not.toMatchObject({ text: expect.stringContaining("was applied") as string });
        }
      });
    });
  });

  test("works settle children first", async () => {
    await withStore(async (store, ids) => {
      const id = await play(store, ids, async (walk) => {
        walk
          .say("go")
          .round(answer("", [walk.call("one")]))
          .say("left")
          .settle("one");
        return (await walk.written()).writer.id;
      });
      await reopened(store, id, ids, async (walk) => {
        const [lead, joined] = walk.state.interrupted?.unsettled ?? [];
        walk.say("on");
        const settled = walk.entries.flatMap((entry) => (entry.type === "work" && entry.state === "settled" ? [entry.work] : []));
        expect(settled).toEqual([joined?.work, lead?.work]);
        await walk.written();
      });
    });
  });
});

describe("a fork inside a batch", () => {
  test.each([
    ["an effect had begun", "fs.write", undefined, "unknown"],
    ["an effect was applied", "fs.write", "applied", "applied"],
    ["nothing that changes anything had begun", "fs.read", undefined, "not-applied"],
  ] as const)("preserves source effect evidence without adopting live work: %s", async (_name, operation, end, mutation) => {
    await withStore(async (store, ids) => {
      const [source, at] = await play(store, ids, async (walk) => {
        walk.say("go").round(answer("", [walk.call("one"), walk.call("two")]));
        const effect = walk.intent("one", operation);
        if (end !== undefined) walk.done(effect, end);
        walk.settle("two");
        const leaf = walk.entry("tool-result", "two");
        walk.settle("one").round(answer("done"));
        return [(await walk.written()).writer.id, leaf] as const;
      });
      const fork = value(await store.fork(source, { at }));
      await reopened(store, fork.id, ids, async (walk) => {
        expect(walk.state.interrupted).toMatchObject({ pendingEffects: [], unsettled: [], queue: [] });
        expect(await unknownEffects(walk.writer)).toEqual([]);
        walk.say("on");
        expect(walk.types()).toEqual(["tool-result", "submission", "work", "user-message"]);
        expect(results(walk.entries)).toMatchObject([
          { mutation, text: expect.stringContaining(`belongs to session ${source.slice(-8)}`) as string },
        ]);
        expect(pairingProblem(project(walk.state.history))).toBeUndefined();
        await walk.written();
      });
    });
  });

  test("of a session that was imported under its own id names no other session", async () => {
    await withStore(async (store, ids) => {
      const [source, effect] = await play(store, ids, async (walk) => {
        walk.say("go").round(answer("", [walk.call("one")]));
        const begun = walk.intent("one", "fs.write");
        return [(await walk.written()).writer.id, begun] as const;
      });
      const lines: string[] = [];
      const reader = value(await store.open(source, "read"));
      for await (const line of dumpLines(reader)) lines.push(value(line));
      await reader.close();
      value(await store.remove(source));
      const { header, items } = value(await readDump(Readable.from(lines)));
      const from = { session: source, seq: header.seq, epoch: header.epoch };
      value(await store.import(items, { id: source, createdAt: header.created, source: from }));
      await reopened(store, source, ids, async (walk) => {
        expect(value(await findEffect(walk.writer, effect))).not.toHaveProperty("origin");
        walk.say("on");
        expect(results(walk.entries)).toMatchObject([
          { text: expect.stringContaining("belongs to the session this one was made from") as string },
        ]);
        await walk.written();
      });
    });
  });

  test("an inherited effect is refused a word here, and the session it belongs to is named", async () => {
    await withStore(async (store, ids) => {
      const [source, effect] = await play(store, ids, async (walk) => {
        walk.say("go").round(answer("", [walk.call("one")]));
        const begun = walk.intent("one", "fs.write");
        walk.done(begun, "unknown").settle("one").round(answer("done"));
        return [(await walk.written()).writer.id, begun] as const;
      });
      const fork = value(await store.fork(source));
      await reopened(store, fork.id, ids, async (walk) => {
        const facts = value(await findEffect(walk.writer, effect));
        walk.input({ type: "effect-reconciled", effect: facts, word: { outcome: "applied" } });
        expect(walk.refused).toMatchObject({ code: "agent.effect-inherited", what: expect.stringContaining(source) as string });
        expect(walk.entries).toEqual([]);
      });
    });
  });
});

describe("loading a branch", () => {
  const unknown = (walk: StoredWalk, flags: number): Entry => ({
    type: "unknown",
    id: walk.ids.next(),
    time: 2000,
    ...(walk.state.leaf === undefined ? {} : { parent: walk.state.leaf }),
    kind: 200,
    flags,
    raw: { sub: 0, aux: 0, payloads: [] },
  });
  const append = (walk: StoredWalk, flags: number): StoredWalk => {
    const entry = unknown(walk, flags);
    return walk.take({ state: { ...walk.state, leaf: entry.id }, entries: [entry] });
  };

  test("a record of a later version that decides what the model sees is refused, not skipped", async () => {
    await withStore(async (store, ids) => {
      await play(store, ids, async (walk) => {
        append(walk.say("go").round(answer("done")), 1 | 4).say("on");
        await walk.written();
        const refused = problem(await loadState(walk.writer, await recover(walk.writer)));
        expect(refused).toMatchObject({ code: "agent.unknown-semantics", what: expect.stringContaining("kind 200") as string });
        expect(refused.next).toContain("fork");
      });
    });
  });

  test.each([
    ["behind the newest compaction", true, 1 | 4],
    ["that says nothing of what the model sees", false, 1],
  ])("one %s is passed over", async (_name, isCompacted, flags) => {
    await withStore(async (store, ids) => {
      await play(store, ids, async (walk) => {
        append(walk.say("go").round(answer("done")), flags)
          .say("on")
          .round(answer("end"));
        if (isCompacted) {
          const compaction: HistoryEntry = {
            type: "compaction",
            id: walk.ids.next(),
            time: 3000,
            ...(walk.state.leaf === undefined ? {} : { parent: walk.state.leaf }),
            firstKept: walk.entry("user-message", "on"),
            summary: "sum",
            tokensBefore: 1,
          };
          walk.take({ state: { ...walk.state, leaf: compaction.id }, entries: [compaction] });
        }
        await walk.written();
        const state = value(await loadState(walk.writer, await recover(walk.writer)));
        const texts = project(state.history).map(({ text }) => text);
        expect(texts).toEqual(isCompacted ? [expect.stringContaining("sum"), "on", "end"] : ["go", "done", "on", "end"]);
      });
    });
  });

  test("an entry that is not in the session is refused by name", async () => {
    await withStore(async (store, ids) => {
      await play(store, ids, async (walk) => {
        await walk.say("go").written();
        const nowhere = walk.ids.next<EntryId>();
        const refused = problem(await loadState(walk.writer, await recover(walk.writer), nowhere));
        expect(refused).toMatchObject({ code: "agent.leaf-unknown", what: expect.stringContaining(nowhere) as string });
      });
    });
  });
});
