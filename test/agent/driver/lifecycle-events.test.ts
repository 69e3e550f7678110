import { describe, expect, test } from "vitest";
import { Bench, flush } from "../driver-bench.js";
import { answer, outcome, toolCall } from "../fixtures.js";
import { actionsOf, dispatching, nothing, of, settled, write, watchRejections } from "./lifecycle-bench.js";
import { type Answers, RecordingPort } from "./recording-port.js";

watchRejections();

const EVERYTHING: Answers = {
  "session-opened": nothing,
  "input-admitted": nothing,
  "turn-started": nothing,
  "request-prepared": nothing,
  "round-settled": nothing,
  "tool-proposed": nothing,
  "tool-settled": nothing,
  "queue-due": nothing,
  "turn-ended": nothing,
  idle: nothing,
  closing: nothing,
};

describe("the order of events", () => {
  test("a turn with a call and queued input is told from the session's opening to idle, each once and in its place", async () => {
    const port = new RecordingPort({ one: EVERYTHING });
    const bench = new Bench({ lifecycle: port });
    const ran = dispatching(bench);
    await bench.submit("a");
    await flush();
    await bench.submit("b");
    bench.done(answer("", [write()]));
    await flush();
    expect(ran).toHaveLength(1);
    bench.done(answer("done"));
    await bench.driver.idle();
    await settled(bench);
    await bench.driver.closing();
    expect(port.types()).toEqual([
      "session-opened",
      "input-admitted",
      "turn-started",
      "request-prepared",
      "input-admitted",
      "round-settled",
      "tool-proposed",
      "tool-settled",
      "queue-due",
      "request-prepared",
      "round-settled",
      "turn-ended",
      "idle",
      "closing",
    ]);
    expect(port.event("session-opened")).toEqual({ type: "session-opened", cwd: "/project", trusted: true, resumed: false, mode: "auto" });
    expect(port.event("input-admitted")).toMatchObject({ text: "a", delivery: "turn" });
    expect(port.event("turn-started")).toMatchObject({ submission: "a", text: "a" });
    expect(port.event("round-settled")).toMatchObject({ round: 1, stop: "tool-use", calls: [{ name: "write" }] });
    expect(port.event("tool-proposed")).toMatchObject({
      tool: "write",
      plugin: "toy",
      readOnly: false,
      args: { path: "a" },
      interactive: true,
    });
    expect(port.event("tool-settled")).toMatchObject({ isError: false, mutation: "applied", text: "written", touched: [] });
    expect(port.event("queue-due")).toMatchObject({ point: "batch", queue: [{ text: "b", delivery: "steer" }] });
    expect(port.event("turn-ended")).toMatchObject({ status: "ok", reason: "done", reply: "done", rounds: 2 });
    expect(actionsOf(bench)).toEqual([]);
  });

  test("a request is shown with its messages' entries, its tools and an estimate of its tokens", async () => {
    const port = new RecordingPort({ one: { "request-prepared": nothing } });
    const bench = new Bench({ lifecycle: port });
    await bench.submit("a".repeat(400));
    await flush();
    const [message] = of(bench, "user-message");
    expect(port.event("request-prepared")).toMatchObject({
      round: 1,
      model: { provider: "toy", model: "toy-1" },
      tools: [],
      context: [{ entry: message?.id, role: "user", units: 400, head: "a".repeat(200) }],
      tokens: 102,
    });
  });

  test("where nobody listens nothing is asked and nothing is recorded besides", async () => {
    const silent = new RecordingPort({ one: {} });
    const [bench, plain] = [new Bench({ lifecycle: silent }), new Bench()];
    for (const one of [bench, plain]) {
      await one.submit("a");
      await flush();
      one.done(answer("", [toolCall("read")]));
      await flush();
      one.tools[0]?.resolve(outcome("r"));
      await flush();
      one.done(answer("A"));
      await one.driver.idle();
      await one.driver.closing();
    }
    expect(silent.told).toEqual([]);
    expect(bench.committed).toEqual(plain.committed);
    expect(bench.asked).toBe(plain.asked);
  });

  test("handlers that want nothing change nothing of what is recorded", async () => {
    const bench = new Bench({ lifecycle: new RecordingPort({ one: EVERYTHING }) });
    dispatching(bench);
    await bench.submit("a");
    await flush();
    bench.done(answer("", [write()]));
    await flush();
    bench.done(answer("A"));
    await bench.driver.idle();
    await settled(bench);
    expect(bench.types().filter((type) => type === "actions" || type === "invocation")).toEqual([]);
    expect(bench.ends()).toEqual(["a ok/done"]);
  });
});
