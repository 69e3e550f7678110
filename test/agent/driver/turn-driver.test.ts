import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { err, ok } from "../../../src/base/index.js";
import { diagnostic } from "../../../src/schema/index.js";
import { Bench, facts, flush, id, partial, storageFault } from "../driver-bench.js";
import { answer, outcome, toolCall } from "../fixtures.js";

let unhandled: unknown[] = [];
const note = (error: unknown): void => {
  unhandled.push(error);
};
beforeEach(() => {
  unhandled = [];
  process.on("unhandledRejection", note);
});
afterEach(async () => {
  await flush();
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

describe("the end of a turn that is still being written", () => {
  test("input that comes meanwhile begins its own turn, and neither end is lost", async () => {
    const bench = new Bench();
    await bench.submit("a");
    await flush();
    bench.isHolding = true;
    bench.done(answer("A"));
    await flush();
    expect(bench.driver.isIdle()).toBe(false);
    const second = bench.submit("b");
    await flush();
    expect(bench.commits).toHaveLength(2);
    bench.isHolding = false;
    for (const commit of bench.commits) commit.resolve();
    expect(await second).toEqual({ queued: false });
    await flush();
    expect(bench.ends()).toEqual(["a ok/done"]);
    bench.done(answer("B"));
    await bench.driver.idle();
    expect(bench.ends()).toEqual(["a ok/done", "b ok/done"]);
    expect(bench.messages()).toEqual(["prompt a", "prompt b"]);
    expect(bench.driver.isIdle()).toBe(true);
  });

  test("idle waits for the record of the end, and not for a turn that begins later", async () => {
    const bench = new Bench();
    await bench.submit("a");
    await flush();
    bench.isHolding = true;
    bench.done(answer("A"));
    await flush();
    let isOver = false;
    const idle = bench.driver.idle().then(() => {
      isOver = true;
    });
    await flush();
    expect(isOver).toBe(false);
    const second = bench.submit("b");
    await flush();
    bench.commits[0]?.resolve();
    await idle;
    expect(bench.driver.isIdle()).toBe(false);
    bench.isHolding = false;
    bench.commits[1]?.resolve();
    await second;
  });

  test("a stop withdraws what waits, so that no next turn begins", async () => {
    const bench = new Bench();
    await bench.submit("a");
    await flush();
    await bench.submit("b", "follow-up");
    bench.isHolding = true;
    bench.round().end({ type: "failed", error: { class: "transport", message: "cut" }, partial: partial("") });
    await flush();
    const stopped = bench.driver.stop("abort");
    await flush();
    bench.isHolding = false;
    for (const commit of bench.commits) commit.resolve();
    expect((await stopped).map((item) => item.text)).toEqual(["b"]);
    await bench.driver.idle();
    await flush();
    expect(bench.driver.isIdle()).toBe(true);
    expect(bench.messages()).toEqual(["prompt a"]);
  });
});

describe("stopping", () => {
  test("two queued steers come back and none is delivered, though the batch completes meanwhile; later input gets its own turn", async () => {
    const bench = new Bench();
    await bench.submit("a");
    await flush();
    bench.done(answer("", [toolCall("read")]));
    await flush();
    await bench.submit("b");
    await bench.submit("c");
    bench.isHolding = true;
    const stopped = bench.driver.stop("abort");
    expect(bench.tools[0]?.signal.aborted).toBe(true);
    const late = bench.submit("d");
    bench.tools[0]?.resolve(outcome("cut"));
    await flush();
    bench.isHolding = false;
    for (const commit of bench.commits) commit.resolve();
    expect((await stopped).map((item) => item.text)).toEqual(["b", "c"]);
    expect(await late).toEqual({ queued: true });
    await flush();
    expect(bench.ends()).toEqual(["a aborted/abort"]);
    bench.done(answer("D"));
    await bench.driver.idle();
    expect(bench.ends()).toEqual(["a aborted/abort", "d ok/done"]);
    expect(bench.messages()).toEqual(["prompt a", "steer d"]);
  });

  test("calls of a response that came after the stop are paired with results before the turn ends", async () => {
    const bench = new Bench();
    await bench.submit("a");
    await flush();
    await bench.driver.stop("abort");
    bench.done(answer("", [toolCall("read")]));
    await flush();
    expect(bench.tools[0]?.signal.aborted).toBe(true);
    bench.tools[0]?.resolve(outcome("not run"));
    await bench.driver.idle();
    expect(bench.types().filter((type) => type.startsWith("tool-"))).toEqual(["tool-call", "tool-result"]);
    expect(bench.ends()).toEqual(["a aborted/abort"]);
  });

  test.each([
    ["abort", "a aborted/abort", undefined],
    ["deadline", "a limit/deadline", 124],
  ] as const)("%s while the model is looked up ends the turn at once, before a request exists", async (cause, end, exit) => {
    const bench = new Bench();
    bench.facts = async (signal) =>
      await new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          resolve(err(diagnostic({ code: "provider.failed", what: "cut", why: "cut", next: "again" })));
        });
      });
    await bench.submit("a");
    await bench.driver.stop(cause);
    await bench.driver.idle();
    expect(bench.ends()).toEqual([end]);
    expect(bench.types()).not.toContain("request");
    const ended = bench.events.flatMap((event) => (event.type === "turn-ended" ? [event.end.error?.exit] : []));
    expect(ended).toEqual([exit]);
  });

  test("a reader that takes nothing more does not keep a turn from stopping", async () => {
    const bench = new Bench();
    bench.ready = async () => await new Promise<void>(() => undefined);
    let isAsked = false;
    bench.facts = async () => {
      isAsked = true;
      return await Promise.resolve(ok(facts));
    };
    await bench.submit("a");
    await bench.driver.stop("abort");
    await bench.driver.idle();
    expect([bench.ends(), isAsked]).toEqual([["a aborted/abort"], false]);
  });
});

describe("outcome of a provider round", () => {
  test.each([
    ["an answer", { type: "done", result: answer("A") }, "applied"],
    ["a refusal", { type: "failed", error: { class: "auth", message: "no" }, partial: partial("") }, "not-applied"],
    ["a cut", { type: "failed", error: { class: "transport", message: "cut" }, partial: partial("half") }, "unknown"],
    ["an abort", { type: "aborted", partial: partial("half") }, "unknown"],
  ] as const)("%s", async (_name, event, expected) => {
    const bench = new Bench();
    await bench.submit("a");
    await flush();
    bench.round().end(event);
    await bench.driver.idle();
    expect(bench.outcomes()).toEqual([expected]);
  });
});

describe("waiting input", () => {
  test("a steer breaks a stall", async () => {
    const bench = new Bench({ limits: { stallThreshold: 2 } });
    await bench.submit("a");
    for (const last of [false, true]) {
      await flush();
      bench.done(answer("", [toolCall("read", {}, last ? "2" : "1")]));
      await flush();
      if (last) await bench.submit("other way");
      bench.tools.at(-1)?.resolve(outcome("same"));
    }
    await flush();
    bench.done(answer("A"));
    await bench.driver.idle();
    expect(bench.ends()).toEqual(["a+other way ok/done"]);
  });

  test("without a steer the stall ends the turn", async () => {
    const bench = new Bench({ limits: { stallThreshold: 1 } });
    await bench.submit("a");
    await flush();
    bench.done(answer("", [toolCall("read")]));
    await flush();
    bench.tools[0]?.resolve(outcome("same"));
    await bench.driver.idle();
    expect(bench.ends()).toEqual(["a stalled/stall"]);
  });

  test("an explicit done delivers follow-ups before the turn ends", async () => {
    const bench = new Bench();
    await bench.submit("a");
    await flush();
    bench.done(answer("", [toolCall("finish")]));
    await flush();
    await bench.submit("b", "follow-up");
    const output = { text: "ok", isError: false, details: { done: { finalMessage: "all done" } } };
    bench.tools[0]?.resolve(outcome("ok", { settlement: { output, mutation: "not-applied", end: "returned" }, output }));
    await flush();
    expect(bench.ends()).toEqual([]);
    bench.done(answer("B"));
    await bench.driver.idle();
    expect(bench.messages()).toEqual(["prompt a", "follow-up b"]);
    expect(bench.ends()).toEqual(["a+b ok/done"]);
  });

  test("what a failed turn left begins the next turn", async () => {
    const bench = new Bench();
    await bench.submit("a");
    await flush();
    await bench.submit("b");
    bench.round().end({ type: "failed", error: { class: "auth", message: "no" }, partial: partial("") });
    await flush();
    bench.done(answer("B"));
    await bench.driver.idle();
    expect(bench.ends()).toEqual(["a error/provider", "b ok/done"]);
  });

  test("a withdrawal whose record fails is a failure, and nothing is admitted after it", async () => {
    const bench = new Bench();
    await bench.submit("a");
    await flush();
    await bench.submit("b");
    bench.failFrom = bench.asked;
    await expect(bench.driver.withdraw(id("b"))).rejects.toMatchObject({ name: "SessionStorageError" });
    await expect(bench.submit("c")).rejects.toMatchObject({ name: "SessionStorageError" });
    await expect(bench.driver.rename("n")).rejects.toMatchObject({ name: "SessionStorageError" });
    expect(bench.ends()).toEqual(["a error/storage"]);
    expect(bench.events.filter((event) => event.type === "sealed")).toHaveLength(1);
  });
});

/** Two rounds with one tool between them; goes as far as the commits let it. */
async function twoRounds(bench: Bench): Promise<void> {
  await bench.submit("a").catch(() => undefined);
  await flush();
  bench.rounds[0]?.end({ type: "done", result: answer("", [toolCall("read")]) });
  await flush();
  bench.tools[0]?.resolve(outcome("content"));
  await flush();
  bench.rounds[1]?.end({ type: "done", result: answer("A") });
  await flush();
}

describe("storage that fails", () => {
  test("a turn of two rounds with one tool makes six changes", async () => {
    const bench = new Bench();
    await twoRounds(bench);
    expect([bench.asked, bench.ends()]).toEqual([6, ["a ok/done"]]);
  });

  test.each([0, 1, 2, 3, 4, 5])(
    "at change %i: the turn ends as error/storage, nothing is started after, later input is refused",
    async (index) => {
      const bench = new Bench();
      bench.failFrom = index;
      await twoRounds(bench);
      await bench.driver.idle();
      expect(bench.ends()).toEqual(["a error/storage"]);
      expect(bench.asked).toBe(index + 1);
      // Rounds start after changes 1 and 4, the tool after change 2.
      expect([bench.rounds.length, bench.tools.length]).toEqual([index > 4 ? 2 : index > 1 ? 1 : 0, index > 2 ? 1 : 0]);
      expect(bench.events.at(-1)?.type).toBe("sealed");
      await expect(bench.submit("b")).rejects.toMatchObject({ diagnostic: { code: "session.storage-full" } });
      expect(bench.asked).toBe(index + 1);
    },
  );

  test("what waits is not begun after the failure", async () => {
    const bench = new Bench();
    await bench.submit("a");
    await flush();
    await bench.submit("b", "follow-up");
    bench.failFrom = bench.asked;
    bench.done(answer("A"));
    await flush();
    bench.driver.resumeQueue();
    await flush();
    expect(bench.rounds).toHaveLength(1);
    expect(bench.driver.isIdle()).toBe(true);
  });

  test("the end of one turn and the beginning of the next fail together, each told once", async () => {
    const bench = new Bench();
    await bench.submit("a");
    await flush();
    bench.isHolding = true;
    bench.done(answer("A"));
    await flush();
    const second = bench.submit("b");
    await flush();
    for (const commit of bench.commits) commit.reject(storageFault());
    await expect(second).rejects.toMatchObject({ name: "SessionStorageError" });
    await bench.driver.idle();
    expect([...bench.ends()].sort()).toEqual(["a error/storage", "b error/storage"]);
    expect(bench.events.filter((event) => event.type === "sealed")).toHaveLength(1);
  });
});

describe("work of a turn that failed by a bug", () => {
  test("its late tool results and failures never reach the next turn", async () => {
    const bench = new Bench();
    await bench.submit("a");
    await flush();
    bench.done(answer("", [toolCall("one"), toolCall("two"), toolCall("three")]));
    await flush();
    bench.tools[0]?.reject(new TypeError("boom"));
    await bench.driver.idle();
    expect(bench.ends()).toEqual(["a error/bug"]);
    await bench.submit("b");
    await flush();
    bench.done(answer("", [toolCall("four")]));
    await flush();
    bench.tools[1]?.resolve(outcome("late"));
    bench.tools[2]?.reject(new TypeError("late boom"));
    await flush();
    expect(bench.committed.flatMap((entry) => (entry.type === "tool-result" ? [entry.name, entry.mutation] : []))).toEqual(
      ["one", "two", "three"].flatMap((name) => [name, "unknown"]),
    );
    bench.tools[3]?.resolve(outcome("in time"));
    await flush();
    bench.done(answer("B"));
    await bench.driver.idle();
    expect(bench.ends()).toEqual(["a error/bug", "b ok/done"]);
  });

  test("its late response never reaches the next turn", async () => {
    const bench = new Bench();
    await bench.submit("a");
    await flush();
    bench.isHolding = true;
    const stopped = bench.driver.stop("abort");
    bench.isHolding = false;
    bench.commits[0]?.reject(new TypeError("boom"));
    await expect(stopped).rejects.toThrow("boom");
    await flush();
    expect(bench.ends()).toEqual(["a error/bug"]);
    await bench.submit("b");
    await flush();
    bench.rounds[0]?.end({ type: "done", result: answer("late") });
    await flush();
    expect(bench.types()).not.toContain("assistant");
    bench.done(answer("B"));
    await bench.driver.idle();
    expect(bench.ends()).toEqual(["a error/bug", "b ok/done"]);
  });

  test("a change that is written after its turn failed starts nothing in the next one", async () => {
    const bench = new Bench();
    await bench.submit("a");
    await flush();
    bench.done(answer("", [toolCall("one"), toolCall("two")]));
    await flush();
    bench.isHolding = true;
    bench.tools[0]?.resolve(outcome("first"));
    bench.tools[1]?.resolve(outcome("second"));
    await flush();
    // The first result cannot be recorded; the second, which would begin the next round, is still being written.
    bench.commits[0]?.reject(new TypeError("boom"));
    await flush();
    const second = bench.submit("b");
    await flush();
    bench.isHolding = false;
    for (const commit of bench.commits.slice(1)) commit.resolve();
    await second;
    await flush();
    expect(bench.rounds).toHaveLength(2);
    bench.done(answer("B"));
    await bench.driver.idle();
    expect(bench.ends()).toEqual(["a error/bug", "b ok/done"]);
  });

  test("calls of a response that is written after its turn failed are never run", async () => {
    const bench = new Bench();
    await bench.submit("a");
    await flush();
    bench.isHolding = true;
    bench.done(answer("", [toolCall("one")]));
    await flush();
    const stopped = bench.driver.stop("abort");
    bench.commits[1]?.reject(new TypeError("boom"));
    await expect(stopped).rejects.toThrow("boom");
    bench.isHolding = false;
    for (const commit of bench.commits) commit.resolve();
    await flush();
    expect([bench.types().includes("tool-call"), bench.tools]).toEqual([true, []]);
  });

  test("an observer that throws at the end keeps neither the waiting nor the next turn", async () => {
    const bench = new Bench();
    bench.onEvent = (event) => {
      if (event.type === "turn-ended") throw new TypeError("observer");
    };
    await bench.submit("a");
    await flush();
    await bench.submit("b");
    bench.round().end({ type: "failed", error: { class: "auth", message: "no" }, partial: partial("") });
    await bench.driver.idle();
    bench.onEvent = () => undefined;
    await flush();
    bench.done(answer("B"));
    await bench.driver.idle();
    expect(bench.ends()).toEqual(["b ok/done"]);
  });
});
