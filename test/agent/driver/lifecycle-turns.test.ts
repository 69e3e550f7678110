import { describe, expect, test } from "vitest";
import type { LifecycleEventType } from "../../../src/schema/index.js";
import { Bench, flush, id, partial, storageFault } from "../driver-bench.js";
import { answer, outcome, toolCall } from "../fixtures.js";
import { actionsOf, dispatching, of, refusal, settled, write, watchRejections } from "./lifecycle-bench.js";
import { never, RecordingPort } from "./recording-port.js";

watchRejections();

describe("between turns", () => {
  test("the end of a turn is told after its receipt, and what is wanted then is recorded at once", async () => {
    const port = new RecordingPort({ one: { "turn-ended": () => [{ type: "set-state", scope: "branch", key: "n", value: 1 }] } });
    const bench = new Bench({ lifecycle: port });
    await bench.submit("a");
    await flush();
    bench.done(answer("A"));
    await bench.driver.idle();
    await settled(bench);
    const types = bench.types();
    expect(types.indexOf("actions")).toBeGreaterThan(types.indexOf("receipt"));
    expect(types.at(-1)).toBe("branch-state");
  });

  test("plugins begin at most 10 turns in a row; input of a person lets them again", async () => {
    const port = new RecordingPort({ one: { "turn-ended": () => [{ type: "enqueue", text: "again", delivery: "follow-up" }] } });
    const bench = new Bench({ lifecycle: port });
    const run = async (): Promise<void> => {
      for (let rounds = bench.rounds.length; ; rounds = bench.rounds.length) {
        bench.done(answer("A"));
        await bench.driver.idle();
        await settled(bench);
        if (bench.rounds.length === rounds) return;
      }
    };
    await bench.submit("a");
    await flush();
    await run();
    expect(bench.rounds).toHaveLength(11);
    expect(actionsOf(bench).at(-1)).toMatchObject({ accepted: [], refused: [{ error: { code: "agent.action-turns" } }] });
    await bench.submit("b");
    await flush();
    await run();
    expect(bench.rounds).toHaveLength(22);
  });

  test("plugins that keep one turn going are bounded the same way", async () => {
    const port = new RecordingPort({ one: { "round-settled": () => [{ type: "enqueue", text: "again" }] } });
    const bench = new Bench({ lifecycle: port });
    await bench.submit("a");
    await flush();
    for (let round = 0; bench.ends().length === 0 && round < 30; round += 1) {
      bench.done(answer("A"));
      await flush();
    }
    expect(bench.rounds).toHaveLength(11);
    expect(bench.ends()).toEqual([expect.stringMatching(/ ok\/done$/u)]);
  });

  test("a command is carried out at once when nothing runs, and between rounds while a turn does", async () => {
    const bench = new Bench({ lifecycle: new RecordingPort({}) });
    const wanted = (text: string): Parameters<typeof bench.driver.runActions>[0] => [
      { plugin: "acme.one", invocation: "i" as never, action: { type: "add-message", text } },
    ];
    const command = { name: "note", args: "x", generation: 2 };
    expect(await bench.driver.runActions(wanted("first"), "command", command)).toEqual({
      ok: true,
      value: { carriedOut: 1, submissions: [] },
    });
    expect(of(bench, "invocation")[0]).toMatchObject({ generation: 2, trigger: { type: "command", name: "note", args: "x" } });
    await bench.submit("a");
    await flush();
    let isDone = false;
    const waiting = bench.driver.runActions(wanted("second"), "command").then((result) => {
      isDone = true;
      return result;
    });
    bench.done(answer("", [toolCall("read")]));
    await flush();
    expect(isDone).toBe(false);
    bench.tools[0]?.resolve(outcome("r"));
    expect((await waiting).ok).toBe(true);
    await flush();
    expect(bench.round().call.messages.at(-1)).toEqual({ role: "user", text: "second" });
  });

  test("a command that enqueues input begins a turn and is told its submission; one that cannot be carried out is an error", async () => {
    const bench = new Bench({ lifecycle: new RecordingPort({}) });
    const by = { plugin: "acme.one", invocation: "i" as never };
    const began = await bench.driver.runActions([{ ...by, action: { type: "enqueue", text: "go" } }], "command");
    await flush();
    expect(bench.rounds).toHaveLength(1);
    expect(began).toEqual({ ok: true, value: { carriedOut: 1, submissions: [of(bench, "submission")[0]?.submission] } });
    bench.done(answer("A"));
    await bench.driver.idle();
    const refused = await bench.driver.runActions([{ ...by, action: { type: "withdraw", submission: id("x") } }], "command");
    expect(refused).toMatchObject({ ok: false, error: { code: "agent.action-queue" } });
  });

  test("a change of the model is told, and what is wanted then does not wait for the turn's end", async () => {
    const port = new RecordingPort({ one: { "model-changed": () => [{ type: "set-thinking", level: "low" }] } });
    const bench = new Bench({ lifecycle: port });
    const model = { provider: "toy", model: "toy-1" };
    bench.driver.tell({ type: "model-changed", from: model, to: { ...model, model: "toy-2" }, by: "person" });
    await settled(bench);
    expect(port.adopted).toMatchObject([{ action: { type: "set-thinking", level: "low" } }]);
  });

  test("closing waits for handlers, and no longer than its limit", async () => {
    const port = new RecordingPort({ one: { closing: never } });
    const bench = new Bench({ lifecycle: port });
    let isClosed = false;
    const closing = bench.driver.closing().then(() => {
      isClosed = true;
    });
    await flush();
    await bench.clock.advance(499);
    await flush();
    expect(isClosed).toBe(false);
    await bench.clock.advance(1);
    await closing;
    expect(actionsOf(bench)).toEqual([]);
  });
});

describe("aborting while a handler runs", () => {
  test.each<[LifecycleEventType, (bench: Bench) => void]>([
    ["session-opened", () => undefined],
    ["input-admitted", () => undefined],
    ["turn-started", () => undefined],
    ["request-prepared", () => undefined],
    ["round-settled", (bench) => bench.done(answer("A"))],
    ["tool-proposed", (bench) => bench.done(answer("", [write()]))],
    ["tool-settled", (bench) => bench.done(answer("", [write()]))],
    ["queue-due", (bench) => bench.done(answer("A"))],
  ])("%s: nothing of it is published, and the turn ends at once though the handler never does", async (type, reach) => {
    const port = new RecordingPort({ one: { [type]: never } });
    const bench = new Bench({ lifecycle: port });
    dispatching(bench);
    await bench.submit("a");
    await flush();
    if (type === "queue-due") await bench.submit("b", "follow-up");
    reach(bench);
    await flush();
    expect(port.types()).toEqual([type]);
    await bench.driver.stop("abort");
    await bench.driver.idle();
    await settled(bench);
    expect(bench.ends()).toEqual(["a aborted/abort"]);
    expect(actionsOf(bench)).toEqual([]);
    const calls = of(bench, "tool-call").length;
    expect(of(bench, "tool-result")).toHaveLength(calls);
  });

  test("turn-ended and idle: they are let go of, and the next turn begins", async () => {
    const port = new RecordingPort({ one: { "turn-ended": never } });
    const bench = new Bench({ lifecycle: port });
    await bench.submit("a");
    await flush();
    bench.done(answer("A"));
    await bench.driver.idle();
    await bench.driver.stop("abort");
    await settled(bench);
    await bench.submit("b");
    await flush();
    expect(bench.rounds).toHaveLength(2);
  });

  test("what waited for the safe point of an aborted turn is dropped", async () => {
    const port = new RecordingPort({ one: { "round-settled": () => [{ type: "add-message", text: "late" }] } });
    const bench = new Bench({ lifecycle: port });
    await bench.submit("a");
    await flush();
    bench.done(answer("", [toolCall("read")]));
    await flush();
    await bench.driver.stop("abort");
    bench.tools[0]?.resolve(outcome("cut"));
    await bench.driver.idle();
    await settled(bench);
    expect(actionsOf(bench)).toEqual([]);
    expect(bench.messages()).toEqual(["prompt a"]);
  });
});

describe("storage that fails at a boundary", () => {
  test.each<[LifecycleEventType]>([["turn-started"], ["request-prepared"]])(
    "%s: the turn ends as that, and nothing is asked",
    async (type) => {
      const bench = new Bench({ lifecycle: new RecordingPort({ one: { [type]: () => [{ type: "add-message", text: "x" }] } }) });
      bench.failFrom = 1;
      await bench.submit("a");
      await bench.driver.idle();
      await flush();
      expect(bench.ends()).toEqual(["a error/storage"]);
      expect(bench.rounds).toEqual([]);
      expect(bench.events.some((event) => event.type === "sealed")).toBe(true);
      await expect(bench.submit("b")).rejects.toBeInstanceOf(Error);
    },
  );

  test("a command that waits hears of it", async () => {
    const bench = new Bench({ lifecycle: new RecordingPort({}) });
    await bench.submit("a");
    await flush();
    const by = { plugin: "acme.one", invocation: "i" as never };
    const waiting = bench.driver.runActions([{ ...by, action: { type: "add-message", text: "x" } }], "command");
    bench.driver.giveUp(storageFault());
    await expect(waiting).rejects.toMatchObject({ diagnostic: { code: "session.storage-full" } });
    bench.round().end({ type: "aborted", partial: partial("") });
    await bench.driver.idle();
  });

  test("a change that a bound refuses is recorded as refused, and the turn goes on", async () => {
    const bench = new Bench({ lifecycle: new RecordingPort({ one: { "turn-started": () => [{ type: "add-message", text: "x" }] } }) });
    bench.refuse = (entries) => (entries.some((entry) => entry.type === "actions" && entry.accepted.length > 0) ? refusal() : undefined);
    await bench.submit("a");
    await flush();
    expect(actionsOf(bench)[0]).toMatchObject({ accepted: [], refused: [{ error: { code: "agent.action-unrecordable" } }] });
    expect(bench.round().call.messages).toEqual([{ role: "user", text: "a" }]);
  });
});
