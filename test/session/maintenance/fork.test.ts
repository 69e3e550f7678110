import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { EffectId, EntryId, InvocationId, SessionId, WorkId } from "../../../src/base/index.js";
import type { Entry } from "../../../src/schema/index.js";
import type { NewSession, SessionStore } from "../../../src/session/index.js";
import { createLocker } from "../../../src/session/lock.js";
import type { FileOperations } from "../../../src/session/log/index.js";
import { nodeFileOperations } from "../../../src/session/log/index.js";
import { createStoreOn } from "../../../src/session/store.js";
import { collect, created, depsFor, openedReader, openedWriter, withStore } from "../support/store.js";
import { appendUnknownFrame, HistoryWriter, TIME, type Turn } from "./history.js";

async function forked(store: SessionStore, source: SessionId, at?: EntryId): Promise<NewSession> {
  const made = await store.fork(source, at === undefined ? {} : { at });
  if (!made.ok) throw new Error(`${made.error.what} ${made.error.why}`);
  return made.value;
}

async function entriesOf(store: SessionStore, id: SessionId): Promise<readonly Entry[]> {
  const reader = await openedReader(store, id);
  const changes = await collect(reader.changes());
  expect(reader.damage()).toEqual([]);
  await reader.close();
  return changes.flatMap((change) => change.entries);
}

interface Sample {
  readonly store: SessionStore;
  readonly id: SessionId;
  readonly path: string;
  readonly history: HistoryWriter;
  readonly first: Turn;
  readonly left: Turn;
  readonly right: Turn;
}

/** Two branches after a first turn, state of every sort, records and frames nobody knows. */
async function sample(run: (sample: Sample) => Promise<void>): Promise<void> {
  await withStore(async (store) => {
    const writer = await created(store);
    const history = new HistoryWriter(writer);
    const state = (key: string, fork: "copy" | "fresh", value: string): Entry => ({
      type: "state",
      id: history.id(),
      time: TIME,
      owner: "core",
      key,
      version: 1,
      fork,
      operation: "put",
      value,
    });
    await history.commit([state("kept", "copy", "old"), state("fresh", "fresh", "x"), state("gone", "copy", "y")]);
    const first = await history.turn(undefined, "first", { key: "k1", big: true });
    await history.commit([
      state("kept", "copy", "new"),
      { type: "state", id: history.id(), time: TIME, owner: "core", key: "gone", version: 1, fork: "copy", operation: "delete" },
      { type: "unknown", id: history.id(), parent: first.leaf, time: TIME, kind: 400, flags: 0, raw: { sub: 1, aux: 2, payloads: [] } },
    ]);
    await writer.close();
    await appendUnknownFrame(writer.path, "between the turns");
    const again = await openedWriter(store, writer.id);
    const more = Object.assign(new HistoryWriter(again), { ids: history.ids, all: history.all });
    const left = await more.turn(first.leaf, "left", { key: "k2" });
    const right = await more.turn(first.leaf, "right", { big: true });
    await again.close();
    await appendUnknownFrame(writer.path, "at the end");
    await run({ store, id: writer.id, path: writer.path, history: more, first, left, right });
  });
}

const ids = (entries: readonly Entry[]): readonly EntryId[] => entries.map(({ id }) => id);

describe("a fork", () => {
  test("takes what plugins did at its branch: their runs, what came of them, and effects that a run without work caused", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const history = new HistoryWriter(writer);
      const { ids: source } = history;
      const first = await history.turn(undefined, "first");
      const left = await history.turn(first.leaf, "left");
      const at = async (leaf: EntryId): Promise<readonly EntryId[]> => {
        const invocation = source.next<InvocationId>();
        const effect = source.next<EffectId>();
        const stamp = (): { readonly id: EntryId; readonly time: number } => ({ id: history.id(), time: TIME });
        const by = { plugin: "acme.one", invocation } as const;
        const entries: readonly Entry[] = [
          { type: "invocation", ...stamp(), parent: leaf, ...by, generation: 1, trigger: { type: "event", event: "idle" } },
          { type: "effect-intent", ...stamp(), effect, cause: invocation, operation: "x", plugin: "acme.one", generation: 1, input: {} },
          { type: "effect-done", ...stamp(), effect, outcome: "applied", output: null },
          {
            type: "actions",
            ...stamp(),
            parent: leaf,
            trigger: "idle",
            generation: 1,
            accepted: [{ ...by, action: { type: "notify", text: "hi" } }],
            refused: [],
          },
        ];
        await history.commit(entries);
        return ids(entries);
      };
      const shared = await at(first.leaf);
      const own = await at(left.leaf);
      const right = await history.turn(first.leaf, "right");
      await writer.close();
      const found = new Set(ids(await entriesOf(store, (await forked(store, writer.id, right.leaf)).id)));
      expect(shared.filter((id) => !found.has(id))).toEqual([]);
      expect(own.filter((id) => found.has(id))).toEqual([]);
    });
  });

  test("at every entry takes the branch to it and the evidence on it so far, with ids, times and content, all inherited", async () => {
    await sample(async ({ store, id, path, history, first, left, right }) => {
      const before = await readFile(path);
      const byId = new Map(history.all.map((item) => [item.entry.id, item]));
      const stored = new Map((await entriesOf(store, id)).map((entry) => [entry.id, entry]));
      for (const at of [...first.history, ...left.history, ...right.history]) {
        const made = await forked(store, id, at);
        const turns = first.history.includes(at) ? [first] : [first, left.history.includes(at) ? left : right];
        const isNow = at === right.leaf;
        const point = isNow ? Infinity : (byId.get(at)?.seq ?? 0);
        const branch = turns.flatMap((turn) =>
          turn.history.includes(at) ? turn.history.slice(0, turn.history.indexOf(at) + 1) : turn.history,
        );
        const evidence = turns.flatMap((turn) => turn.evidence).filter((entry) => (byId.get(entry)?.seq ?? 0) <= point);
        const found = await entriesOf(store, made.id);
        const origin = found.at(-1);
        expect(origin).toMatchObject({ type: "origin", how: "fork", session: id, epoch: 0, entry: at });
        const taken = found.slice(0, -1);
        const others = taken.flatMap((entry) => (entry.type === "state" || entry.type === "unknown" ? [entry] : []));
        const rest = taken.filter(({ id: entry }) => !ids(others).includes(entry));
        const wanted = history.all.map(({ entry }) => entry.id).filter((entry) => branch.includes(entry) || evidence.includes(entry));
        expect(ids(rest)).toEqual(wanted);
        expect(rest).toEqual(wanted.map((entry) => ({ ...stored.get(entry), inherited: true })));
        expect(made.entries).toBe(taken.length);
        const isAfterState = point > (byId.get(first.evidence.at(-1) ?? at)?.seq ?? 0);
        expect(others.map((entry) => (entry.type === "state" ? `${entry.key}=${JSON.stringify(entry.value)}` : entry.type))).toEqual(
          isAfterState ? ['kept="new"', "unknown"] : ['kept="old"', 'gone="y"'],
        );
        const reader = await openedReader(store, made.id);
        expect(reader.leaf()).toBe(at);
        expect(ids((await collect(reader.branch())).reverse())).toEqual(branch);
        await reader.close();
      }
      expect(await readFile(path)).toEqual(before);
    });
  });

  test("keeps frames of later versions byte for byte that lie before its fork point", async () => {
    await sample(async ({ store, id, first, left, right }) => {
      const framesOf = async (at: EntryId): Promise<readonly string[]> => {
        const reader = await openedReader(store, (await forked(store, id, at)).id);
        const frames = await collect(reader.unknownFrames());
        await reader.close();
        for (const frame of frames) expect(frame).toMatchObject({ type: 77, flags: 3, seq: 9, tableLen: 5 });
        return frames.map((frame) => Buffer.from(frame.body).toString());
      };
      expect(await framesOf(first.leaf)).toEqual([]);
      expect(await framesOf(left.leaf)).toEqual(["between the turns"]);
      expect(await framesOf(right.leaf)).toEqual(["between the turns", "at the end"]);
    });
  });

  test("is written independently, and what it inherits is not live, not queued and not matched by keys", async () => {
    await sample(async ({ store, id, history, right }) => {
      const made = await forked(store, id);
      const writer = await openedWriter(store, made.id);
      expect(writer.origin).toMatchObject({ session: id });
      const live = await writer.live();
      expect([live.works.size, live.submissions.size, live.effects.size]).toEqual([0, 0, 0]);
      expect([...live.states.values()].map(({ key }) => key)).toEqual(["kept"]);
      expect(live.origins).toMatchObject([{ how: "fork", session: id }]);
      expect(await writer.admission("k1")).toBeUndefined();
      const own = await Object.assign(new HistoryWriter(writer), { ids: history.ids }).turn(right.leaf, "own", { key: "k1" });
      expect(await writer.admission("k1")).toMatchObject({ text: "own" });
      expect(ids(await collect(writer.branch()))[0]).toBe(own.leaf);
      await writer.close();
      const source = await openedReader(store, id);
      expect(source.leaf()).toBe(right.leaf);
      await source.close();
    });
  });

  test("of a fork keeps who made what: the entries of each session end with the origin that names it", async () => {
    await sample(async ({ store, id, history, first, right }) => {
      const child = await forked(store, id, first.leaf);
      const writer = await openedWriter(store, child.id);
      const own = await Object.assign(new HistoryWriter(writer), { ids: history.ids }).turn(first.leaf, "own");
      await writer.close();
      const origins = async (at: EntryId): Promise<readonly string[]> => {
        const grandchild = await forked(store, child.id, at);
        const found = await entriesOf(store, grandchild.id);
        return found.flatMap((entry) => (entry.type === "origin" ? [`${found.indexOf(entry)}:${entry.session}`] : []));
      };
      const inherited = (await entriesOf(store, child.id)).findIndex(({ type }) => type === "origin");
      expect(await origins(own.leaf)).toEqual([`${inherited}:${id}`, expect.stringContaining(child.id)]);
      const early = await origins(first.history[1] ?? first.leaf);
      expect(early.map((origin) => origin.split(":")[1])).toEqual([id, child.id]);
      expect(right.history.length).toBe(first.history.length);
    });
  });

  test("takes work made by work of the branch, effects that only their cause places, what was said of them, and moves inside it", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const history = new HistoryWriter(writer);
      const { ids: source } = history;
      const first = await history.turn(undefined, "first");
      const other = await history.turn(undefined, "other");
      const callOf = (turn: Turn) =>
        history.all.map(({ entry }) => entry).find((entry) => entry.type === "tool-call" && entry.work === turn.work);
      const evidenceOf = (turn: Turn): readonly Entry[] => {
        const call = callOf(turn);
        if (call?.type !== "tool-call") throw new Error("no call");
        const effect = source.next<EffectId>();
        const child = source.next<WorkId>();
        const grandchild = source.next<WorkId>();
        const common = () => ({ id: history.id(), time: TIME });
        return [
          { ...common(), type: "effect-intent", effect, cause: call.call, operation: "fs.read", plugin: "p", generation: 1, input: {} },
          { ...common(), type: "effect-done", effect, outcome: "unknown", output: null },
          { ...common(), type: "reconciled", effect, outcome: "applied" },
          { ...common(), type: "work", work: child, parentWork: turn.work, state: "created" },
          { ...common(), type: "work", work: grandchild, parentWork: child, state: "created" },
          { ...common(), type: "work", work: grandchild, parentWork: child, state: "settled" },
          { ...common(), type: "work", work: child, parentWork: turn.work, state: "settled" },
          { ...common(), type: "leaf", from: turn.leaf, to: turn.history[0] ?? turn.leaf },
        ];
      };
      const [mine, theirs] = [evidenceOf(first), evidenceOf(other)];
      const across: Entry = { type: "leaf", id: history.id(), time: TIME, from: other.leaf, to: first.leaf };
      await history.commit([...mine, ...theirs, across], first.leaf);
      await writer.close();
      const found = ids(await entriesOf(store, (await forked(store, writer.id)).id));
      expect(mine.map(({ id }) => found.includes(id))).toEqual(mine.map(() => true));
      expect([...theirs, across].filter(({ id }) => found.includes(id))).toEqual([]);
      expect(other.evidence.filter((id) => found.includes(id))).toEqual([]);
    });
  });

  test("is refused, and leaves nothing, at an entry that is none of the history, in an empty session and under a taken id", async () => {
    await sample(async ({ store, id, first }) => {
      const evidence = first.evidence[0] as EntryId;
      expect(await store.fork(id, { at: evidence })).toMatchObject({ ok: false, error: { code: "session.fork-target" } });
      const nowhere = "0190a0a0-0000-7000-8000-00000000ffff" as EntryId;
      expect(await store.fork(id, { at: nowhere })).toMatchObject({ ok: false, error: { code: "session.fork-target" } });
      expect(await store.fork(id, { id })).toMatchObject({ ok: false, error: { code: "session.exists" } });
      const empty = await created(store);
      expect(await store.fork(empty.id)).toMatchObject({ ok: false, error: { code: "session.fork-empty" } });
      await empty.close();
      expect(await store.fork(id, { signal: AbortSignal.abort() })).toMatchObject({ ok: false, error: { code: "session.interrupted" } });
      expect(await collect(store.list())).toHaveLength(2);
    });
  });

  test("that is stopped stops reading at once, also while it still looks what belongs to the branch", async () => {
    await withStore(async (store, dir) => {
      const writer = await created(store);
      const history = new HistoryWriter(writer);
      let leaf: EntryId | undefined;
      for (let turn = 0; turn < 40; turn += 1) ({ leaf } = await history.turn(leaf, "long", { big: true }));
      await writer.close();
      for (const after of [1, 5, 20]) {
        const stop = new AbortController();
        let reads = 0;
        const ops: FileOperations = {
          ...nodeFileOperations,
          read: (fd, into, position) => {
            reads += 1;
            if (reads === after) stop.abort();
            return nodeFileOperations.read(fd, into, position);
          },
        };
        const forking = createStoreOn(depsFor(dir), ops, createLocker());
        expect(await forking.fork(writer.id, { signal: stop.signal })).toMatchObject({ ok: false, error: { code: "session.interrupted" } });
        expect(reads).toBeLessThan(after + 12);
      }
    });
  });
});
