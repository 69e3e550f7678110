import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CallId, EffectId, SubmissionId, WorkId } from "../../../src/base/index.js";
import type { Entry } from "../../../src/schema/index.js";
import { CborEncoder } from "../../../src/session/bytes/index.js";
import type { LiveState } from "../../../src/session/live/index.js";
import { decodeFold, encodeFold, LiveFold, stateName } from "../../../src/session/live/index.js";
import { assistant, everyEntry, laterEntries, seqIds, user } from "../support/entries.js";
import { workEntries } from "../support/work-entries.js";

function fold(entries: readonly Entry[], onto = new LiveFold()): LiveState {
  entries.forEach((entry) => {
    onto.advance(onto.seq + 1);
    onto.apply(entry);
  });
  return onto.state();
}

const ids = seqIds();
const make = workEntries(ids);
const [first, second] = [ids.next<WorkId>(), ids.next<WorkId>()];
const submission = ids.next<SubmissionId>();
const call = ids.next<CallId>();
const [effect, other] = [ids.next<EffectId>(), ids.next<EffectId>()];

describe("live state", () => {
  test("knows a work from its creation until it settles, with its owner and its newest checkpoint", () => {
    const created = make.work(first, "created", { checkpoint: { step: 1 } });
    const owned = make.work(second, "running", { parentWork: first });
    const open = fold([created, owned, make.work(second, "waiting", { checkpoint: 2 }), make.work(first, "running")]);
    expect([...open.works.values()]).toEqual([
      { work: first, state: "running", checkpoint: { step: 1 } },
      { work: second, parent: first, state: "waiting", checkpoint: 2 },
    ]);
    expect(fold([created, owned, make.work(second, "settled"), make.work(first, "settled")]).works.size).toBe(0);
  });

  test("keeps an admission until its receipt, and knows whether it waits in the queue", () => {
    const admitted = make.submission(submission, first);
    const waiting = { submission, work: first, delivery: "turn", entry: admitted.id } as const;
    expect(fold([admitted]).submissions.get(submission)).toEqual({ ...waiting, isQueued: false });
    expect(fold([admitted, make.queue(submission, "enqueue")]).submissions.get(submission)).toEqual({ ...waiting, isQueued: true });
    for (const operation of ["deliver", "withdraw"] as const) {
      const left = fold([admitted, make.queue(submission, "enqueue"), make.queue(submission, operation)]);
      expect(left.submissions.get(submission)).toEqual({ ...waiting, isQueued: false });
    }
    expect(fold([admitted, make.receipt(submission, first)]).submissions.size).toBe(0);
  });

  test("keeps an effect until its end or a person's word, and its outcome until the call has a result", () => {
    const intent = make.intent(effect, call, first);
    expect(fold([intent]).effects.get(effect)).toEqual({ effect, cause: call, work: first, operation: "fs.write", entry: intent.id });
    expect(fold([intent, make.reconciled(effect)])).toMatchObject({ effects: new Map(), ended: new Map() });
    const ended = [intent, make.intent(other, call, first), make.done(effect, "applied"), make.done(other, "unknown")];
    expect(fold(ended).ended).toEqual(new Map([[call, ["applied", "unknown"]]]));
    expect(fold([...ended, make.result(call, first)]).ended.size).toBe(0);
    expect(fold([...ended, make.work(first, "settled")]).ended.size).toBe(0);
    // Outside of any work nothing would ever take it away.
    expect(fold([make.intent(effect, call), make.done(effect, "applied")])).toMatchObject({ effects: new Map(), ended: new Map() });
    const answer = assistant(ids, "");
    const asked = [make.intent(effect, answer.request, first), make.done(effect, "not-applied")];
    expect(fold(asked).ended.get(answer.request)).toEqual(["not-applied"]);
    expect(fold([...asked, answer]).ended.size).toBe(0);
  });

  test("keeps the newest state of a key until it is deleted or the work it belongs to settles", () => {
    const newest = make.put("a", { b: [1, 2] });
    expect([...fold([make.put("a", 1), newest]).states]).toEqual([
      [stateName("core", "a"), { owner: "core", key: "a", version: 1, fork: "fresh", entry: newest.id, bytes: 6 }],
    ]);
    expect(fold([newest, make.drop("a")]).states.size).toBe(0);
    expect(fold([make.put("a", 1, { work: first }), make.put("b", 1), make.work(first, "settled")]).states.size).toBe(1);
  });

  test("takes from inherited entries the name, prompts, usage, origins and copied state, and nothing that is live", () => {
    const [prompt, answer] = [user(ids, "hi"), { ...assistant(ids, "ho"), usage: { inputTokens: 5 } }];
    const origin: Entry = { type: "origin", id: ids.next(), time: 1, how: "fork", session: ids.next(), epoch: 2, seq: 9 };
    const entries: readonly Entry[] = [
      { type: "session-info", id: ids.next(), time: 1, name: "n", cwd: "/w" },
      prompt,
      answer,
      make.work(first, "running"),
      make.submission(submission, first, "key"),
      make.queue(submission, "enqueue"),
      make.intent(effect, call, first),
      make.put("copied", 1, { fork: "copy" }),
      make.put("fresh", 1),
      make.put("of a work", 1, { fork: "copy", work: first }),
    ];
    const inherited = [...entries.map((entry): Entry => ({ ...entry, inherited: true })), origin];
    const live = fold(inherited);
    expect(live).toMatchObject({
      name: "n",
      cwd: "/w",
      turns: 1,
      usage: { inputTokens: 5 },
      origins: [{ how: "fork", session: origin.type === "origin" && origin.session, epoch: 2, seq: 9 }],
    });
    expect([...live.states.keys()]).toEqual([stateName("core", "copied")]);
    expect([live.works.size, live.submissions.size, live.effects.size, live.ended.size]).toEqual([0, 0, 0, 0]);
  });

  test("is a stable value: later entries do not change it, and it is the same reference until one comes", () => {
    const held = new LiveFold();
    const before = fold([make.work(first, "running")], held);
    expect(held.state()).toBe(before);
    fold([make.work(second, "running")], held);
    expect(before.works.size).toBe(1);
    expect(held.state().works.size).toBe(2);
  });

  test("ignores ends of what it never saw", () => {
    const live = fold([
      make.work(first, "settled"),
      make.receipt(submission, first),
      make.done(effect, "applied"),
      make.reconciled(effect),
    ]);
    expect(live).toEqual({ ...new LiveFold().state(), seq: 4 });
  });
});

/** Entries over a few ids each, so that ends meet their beginnings. */
function mixed(): fc.Arbitrary<readonly Entry[]> {
  const pool = seqIds(1_700_000_500_000);
  const works = Array.from({ length: 4 }, () => pool.next<WorkId>());
  const submissions = Array.from({ length: 3 }, () => pool.next<SubmissionId>());
  const effects = Array.from({ length: 3 }, () => pool.next<EffectId>());
  const calls = Array.from({ length: 2 }, () => pool.next<CallId>());
  const one = <Item>(items: readonly Item[]): fc.Arbitrary<Item> => fc.constantFrom(...items);
  const states = one(["created", "running", "waiting", "blocked", "cancel-requested", "settled", "settled"] as const);
  const makers = workEntries(pool);
  const entry = fc.oneof(
    fc.tuple(one(works), states, fc.option(one(works)), fc.option(fc.jsonValue())).map(([work, state, parentWork, checkpoint]) =>
      makers.work(work, state, {
        ...(parentWork === null ? {} : { parentWork }),
        ...(checkpoint === null ? {} : { checkpoint: checkpoint as never }),
      }),
    ),
    fc.tuple(one(submissions), one(works)).map(([id, work]) => makers.submission(id, work)),
    fc.tuple(one(submissions), one(["enqueue", "deliver", "withdraw"] as const)).map(([id, operation]) => makers.queue(id, operation)),
    fc.tuple(one(submissions), one(works)).map(([id, work]) => makers.receipt(id, work)),
    fc.tuple(one(effects), one(calls), fc.option(one(works))).map(([id, cause, work]) => makers.intent(id, cause, work ?? undefined)),
    fc.tuple(one(effects), one(["applied", "unknown"] as const)).map(([id, outcome]) => makers.done(id, outcome)),
    one(effects).map((id) => makers.reconciled(id)),
    fc.tuple(one(calls), one(works)).map(([id, work]) => makers.result(id, work)),
    fc
      .tuple(one(["a", "b", "ä\ud83d\ude00"]), fc.jsonValue(), fc.option(one(works)), one(["copy", "fresh"] as const))
      .map(([key, value, work, fork]) => makers.put(key, value as never, { fork, ...(work === null ? {} : { work }) })),
    one(["a", "b"]).map((key) => makers.drop(key)),
    fc.constantFrom<Entry>(...everyEntry(pool), ...laterEntries(pool)),
  );
  return fc.array(
    fc.tuple(entry, fc.boolean(), fc.boolean()).map(([made, left, right]): Entry => (left && right ? { ...made, inherited: true } : made)),
    { maxLength: 60 },
  );
}

describe("live state in a checkpoint", () => {
  test("folding all entries gives what folding on from a checkpoint of any prefix gives", () => {
    fc.assert(
      fc.property(mixed(), fc.nat(), (entries, at) => {
        const cut = at % (entries.length + 1);
        const early = new LiveFold();
        fold(entries.slice(0, cut), early);
        const restored = decodeFold(Buffer.from(encodeFold(early)));
        if (restored === undefined) throw new Error("not decoded");
        expect(restored.stateBytes).toBe(early.stateBytes);
        const [resumed, whole] = [fold(entries.slice(cut), restored), fold(entries)];
        expect(resumed).toEqual(whole);
        expect([...resumed.submissions.keys()]).toEqual([...whole.submissions.keys()]);
        expect(encodeFold(restored)).toEqual(Buffer.from(encodeFold(restored)));
      }),
      { numRuns: 300 },
    );
  });

  test("of another shape, another version or cut anywhere is no live state and no exception", () => {
    const source = new LiveFold();
    fold(
      [
        ...everyEntry(seqIds()),
        ...laterEntries(seqIds(1_700_000_100_000)),
        make.work(first, "running"),
        make.submission(submission, first),
      ],
      source,
    );
    const bytes = Buffer.from(encodeFold(source));
    for (let length = 0; length < bytes.length; length += 1) expect(decodeFold(bytes.subarray(0, length))).toBeUndefined();
    for (let at = 0; at < bytes.length; at += 1) {
      for (const bit of [1, 16, 128]) {
        const flipped = Buffer.from(bytes);
        flipped[at] = (flipped[at] ?? 0) ^ bit;
        expect(() => decodeFold(flipped)).not.toThrow();
      }
    }
    const cbor = new CborEncoder();
    cbor.encode({ v: 1, seq: 0, more: 1 });
    expect(decodeFold(Buffer.from(cbor.run.bytes.subarray(0, cbor.run.length)))).toBeUndefined();
    const later = Buffer.from(bytes);
    later[later.indexOf("v") + 1] = 3;
    expect(decodeFold(later)).toBeUndefined();
  });
});
