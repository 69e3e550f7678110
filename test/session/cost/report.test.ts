import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CallId, EntryId, WorkId } from "../../../src/base/index.js";
import { addSpend, type Entry, NO_SPEND, type Spend } from "../../../src/schema/index.js";
import { CostSum } from "../../../src/session/cost/index.js";
import { decodeFold, encodeFold, LiveFold } from "../../../src/session/live/index.js";
import { assistant, seqIds } from "../support/entries.js";
import { workEntries } from "../support/work-entries.js";

const ids = seqIds();
const make = workEntries(ids);
const works = Array.from({ length: 4 }, () => ids.next<WorkId>());
const workAt = (index: number): WorkId => works[index % works.length] ?? ids.next<WorkId>();
const models = ["big", "small"] as const;

const asked = (work: WorkId, cost: number | undefined, model = "big", parent?: EntryId): Entry => ({
  ...assistant(ids, "x", parent),
  work,
  dispatch: { provider: "acme", model },
  usage: { inputTokens: 3 },
  ...(cost === undefined ? {} : { cost }),
});
const reported = (work: WorkId, cost: number | undefined): Entry => {
  const result = make.result(ids.next<CallId>(), work);
  if (result.type !== "tool-result") throw new Error("no result");
  return { ...result, details: { usage: { usage: { inputTokens: 1 }, ...(cost === undefined ? {} : { cost }) } } };
};
const compacted = (cost: number | undefined): Entry => ({
  type: "compaction",
  id: ids.next<EntryId>(),
  time: 1,
  firstKept: ids.next<EntryId>(),
  summary: "s",
  tokensBefore: 1,
  dispatch: { provider: "acme", model: "small" },
  ...(cost === undefined ? {} : { cost }),
});

const report = (entries: readonly Entry[]) => {
  const sum = new CostSum();
  const messages = entries.flatMap((entry) => sum.take(entry) ?? []);
  return { ...sum.report(undefined), messages };
};
const total = (spends: readonly Spend[]): Spend => spends.reduce(addSpend, NO_SPEND);
const folded = (entries: readonly Entry[], through = (fold: LiveFold) => fold): Spend | undefined => {
  let fold = new LiveFold();
  for (const entry of entries) {
    fold.advance(fold.seq + 1);
    fold.apply(entry);
    fold = through(fold);
  }
  return fold.state().spend;
};

/** Sums of these are exact, so that partitions can be compared as they are. */
const cost = fc.option(
  fc.nat(64).map((eighths) => eighths / 8),
  { nil: undefined },
);
const step: fc.Arbitrary<readonly Entry[]> = fc.oneof(
  fc.tuple(fc.nat(3), cost, fc.constantFrom(...models)).map(([work, dollars, model]) => [asked(workAt(work), dollars, model)]),
  fc.tuple(fc.nat(3), cost).map(([work, dollars]) => [reported(workAt(work), dollars)]),
  cost.map((dollars) => [compacted(dollars)]),
  fc.tuple(fc.nat(2), fc.nat(2)).map(([low, up]) => [make.work(workAt(low), "running", { parentWork: workAt(low + 1 + (up % 2)) })]),
  fc.nat(3).map((work) => [make.work(workAt(work), "settled")]),
  fc.tuple(fc.nat(3), cost).map(([work, dollars]): readonly Entry[] => [{ ...asked(workAt(work), dollars), inherited: true }]),
);
const session = fc.array(step, { maxLength: 30 }).map((steps) => steps.flat());

describe("what a session used", () => {
  test("models, turns and messages each sum up to the whole, and so does the live state, through any checkpoint", () => {
    fc.assert(
      fc.property(session, (entries) => {
        const { total: whole, inherited, models: byModel, turns, messages } = report(entries);
        expect(total(byModel.map(({ spend }) => spend))).toEqual(whole);
        expect(total(turns.map(({ spend }) => spend))).toEqual(whole);
        expect(total(messages.map(({ spend }) => spend))).toEqual(addSpend(whole, inherited));
        expect(new Set(messages.map(({ entry }) => entry)).size).toBe(messages.length);
        expect(folded(entries)).toEqual(whole);
        expect(folded(entries, (fold) => decodeFold(Buffer.from(encodeFold(fold))) ?? new LiveFold())).toEqual(whole);
      }),
      { numRuns: 150 },
    );
  });

  test("a tool's report of work that is in the file is not counted again; that of any other tool is", () => {
    const [owner, child] = [workAt(0), workAt(1)];
    const own = [make.work(owner, "running"), asked(owner, 1)];
    const delegated = [
      make.work(child, "running", { parentWork: owner }),
      asked(child, 2),
      make.work(child, "settled"),
      reported(owner, 2),
    ];
    expect(report([...own, ...delegated]).total.cost).toBe(3);
    expect(report([...own, reported(owner, 2)]).total.cost).toBe(3);
    // The next calls of the owner are others.
    expect(report([...own, ...delegated, asked(owner, 1), reported(owner, 4)]).total.cost).toBe(8);
    const turns = report([...own, ...delegated]).turns;
    expect(turns).toMatchObject([
      { work: owner, spend: { cost: 1 }, total: { cost: 3 } },
      { work: child, parent: owner, spend: { cost: 2 }, total: { cost: 2 } },
    ]);
  });

  test("works that own each other, as only a damaged or foreign file has them, are counted once all the same", () => {
    const [one, other] = [workAt(0), workAt(1)];
    const circle = [make.work(one, "running", { parentWork: other }), make.work(other, "running", { parentWork: one })];
    const counted = report([...circle, asked(one, 1), asked(other, 2)]);
    expect(counted.total.cost).toBe(3);
    expect(counted.turns.map(({ spend }) => spend.cost)).toEqual([2, 1]);
  });

  test("what is not known is counted as unpriced and never as nothing; what nobody reported stays absent", () => {
    const { total: whole } = report([asked(workAt(0), undefined), asked(workAt(0), 0.5)]);
    expect(whole).toEqual({ usage: { inputTokens: 6 }, cost: 0.5, unpriced: 1 });
    expect(report([]).total).toEqual({});
    expect(report([{ ...assistant(ids, ""), work: workAt(0) }]).total).toEqual({ unpriced: 1 });
  });

  test("inherited entries are another session's cost, shown apart", () => {
    const theirs: Entry = { ...asked(workAt(0), 4), inherited: true };
    expect(report([theirs, asked(workAt(0), 1)])).toMatchObject({ total: { cost: 1 }, inherited: { cost: 4 } });
    expect(folded([theirs, asked(workAt(0), 1)])?.cost).toBe(1);
  });

  test("branches share what they have in common", () => {
    const root = asked(workAt(0), 1);
    const [left, right] = [asked(workAt(0), 2, "big", root.id), asked(workAt(0), 4, "big", root.id)];
    const sum = new CostSum();
    for (const entry of [root, left, right]) sum.take(entry);
    expect(sum.report(left.id).branches.map(({ leaf, isSelected, spend }) => [leaf, isSelected, spend.cost])).toEqual([
      [left.id, true, 3],
      [right.id, false, 5],
    ]);
    expect(sum.report(left.id).total.cost).toBe(7);
  });

  test("a live state from before sums were kept says nothing of them, and neither does what goes on from it", () => {
    const old = new LiveFold({ ...new LiveFold().parts, spend: undefined });
    const read = decodeFold(Buffer.from(encodeFold(old)));
    expect(read?.state()).not.toHaveProperty("spend");
    read?.apply(asked(workAt(0), 1));
    expect(read?.state()).not.toHaveProperty("spend");
  });
});
