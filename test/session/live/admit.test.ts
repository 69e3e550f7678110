import { describe, expect, test } from "vitest";
import type { EffectId, WorkId } from "../../../src/base/index.js";
import type { Entry } from "../../../src/schema/index.js";
import { admit, LiveFold, SESSION_LIMITS } from "../../../src/session/live/index.js";
import { seqIds, user } from "../support/entries.js";
import { workEntries } from "../support/work-entries.js";

const ids = seqIds();
const make = workEntries(ids);
const works = Array.from({ length: SESSION_LIMITS.liveWorks + 1 }, () => ids.next<WorkId>());
const [a, b, c] = works as [WorkId, WorkId, WorkId];

// The matcher's type says nothing of what it stands for.
const containing = (text: string): string => expect.stringContaining(text) as string;

function after(...entries: readonly Entry[]): LiveFold {
  const fold = new LiveFold();
  for (const entry of entries) fold.apply(entry);
  return fold;
}

const running = (work: WorkId, parentWork?: WorkId): Entry => make.work(work, "running", parentWork === undefined ? {} : { parentWork });
const settled = (work: WorkId): Entry => make.work(work, "settled");
const chain = (length: number): readonly Entry[] => works.slice(0, length).map((work, index) => running(work, works[index - 1]));

describe("admission", () => {
  test("takes what stays within every limit, up to the limit itself", () => {
    expect(admit(after(), [user(ids, "x"), ...works.slice(1).map((work) => running(work))])).toBeUndefined();
    expect(admit(after(), chain(SESSION_LIMITS.ownershipDepth))).toBeUndefined();
    const items = Array.from({ length: SESSION_LIMITS.stateItems }, (_, index) => make.put(`${index}`, index));
    expect(admit(after(), items)).toBeUndefined();
    expect(admit(after(), [make.put("big", "x".repeat(SESSION_LIMITS.stateValueBytes - 5))])).toBeUndefined();
  });

  test("over a limit is refused with what there would be and what there may be", () => {
    const full = after(...works.slice(1).map((work) => running(work)));
    expect(admit(full, [running(a)])).toMatchObject({ code: "session.limit", what: containing("513 live works") });
    expect(admit(after(), chain(17))).toMatchObject({ code: "session.limit", what: containing("17 works owning") });
    expect(admit(after(...chain(16)), [running(works[16] ?? a, works[15])])).toMatchObject({ code: "session.limit" });
    expect(admit(after(), [running(a, b), running(b, a)])).toMatchObject({ code: "session.limit" });
    const items = Array.from({ length: SESSION_LIMITS.stateItems }, (_, index) => make.put(`${index}`, index));
    expect(admit(after(...items), [make.put("one more", 1)])).toMatchObject({ what: containing("1025 pieces of state") });
    const large = Array.from({ length: 16 }, (_, index) => make.put(`${index}`, "x".repeat(SESSION_LIMITS.stateValueBytes - 5)));
    expect(admit(after(...large), [make.put("one more", 1)])).toMatchObject({ what: containing("bytes of state") });
    expect(admit(after(), [make.put("big", "x".repeat(SESSION_LIMITS.stateValueBytes))])).toMatchObject({
      what: containing("one value"),
    });
    expect(admit(after(), [{ ...make.put("big", "x".repeat(SESSION_LIMITS.stateValueBytes)), type: "branch-state" }])).toMatchObject({
      code: "session.limit",
    });
  });

  test("a place that is made free in the same change counts as free", () => {
    const full = after(...works.slice(1).map((work) => running(work)));
    expect(admit(full, [settled(b), running(a)])).toBeUndefined();
    const items = Array.from({ length: SESSION_LIMITS.stateItems }, (_, index) => make.put(`${index}`, index));
    expect(admit(after(...items), [make.drop("0"), make.put("other", 1), make.put("5", "again")])).toBeUndefined();
  });

  test("what is over a limit already may shrink, and nothing else is held up by it", () => {
    const over = after(...works.map((work) => running(work)), ...chain(20));
    expect(admit(over, [settled(works.at(-1) ?? a)])).toBeUndefined();
    expect(admit(over, [make.work(works[18] ?? a, "waiting")])).toBeUndefined();
    expect(admit(over, [user(ids, "hi")])).toBeUndefined();
  });

  test("a parent settles after the work it owns, at the latest in the same change", () => {
    const owning = after(running(a), running(b, a), running(c, b));
    expect(admit(owning, [settled(a)])).toMatchObject({ code: "session.work-owns-unsettled", what: containing(a.slice(-8)) });
    expect(admit(owning, [settled(b), settled(a)])).toMatchObject({ code: "session.work-owns-unsettled" });
    expect(admit(owning, [settled(a), settled(b), settled(c)])).toBeUndefined();
    expect(admit(owning, [settled(c)])).toBeUndefined();
    expect(admit(after(running(a)), [running(b, a), settled(a)])).toMatchObject({ code: "session.work-owns-unsettled" });
    expect(admit(after(running(a), running(b, a)), [make.work(b, "waiting"), settled(a)])).toMatchObject({
      code: "session.work-owns-unsettled",
    });
  });

  test("work that was never seen, and work of another session, is taken as it comes", () => {
    expect(
      admit(after(), [settled(a), running(b, c), make.receipt(ids.next(), a), make.done(ids.next<EffectId>(), "applied")]),
    ).toBeUndefined();
    const inherited = works.map((work): Entry => ({ ...running(work), inherited: true }));
    expect(admit(after(running(a), running(b, a)), [...inherited, { ...settled(a), inherited: true }])).toBeUndefined();
  });
});
