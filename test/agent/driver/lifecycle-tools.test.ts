import { describe, expect, test } from "vitest";
import type { CallId } from "../../../src/base/index.js";
import type { Action } from "../../../src/schema/index.js";
import { Bench, flush } from "../driver-bench.js";
import { answer } from "../fixtures.js";
import { actionsOf, dispatching, of, refusal, write, watchRejections } from "./lifecycle-bench.js";
import { type Answers, RecordingPort } from "./recording-port.js";

watchRejections();

describe("tool calls", () => {
  const proposing = (answers: { readonly [plugin: string]: (call: CallId) => readonly Action[] }, more: Answers = {}): RecordingPort =>
    new RecordingPort(
      Object.fromEntries(
        Object.entries(answers).map(([plugin, want]): [string, Answers] => [
          plugin,
          { ...more, "tool-proposed": ({ call }) => want(call) },
        ]),
      ),
    );

  async function calling(port: RecordingPort, mode: Bench["mode"] = "auto") {
    const bench = new Bench({ lifecycle: port });
    bench.mode = mode;
    const ran = dispatching(bench);
    const asked: { readonly args: unknown; readonly why: unknown; readonly rule: unknown }[] = [];
    bench.approve = async (call, _tool, { why, rule }) => {
      asked.push({ args: call.args, why, rule });
      return await Promise.resolve({ allowed: true, verdict: "project" });
    };
    await bench.submit("a");
    await flush();
    bench.done(answer("", [write()]));
    await flush();
    const [result] = of(bench, "tool-result");
    if (result === undefined) throw new Error("the call did not end");
    return { bench, ran, asked, result };
  }

  test("the strictest verdict counts; a denial is a result with the policy's words, and on record", async () => {
    const { ran, result, bench } = await calling(
      proposing({ one: (call) => [{ type: "allow-tool", call }], two: (call) => [{ type: "deny-tool", call, why: "not on Fridays." }] }),
    );
    expect(ran).toEqual([]);
    expect(result).toMatchObject({ isError: true, mutation: "not-applied", text: "Not run: not on Fridays. (decided by two)" });
    expect(actionsOf(bench)[0]).toMatchObject({ trigger: "tool-proposed", accepted: [{ plugin: "one" }, { plugin: "two" }] });
  });

  test("allowed is not asked about, and that alone is not recorded", async () => {
    const { ran, asked, bench } = await calling(proposing({ one: (call) => [{ type: "allow-tool", call }] }), "ask-writes");
    expect([ran.length, asked]).toEqual([1, []]);
    expect(actionsOf(bench)).toEqual([]);
  });

  test.each(["read-only", "plan"] as const)("in mode %s a tool that changes things is refused whatever a policy allows", async (mode) => {
    const port = proposing({ one: (call) => [{ type: "allow-tool", call }] });
    const { ran, result } = await calling(port, mode);
    expect(ran).toEqual([]);
    expect(result.text).toContain(mode);
    expect(port.told).toEqual([]);
  });

  test("a question carries why and rule, and its answer is told to the plugin that asked, whose state is recorded", async () => {
    const port = proposing(
      { one: () => [], two: (call) => [{ type: "ask-tool", call, why: "It writes.", rule: "write *" }] },
      {
        "permission-answered": ({ rule, verdict }) => [{ type: "set-state", scope: "session", key: "rules", value: `${verdict} ${rule}` }],
      },
    );
    const { ran, asked, bench } = await calling(port);
    expect(asked).toEqual([{ args: { path: "a" }, why: "two: It writes.", rule: "write *" }]);
    expect(ran).toHaveLength(1);
    expect(of(bench, "state")).toMatchObject([{ owner: "two", key: "rules", value: "project write *" }]);
  });

  test("rewritten arguments are what runs, what is asked about and what is on record; the call stays as the model made it", async () => {
    const port = proposing({
      one: (call) => [
        { type: "rewrite-tool", call, args: { path: "b" } },
        { type: "ask-tool", call },
      ],
    });
    const { ran, asked, bench } = await calling(port);
    expect(ran).toMatchObject([{ args: { path: "b" } }]);
    expect(asked).toMatchObject([{ args: { path: "b" } }]);
    expect(of(bench, "tool-call")[0]?.args).toEqual({ path: "a" });
    expect(actionsOf(bench)[0]?.accepted[0]).toMatchObject({ action: { type: "rewrite-tool", args: { path: "b" } } });
  });

  test("rewritten arguments the tool does not take are refused, and the call is denied with words", async () => {
    const { ran, result, bench } = await calling(proposing({ one: (call) => [{ type: "rewrite-tool", call, args: { path: 5 } }] }));
    expect(ran).toEqual([]);
    expect(result.text).toMatch(/^Not run: .*one.*write.*path/u);
    expect(actionsOf(bench)[0]).toMatchObject({ accepted: [], refused: [{ error: { code: "agent.action-arguments" } }] });
  });

  test("a policy whose words cannot be recorded denies the call", async () => {
    const port = proposing({ one: (call) => [{ type: "rewrite-tool", call, args: { path: "b" } }] });
    const bench = new Bench({ lifecycle: port });
    const ran = dispatching(bench);
    bench.refuse = (entries) => (entries.some((entry) => entry.type === "actions" && entry.accepted.length > 0) ? refusal() : undefined);
    await bench.submit("a");
    await flush();
    bench.done(answer("", [write()]));
    await flush();
    expect(ran).toEqual([]);
    expect(of(bench, "tool-result")[0]?.text).toContain("could not be recorded");
    expect(actionsOf(bench)[0]).toMatchObject({ accepted: [], refused: [{ error: { code: "agent.action-unrecordable" } }] });
  });

  test("a result is recorded as handlers replaced and completed it, in one change with who did; it is bounded again", async () => {
    const port = new RecordingPort({
      one: { "tool-settled": ({ call }) => [{ type: "replace-result", call, text: "x".repeat(70_000), isError: true }] },
      two: { "tool-settled": ({ call }) => [{ type: "append-result", call, text: "run lint" }] },
    });
    const { bench, result } = await calling(port);
    expect(result).toMatchObject({ isError: true, mutation: "applied" });
    expect(result.text).toMatch(/^x+\n… \[\d+ bytes left out here.*\]\nx+\n\nrun lint$/u);
    expect(result.omittedBytes).toBeGreaterThan(0);
    const place = bench.committed.findIndex(({ type }) => type === "actions");
    expect(bench.committed[place + 1]).toBe(result);
  });

  test("what a handler of a result wants beside it waits until the batch is complete", async () => {
    const port = new RecordingPort({
      one: {
        "tool-settled": ({ call }) => [
          { type: "append-result", call, text: "note" },
          { type: "add-message", text: "later" },
        ],
      },
    });
    const { bench } = await calling(port);
    expect(bench.round().call.messages.map(({ role, text }) => `${role} ${text}`)).toEqual([
      "user a",
      "assistant ",
      "tool written\n\nnote",
      "user later",
    ]);
    expect(actionsOf(bench).map(({ accepted }) => accepted.map(({ action }) => action.type))).toEqual([["append-result"], ["add-message"]]);
  });

  test("handlers of calls that run side by side are told one after the other, each of a session that holds what the one before stored", async () => {
    const seen: string[] = [];
    let inside = 0;
    const count = async (name: string): Promise<readonly Action[]> => {
      inside += 1;
      const stored = of(bench, "state").length;
      await flush();
      seen.push(`${name}: ${String(stored)} stored, ${String(inside)} inside`);
      inside -= 1;
      return [{ type: "set-state", scope: "session", key: "count", value: stored + 1 }];
    };
    const port = new RecordingPort({
      one: {
        "round-settled": async () => await count("round"),
        "tool-proposed": async () => await count("proposed"),
        "tool-settled": async () => await count("settled"),
      },
    });
    const bench = new Bench({ lifecycle: port });
    bench.mode = "auto";
    dispatching(bench);
    await bench.submit("a");
    await flush();
    bench.done(answer("", [write(), write()]));
    for (let at = 0; at < 12; at += 1) await flush();
    expect(seen.map((line) => line.replace(/^\w+: /u, ""))).toEqual([0, 1, 2, 3, 4].map((stored) => `${String(stored)} stored, 1 inside`));
    expect(of(bench, "state").at(-1)).toMatchObject({ value: 5 });
  });
});
