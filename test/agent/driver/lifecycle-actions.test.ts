import { describe, expect, test } from "vitest";
import type { Action, LifecycleEventType } from "../../../src/schema/index.js";
import { Bench, flush, id, partial } from "../driver-bench.js";
import { answer, outcome, toolCall } from "../fixtures.js";
import { actionsOf, nothing, of, watchRejections } from "./lifecycle-bench.js";
import { RecordingPort } from "./recording-port.js";

watchRejections();

describe("what handlers want", () => {
  const at = (event: LifecycleEventType, ...actions: readonly Action[]): RecordingPort => {
    let isSaid = false;
    const once = (): readonly Action[] => {
      if (isSaid) return [];
      isSaid = true;
      return actions;
    };
    return new RecordingPort({ "acme.one": { [event]: once } });
  };

  test("a message is a notice of the plugin, in one change with the record of it, before the request is made", async () => {
    const bench = new Bench({ lifecycle: at("turn-started", { type: "add-message", text: "mind the gap" }) });
    await bench.submit("a");
    await flush();
    expect(bench.round().call.messages).toEqual([
      { role: "user", text: "a" },
      { role: "user", text: "mind the gap" },
    ]);
    const [, notice] = of(bench, "user-message");
    expect(notice).toMatchObject({ source: "notice", plugin: "acme.one", text: "mind the gap" });
    const place = bench.committed.findIndex(({ type }) => type === "actions");
    expect(bench.committed.slice(place - 1, place + 2).map(({ type }) => type)).toEqual(["invocation", "actions", "user-message"]);
    expect(actionsOf(bench)[0]).toMatchObject({ trigger: "turn-started", generation: 7, refused: [] });
    expect(of(bench, "invocation")[0]).toMatchObject({ plugin: "acme.one", trigger: { type: "event", event: "turn-started" } });
  });

  test("state of session and branch is recorded as it is declared; state of project and user is left to the runtime", async () => {
    const set = (scope: "session" | "branch" | "project" | "user", key: string, value: string | null): Action => ({
      type: "set-state",
      scope,
      key,
      value,
    });
    const port = at(
      "turn-started",
      set("session", "declared", "v"),
      set("branch", "other", null),
      set("project", "p", "x"),
      set("user", "u", "y"),
    );
    const bench = new Bench({ lifecycle: port });
    await bench.submit("a");
    await flush();
    expect(of(bench, "state")).toMatchObject([
      { owner: "acme.one", key: "declared", version: 3, fork: "copy", operation: "put", value: "v" },
    ]);
    expect(of(bench, "branch-state")).toMatchObject([{ owner: "acme.one", key: "other", version: 1, fork: "fresh", operation: "delete" }]);
    expect(port.adopted.map(({ action }) => action)).toEqual([set("project", "p", "x"), set("user", "u", "y")]);
  });

  test("a transform shows one request otherwise and the next as the branch is", async () => {
    let target = "";
    const port = new RecordingPort({
      "acme.one": {
        "request-prepared": ({ round, context }) => {
          const [first] = context;
          target = first?.entry ?? "";
          return round > 1 || first === undefined
            ? []
            : [
                {
                  type: "transform-context",
                  transforms: [
                    { operation: "replace", target: first.entry, text: "short" },
                    { operation: "append", text: "now \ud800" },
                  ],
                },
              ];
        },
      },
    });
    const bench = new Bench({ lifecycle: port });
    await bench.submit("a long story");
    await flush();
    expect(bench.round().call.messages).toEqual([
      { role: "user", text: "short" },
      { role: "user", text: "now \ufffd" },
    ]);
    expect(of(bench, "request")[0]).toMatchObject({ messageCount: 2, transforms: [{ target, text: "short" }, { text: "now \ufffd" }] });
    bench.done(answer("", [toolCall("read")]));
    await flush();
    bench.tools[0]?.resolve(outcome("r"));
    await flush();
    expect(bench.round().call.messages[0]).toEqual({ role: "user", text: "a long story" });
    expect(of(bench, "request")[1]).not.toHaveProperty("transforms");
  });

  test.each<[string, Action]>([
    ["a model", { type: "set-model", model: "toy/toy-2" }],
    ["a level of thinking", { type: "set-thinking", level: "high" }],
    ["tools", { type: "set-tools", disable: ["write"] }],
    ["a section of the prompt", { type: "set-prompt", section: "s", text: "be better" }],
  ])("%s is adopted after the record, and the request is made with what the facts say then", async (_, action) => {
    const port = at("request-prepared", action);
    const bench = new Bench({ lifecycle: port });
    const seen: (readonly [number, boolean])[] = [];
    const before = bench.facts;
    bench.facts = async (signal) => {
      seen.push([port.adopted.length, bench.types().includes("actions")]);
      return await before(signal);
    };
    await bench.submit("a");
    await flush();
    expect(seen).toEqual([
      [0, false],
      [1, true],
    ]);
    expect(bench.rounds).toHaveLength(1);
  });

  test("a compaction is proposed to others, recorded, told, and is what the next request begins with", async () => {
    const port = new RecordingPort({
      "acme.one": {
        "request-prepared": ({ round, context }) => {
          const last = context.at(-2);
          return round === 2 && last !== undefined ? [{ type: "compact", firstKept: last.entry, summary: "we began" }] : [];
        },
        "compaction-settled": () => [{ type: "notify", text: "shorter" }],
      },
      "acme.two": { "compaction-proposed": nothing },
    });
    const bench = new Bench({ lifecycle: port });
    await bench.submit("a");
    await flush();
    bench.done(answer("look", [toolCall("read")]));
    await flush();
    bench.tools[0]?.resolve(outcome("r"));
    await flush();
    expect(port.types()).toEqual(["request-prepared", "request-prepared", "compaction-proposed", "compaction-settled"]);
    expect(port.event("compaction-proposed")).toMatchObject({ by: "acme.one", summary: "we began" });
    expect(bench.round().call.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(bench.round().call.messages[0]?.text).toContain("we began");
    expect(port.event("compaction-settled").tokensBefore).toBeGreaterThan(0);
    expect(port.adopted).toMatchObject([{ action: { type: "notify" } }]);
  });

  test("one that says no to a compaction refuses its whole batch, with both plugins named; the one who wants it cannot say no", async () => {
    const port = new RecordingPort({
      "acme.one": {
        "request-prepared": ({ round, context }) => {
          const last = context.at(-2);
          return round === 2 && last !== undefined
            ? [
                { type: "compact", firstKept: last.entry, summary: "we began" },
                { type: "add-message", text: "never" },
              ]
            : [];
        },
        "compaction-proposed": () => [{ type: "keep-context", why: "own" }],
      },
      "acme.two": { "compaction-proposed": () => [{ type: "keep-context", why: "I need it" }] },
    });
    const bench = new Bench({ lifecycle: port });
    await bench.submit("a");
    await flush();
    bench.done(answer("look", [toolCall("read")]));
    await flush();
    bench.tools[0]?.resolve(outcome("r"));
    await flush();
    expect(of(bench, "compaction")).toEqual([]);
    expect(of(bench, "user-message")).toHaveLength(1);
    const [said, refused] = actionsOf(bench);
    expect(said).toMatchObject({ trigger: "compaction-proposed", accepted: [{ plugin: "acme.one" }, { plugin: "acme.two" }] });
    expect(refused?.accepted).toEqual([]);
    expect(refused?.refused[0]?.error.what).toMatch(/acme\.one.*acme\.two.*I need it/u);
  });

  test("a turn is stopped at its safe point, after its batch, with the plugin's words", async () => {
    const bench = new Bench({ lifecycle: at("round-settled", { type: "stop-turn", why: "enough" }) });
    await bench.submit("a");
    await flush();
    bench.done(answer("", [toolCall("read")]));
    await flush();
    expect(bench.ends()).toEqual([]);
    bench.tools[0]?.resolve(outcome("r"));
    await bench.driver.idle();
    expect(bench.ends()).toEqual(["a limit/policy"]);
    expect(of(bench, "receipt")[0]).toMatchObject({ status: "limit", reason: "policy", error: { code: "agent.policy-stop" } });
    expect(of(bench, "tool-result")).toHaveLength(1);
  });

  test("a turn is stopped before its request", async () => {
    const bench = new Bench({ lifecycle: at("request-prepared", { type: "stop-turn", why: "enough" }) });
    await bench.submit("a");
    await bench.driver.idle();
    expect(bench.ends()).toEqual(["a limit/policy"]);
    expect(bench.rounds).toEqual([]);
  });

  test("input that a plugin enqueues while a turn runs is delivered into it as its own", async () => {
    const bench = new Bench({ lifecycle: at("round-settled", { type: "enqueue", text: "and tests?" }) });
    await bench.submit("a");
    await flush();
    bench.done(answer("A"));
    await flush();
    expect(bench.messages()).toEqual(["prompt a", "steer and tests?"]);
    expect(of(bench, "user-message")[1]).toMatchObject({ plugin: "acme.one" });
    expect(of(bench, "submission")[1]).toMatchObject({ plugin: "acme.one", delivery: "steer" });
    bench.done(answer("B"));
    await bench.driver.idle();
    expect(bench.ends()).toHaveLength(1);
  });

  test("queued input is delivered, kept back and taken back as handlers say", async () => {
    const port = new RecordingPort({
      "acme.one": {
        "queue-due": ({ queue }) => [
          { type: "deliver", submissions: queue.filter(({ text }) => text === "c").map(({ submission }) => submission) },
          ...queue.filter(({ text }) => text === "b").map(({ submission }): Action => ({ type: "withdraw", submission })),
        ],
      },
    });
    const bench = new Bench({ lifecycle: port });
    await bench.submit("a");
    await flush();
    await bench.submit("b");
    await bench.submit("c", "follow-up");
    await bench.submit("d");
    bench.done(answer("", [toolCall("read")]));
    await flush();
    bench.tools[0]?.resolve(outcome("r"));
    await flush();
    expect(bench.messages()).toEqual(["prompt a", "follow-up c"]);
    expect(bench.driver.state().queue.map(({ text }) => text)).toEqual(["d"]);
    expect(of(bench, "receipt")).toMatchObject([{ submission: "b", status: "aborted" }]);
    await bench.driver.stop("abort");
    bench.round().end({ type: "aborted", partial: partial("") });
    await bench.driver.idle();
  });

  test("a batch that cannot be carried out is recorded as refused, and nothing of it is done", async () => {
    const bench = new Bench({
      lifecycle: at("turn-started", { type: "add-message", text: "x" }, { type: "withdraw", submission: id("gone") }),
    });
    await bench.submit("a");
    await flush();
    expect(of(bench, "user-message")).toHaveLength(1);
    expect(actionsOf(bench)[0]).toMatchObject({ accepted: [], refused: [{ plugin: "acme.one", error: { code: "agent.action-queue" } }] });
  });

  test("what was possible when it was wanted and is not any more is refused when it would be carried out", async () => {
    let release: (() => void) | undefined;
    const port = new RecordingPort({
      "acme.one": {
        "round-settled": async () => {
          await new Promise<void>((resolve) => {
            release = resolve;
          });
          return [{ type: "withdraw", submission: id("b") }];
        },
      },
    });
    const bench = new Bench({ lifecycle: port });
    await bench.submit("a");
    await flush();
    await bench.submit("b");
    bench.done(answer("", [toolCall("read")]));
    await flush();
    release?.();
    await flush();
    expect(await bench.driver.withdraw(id("b"))).toBe(true);
    bench.tools[0]?.resolve(outcome("r"));
    await flush();
    expect(actionsOf(bench)[0]).toMatchObject({
      trigger: "round-settled",
      accepted: [],
      refused: [{ error: { code: "agent.action-queue" } }],
    });
  });
});
