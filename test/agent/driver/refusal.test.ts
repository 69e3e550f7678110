import { describe, expect, test } from "vitest";
import { emptyState, nothingRecovered } from "../../../src/agent/index.js";
import type { WorkId } from "../../../src/base/index.js";
import { diagnostic, type Entry } from "../../../src/schema/index.js";
import { SESSION_LIMITS, SessionStorageError } from "../../../src/session/index.js";
import { Bench, flush, id } from "../driver-bench.js";
import { answer, outcome, toolCall } from "../fixtures.js";
import { play, value, withStore } from "../stored.js";
import { createDriver } from "../../../src/agent/index.js";

const bound = (code = "session.limit"): SessionStorageError =>
  new SessionStorageError(diagnostic({ code, what: "Too many live works.", why: "513 of 512.", next: "Wait." }));

const refusing =
  (...types: readonly Entry["type"][]) =>
  (entries: readonly Entry[]): SessionStorageError | undefined =>
    entries.some(({ type }) => types.includes(type)) ? bound() : undefined;

describe("admission over live-work, ownership-depth, or active-state limits fails without partial changes", () => {
  test.each(["session.limit", "session.work-owns-unsettled", "session.commit-too-large"])(
    "%s: nothing is begun, and the session goes on",
    async (code) => {
      const bench = new Bench();
      bench.refuse = () => bound(code);
      const before = bench.driver.state();
      await expect(bench.submit("a")).rejects.toMatchObject({ diagnostic: { code } });
      expect([bench.driver.state() === before, bench.driver.isIdle(), bench.events]).toEqual([true, true, []]);
      await bench.driver.idle();
      bench.refuse = () => undefined;
      await bench.submit("b");
      await flush();
      bench.done(answer("B"));
      await bench.driver.idle();
      expect(bench.ends()).toEqual(["b ok/done"]);
    },
  );

  test("input to a running turn is refused alone: the queue and the turn stay as they are", async () => {
    const bench = new Bench();
    await bench.submit("a");
    await flush();
    await bench.submit("b", "follow-up");
    bench.refuse = refusing("submission");
    await expect(bench.submit("c")).rejects.toMatchObject({ name: "SessionStorageError" });
    expect(bench.driver.state().queue.map(({ text }) => text)).toEqual(["b"]);
    bench.done(answer("A"));
    await flush();
    bench.done(answer("B"));
    await bench.driver.idle();
    expect(bench.ends()).toEqual(["a+b ok/done"]);
  });

  test("a refusal that comes late is undone while nothing was built on it", async () => {
    const bench = new Bench();
    bench.isHolding = true;
    const before = bench.driver.state();
    const submitted = bench.submit("a");
    await flush();
    bench.commits[0]?.reject(bound());
    await expect(submitted).rejects.toMatchObject({ diagnostic: { code: "session.limit" } });
    expect([bench.driver.state() === before, bench.driver.isIdle()]).toEqual([true, true]);
  });

  test("the bound of a real session: the input over it is refused, nothing of it is in the file", async () => {
    await withStore(async (store, ids) => {
      await play(store, ids, async ({ writer }) => {
        const works = Array.from({ length: SESSION_LIMITS.liveWorks }, (): Entry => ({
          type: "work",
          id: ids.next(),
          time: 1,
          work: ids.next(),
          state: "running",
        }));
        await writer.commit({ entries: works }).durable;
        const bench = new Bench();
        const driver = createDriver(
          emptyState,
          bench.ports({
            ids,
            commit: (entries, leaf) => {
              const ticket = writer.commit({ entries, ...(leaf === undefined ? {} : { leaf }) });
              return ticket.durable.then(() => ticket.position);
            },
          }),
        );
        const { seq } = writer.position();
        await expect(driver.submit({ submission: ids.next(), text: "one too many", delivery: "steer" })).rejects.toMatchObject({
          diagnostic: { code: "session.limit" },
        });
        expect([writer.position().seq, driver.state(), (await writer.live()).submissions.size]).toEqual([seq, emptyState, 0]);
      });
    });
  });
});

describe("facts that a session refuses to take in", () => {
  test("a response is recorded as failed without its content, and its effect as applied", async () => {
    const bench = new Bench();
    await bench.submit("a");
    await flush();
    bench.refuse = (entries) => (entries.some((entry) => entry.type === "assistant" && entry.text !== "") ? bound() : undefined);
    bench.done(answer("too much", [toolCall("read")]));
    await bench.driver.idle();
    expect(bench.ends()).toEqual(["a error/provider"]);
    expect(bench.outcomes()).toEqual(["applied"]);
    expect(bench.tools).toEqual([]);
    expect(bench.committed.find(({ type }) => type === "assistant")).toMatchObject({
      stop: "failed",
      text: "",
      usage: { inputTokens: 10 },
    });
    expect(bench.committed.find(({ type }) => type === "receipt")).toMatchObject({ error: { code: "agent.unrecordable" } });
  });

  test("a result is replaced by words, what it changed stays said, and the turn goes on", async () => {
    const bench = new Bench();
    await bench.submit("a");
    await flush();
    bench.done(answer("", [toolCall("read")]));
    await flush();
    bench.refuse = (entries) => (entries.some((entry) => entry.type === "tool-result" && entry.text === "huge") ? bound() : undefined);
    const output = { text: "huge", isError: false };
    bench.tools[0]?.resolve(outcome("huge", { settlement: { output, mutation: "applied", end: "returned" } }));
    await flush();
    expect(bench.committed.find(({ type }) => type === "tool-result")).toMatchObject({
      isError: true,
      mutation: "applied",
      text: expect.stringContaining("could not be recorded") as string,
    });
    bench.done(answer("A"));
    await bench.driver.idle();
    expect(bench.ends()).toEqual(["a ok/done"]);
  });

  test("a request that cannot be recorded is not sent: the turn ends, the session goes on", async () => {
    const bench = new Bench();
    bench.refuse = refusing("request");
    await bench.submit("a");
    await bench.driver.idle();
    expect([bench.ends(), bench.rounds]).toEqual([["a error/storage"], []]);
    expect(bench.events.some(({ type }) => type === "sealed")).toBe(false);
    bench.refuse = () => undefined;
    await bench.submit("b");
    await flush();
    bench.done(answer("B"));
    await bench.driver.idle();
    expect(bench.ends()).toEqual(["a error/storage", "b ok/done"]);
  });

  test("an end that is refused is not taken for recorded: nothing more is admitted by this driver", async () => {
    const bench = new Bench();
    bench.facts = async () => await Promise.reject(new Error("a bug"));
    bench.refuse = refusing("receipt");
    await bench.submit("a");
    await bench.driver.idle();
    expect(bench.ends()).toEqual(["a error/bug"]);
    expect(bench.events.at(-1)).toMatchObject({ type: "sealed", error: { code: "agent.storage" } });
    bench.refuse = () => undefined;
    await expect(bench.submit("b")).rejects.toMatchObject({ name: "SessionStorageError" });
  });

  test("a wish to stop that is refused stops all the same", async () => {
    const bench = new Bench();
    await bench.submit("a");
    await flush();
    bench.refuse = (entries) =>
      entries.some((entry) => entry.type === "work" && entry.state === "cancel-requested") ? bound() : undefined;
    await expect(bench.driver.stop("abort")).rejects.toMatchObject({ diagnostic: { code: "session.limit" } });
    await bench.driver.idle();
    expect(bench.ends()).toEqual(["a error/storage"]);
  });
});

describe("going on through the driver", () => {
  const work = "w" as WorkId;
  const interrupted = {
    ...emptyState,
    interrupted: { ...nothingRecovered, unsettled: [{ work, submission: id("old"), state: "running" as const }] },
  };

  test("a resumed turn begins as one, runs, and ends with the receipt of its submission", async () => {
    const bench = new Bench({ state: interrupted });
    expect(await bench.driver.resume({ tools: [], providers: [{ id: "toy", plugin: "toy" }] })).toEqual({ ok: true, value: "old" });
    await flush();
    bench.done(answer("done"));
    await bench.driver.idle();
    expect(bench.events.filter(({ type }) => type === "turn-started")).toMatchObject([{ submission: "old", work }]);
    expect(bench.ends()).toEqual(["old ok/done"]);
  });

  test("one that lacks something is recorded as blocked and refused, and the next input settles it", async () => {
    const tools = [{ name: "grep", plugin: "toy", description: "", parameters: {}, readOnly: true, timeoutMs: 1, summaryKeys: [] }];
    const prompt = { type: "prompt", id: "p" as never, time: 1, system: "", tools, generation: 1 } as const;
    const bench = new Bench({ state: { ...interrupted, prompt } });
    expect(await bench.driver.resume({ tools: [], providers: [] })).toMatchObject({ ok: false, error: { code: "agent.work-blocked" } });
    expect(bench.committed).toMatchObject([{ type: "work", state: "blocked" }]);
    await bench.submit("b");
    expect(bench.committed.filter(({ type }) => type === "receipt")).toMatchObject([{ submission: "old", status: "aborted" }]);
  });

  test("an interruption may be ended without new input", async () => {
    const bench = new Bench({ state: interrupted });
    await bench.driver.endInterruption();
    await bench.driver.endInterruption();
    expect(bench.types()).toEqual(["work", "receipt"]);
    expect(
      value(await bench.driver.putState({ owner: "core", key: "k", version: 1, fork: "copy", operation: "put", value: 1 })),
    ).toBeUndefined();
    expect(bench.types().at(-1)).toBe("branch-state");
  });
});
