import { describe, expect, test } from "vitest";
import { type CallId, err, type InvocationId, type JsonObject, ok, type SubmissionId, type WorkId } from "../../../src/base/index.js";
import { createLifecycle, judgeCommand } from "../../../src/plugin/lifecycle/index.js";
import type { CompiledPlugin, HandlerCall, HandlerContribution, LifecycleRun } from "../../../src/plugin/types.js";
import type { Action, Boundary, LifecycleEvent } from "../../../src/schema/index.js";
import { diagnostic } from "../../../src/schema/index.js";
import { type Answer, depsOf, generationOf, generous, handlerOf, leaseOf, pluginOf, type Told } from "./generations.js";

type Proposed = Extract<LifecycleEvent, { type: "tool-proposed" }>;

const call = "call-1" as CallId;
const work = "work-1" as WorkId;
const proposed: Proposed = {
  type: "tool-proposed",
  work,
  call,
  tool: "alpha",
  plugin: "a.tools",
  readOnly: false,
  args: { path: "x" },
  cwd: "/work",
  mode: "ask-writes",
  interactive: true,
};
const threw = diagnostic({ code: "plugin.threw", what: "It threw.", why: "A bug.", next: "Repair it." });
const wants =
  (...actions: readonly Action[]): Answer =>
  () =>
    ok(actions);

interface Setting {
  readonly plugins?: readonly CompiledPlugin[];
  readonly handlers: readonly HandlerContribution[];
  readonly answers: { readonly [plugin: string]: Answer };
  readonly event?: LifecycleEvent;
  readonly run?: Partial<LifecycleRun>;
}

async function run({ plugins, handlers, answers, event = proposed, run: over = {} }: Setting): Promise<{ boundary: Boundary } & Told> {
  const told = depsOf();
  const known = plugins ?? [...new Set(handlers.map(({ plugin }) => plugin))].map(generous);
  const lease = leaseOf(generationOf(known, handlers), answers);
  const options: LifecycleRun = { work, signal: new AbortController().signal, check: () => undefined, ...over };
  return { boundary: await createLifecycle(told.deps).run(lease, event, options), ...told };
}

/** What one handler of the event may have, as the whole boundary. */
const answering = async (event: LifecycleEvent, action: Action, plugin = generous("a.one")): Promise<Boundary> =>
  (await run({ plugins: [plugin], handlers: [handlerOf("a.one", { event: event.type })], answers: { "a.one": wants(action) }, event }))
    .boundary;

const codes = ({ refused }: Boundary): readonly string[] => refused.map(({ error }) => error.code);

describe("links in the arguments of a proposed call", () => {
  test("are told with the call, and again of arguments that another handler gave", async () => {
    const seen: unknown[] = [];
    const told = depsOf();
    const handlers = [handlerOf("a.one", { event: "tool-proposed" }), handlerOf("b.two", { event: "tool-proposed" })];
    const lease = leaseOf(generationOf(["a.one", "b.two"].map(generous), handlers), {
      "a.one": ({ event }) => {
        if (event.type === "tool-proposed") seen.push([event.args, event.links]);
        return ok([]);
      },
      "b.two": wants({ type: "rewrite-tool", call, args: { path: "link" } }),
    });
    const linksOf = async ({ path }: JsonObject) => (path === "link" ? [{ path: "link", real: "/etc/passwd" }] : []);
    const options: LifecycleRun = { work, signal: new AbortController().signal, check: () => undefined };
    await createLifecycle({ ...told.deps, linksOf }).run(lease, proposed, options);
    expect(seen).toEqual([
      [{ path: "x" }, undefined],
      [{ path: "link" }, [{ path: "link", real: "/etc/passwd" }]],
    ]);
  });
});

describe("handlers", () => {
  test("run one after the other in the generation's order", async () => {
    const log: string[] = [];
    const slow: Answer = async ({ plugin }) => {
      log.push(`begin ${plugin}`);
      await Promise.resolve();
      log.push(`end ${plugin}`);
      return ok([]);
    };
    await run({ handlers: [handlerOf("b.two"), handlerOf("a.one")], answers: { "a.one": slow, "b.two": slow } });
    expect(log).toEqual(["begin b.two", "end b.two", "begin a.one", "end a.one"]);
  });

  test("are told the event, the work, the workspace and the state they declared, and nothing of another plugin", async () => {
    const calls: HandlerCall[] = [];
    const { records } = await run({
      handlers: [handlerOf("a.one", { state: ["one"] }), handlerOf("b.two")],
      answers: {
        "a.one": async (given) => {
          calls.push(given);
          await given.record();
          await given.record();
          return ok([]);
        },
        "b.two": (given) => {
          calls.push(given);
          return ok([]);
        },
      },
    });
    expect(calls.map(({ plugin, event, state, cwd, work: of }) => ({ plugin, event, state, cwd, of }))).toEqual([
      { plugin: "a.one", event: proposed, state: { one: "a.one/one" }, cwd: "/work", of: work },
      { plugin: "b.two", event: proposed, state: {}, cwd: "/work", of: work },
    ]);
    expect(records).toEqual([{ invocation: calls[0]?.invocation, plugin: "a.one", generation: 3, work, event: "tool-proposed" }]);
  });

  test("cannot change the event for one another or for whoever told it", async () => {
    const seen: unknown[] = [];
    await run({
      handlers: [handlerOf("a.one"), handlerOf("b.two")],
      answers: {
        "a.one": ({ event }) => {
          expect(() => Object.assign(event.type === "tool-proposed" ? event.args : {}, { path: "/etc" })).toThrow(TypeError);
          return ok([]);
        },
        "b.two": ({ event }) => {
          seen.push(event);
          return ok([]);
        },
      },
    });
    expect(seen).toEqual([proposed]);
    expect(Object.isFrozen(proposed)).toBe(false);
  });

  test.each([
    ["of another event", handlerOf("a.one", { event: "idle" })],
    ["of other tools", handlerOf("a.one", { tools: ["beta"] })],
  ])("%s are not told", async (_name, handler) => {
    const { boundary } = await run({ handlers: [handler], answers: { "a.one": wants({ type: "deny-tool", call, why: "no" }) } });
    expect(boundary).toEqual({ accepted: [], refused: [] });
    const lifecycle = createLifecycle(depsOf().deps);
    expect(lifecycle.listens(generationOf([], [handler]), "tool-proposed", "alpha")).toBe(false);
  });

  test("are listening where one of them takes the event and the tool", () => {
    const lifecycle = createLifecycle(depsOf().deps);
    const generation = generationOf([], [handlerOf("a.one", { tools: ["beta"] }), handlerOf("a.one", { event: "idle" })]);
    expect([
      lifecycle.listens(generation, "tool-proposed", "beta"),
      lifecycle.listens(generation, "tool-proposed", "alpha"),
      lifecycle.listens(generation, "idle"),
      lifecycle.listens(generation, "closing"),
    ]).toEqual([true, false, true, false]);
  });

  test("of one plugin alone are told where the event is for it", async () => {
    const event: LifecycleEvent = { type: "permission-answered", call, tool: "alpha", verdict: "once", rule: "r" };
    const notify = wants({ type: "notify", text: "x" });
    const { boundary } = await run({
      handlers: [handlerOf("a.one", { event: event.type }), handlerOf("b.two", { event: event.type })],
      answers: { "a.one": notify, "b.two": notify },
      event,
      run: { only: "b.two" },
    });
    expect(boundary.accepted.map(({ plugin }) => plugin)).toEqual(["b.two"]);
  });

  test("want nothing once the run is aborted, and no further one is told", async () => {
    const abort = new AbortController();
    const told: string[] = [];
    const { boundary } = await run({
      handlers: [handlerOf("a.one", { required: true }), handlerOf("b.two")],
      answers: {
        "a.one": ({ plugin }) => {
          told.push(plugin);
          abort.abort();
          return err(threw);
        },
        "b.two": ({ plugin }) => {
          told.push(plugin);
          return ok([]);
        },
      },
      run: { signal: abort.signal },
    });
    expect({ told, boundary }).toEqual({ told: ["a.one"], boundary: { accepted: [], refused: [] } });
  });
});

describe("a handler that fails", () => {
  test("is a refused batch with its diagnostic; the others are told all the same", async () => {
    const { boundary, diagnostics } = await run({
      handlers: [handlerOf("a.one"), handlerOf("b.two")],
      answers: { "a.one": () => err(threw), "b.two": wants({ type: "allow-tool", call }) },
    });
    expect(boundary).toMatchObject({ accepted: [{ plugin: "b.two" }], refused: [{ plugin: "a.one", error: threw }] });
    expect(diagnostics).toEqual([threw]);
  });

  test.each<[string, Answer]>([
    ["could not answer", () => err(threw)],
    ["wanted what it may not", wants({ type: "set-model", model: "x" })],
    ["spoke of another call", wants({ type: "allow-tool", call: "call-2" as CallId })],
  ])("and is required denies the call, visibly and in its own name, when it %s", async (_name, answer) => {
    const { boundary } = await run({ handlers: [handlerOf("a.one", { required: true })], answers: { "a.one": answer } });
    expect(boundary).toMatchObject({
      accepted: [{ plugin: "a.one", action: { type: "deny-tool", call } }],
      refused: [{ plugin: "a.one" }],
    });
    expect(boundary.accepted[0]?.action).toHaveProperty("why", expect.stringContaining("a.one"));
  });

  test("and is required tells the model when the arguments are what it could not take", async () => {
    const tooLarge = { ...threw, code: "plugin.input-size", why: "One message to a plugin may have 4,194,304." };
    const { boundary } = await run({ handlers: [handlerOf("a.one", { required: true })], answers: { "a.one": () => err(tooLarge) } });
    expect(boundary.accepted[0]?.action).toHaveProperty(
      "why",
      expect.stringContaining("too large for it. One message to a plugin may have 4,194,304. Do it in several smaller calls."),
    );
  });

  test("and is required denies nothing of an event that is no call", async () => {
    const { boundary } = await run({
      handlers: [handlerOf("a.one", { event: "idle", required: true })],
      answers: { "a.one": () => err(threw) },
      event: { type: "idle" },
    });
    expect(boundary.accepted).toEqual([]);
  });
});

describe("what a batch may hold", () => {
  const idle: LifecycleEvent = { type: "idle" };

  test.each<[string, LifecycleEvent, Action, string]>([
    ["an action its event does not take", proposed, { type: "add-message", text: "x" }, "plugin.action-not-here"],
    ["a verdict about another call", proposed, { type: "deny-tool", call: "other" as CallId, why: "x" }, "plugin.action-target"],
    ["state that is not declared", idle, { type: "set-state", scope: "session", key: "three", value: 1 }, "plugin.action-state"],
    ["state of another scope", idle, { type: "set-state", scope: "project", key: "one", value: 1 }, "plugin.action-state"],
    ["state over its bound", idle, { type: "set-state", scope: "session", key: "one", value: "é".repeat(60) }, "plugin.action-state-size"],
    ["an option of another", idle, { type: "set-config", option: "b.two.level", value: 1 }, "plugin.action-option"],
    ["an option out of its bounds", idle, { type: "set-config", option: "a.one.level", value: 10 }, "plugin.action-option-value"],
    ["an option of another type", idle, { type: "set-config", option: "a.one.level", value: "9" }, "plugin.action-option-value"],
    ["a tool nobody has", idle, { type: "set-tools", disable: ["gamma"] }, "plugin.action-target"],
  ])("not %s", async (_name, event, action, code) => {
    const boundary = await answering(event, action);
    expect({ accepted: boundary.accepted, codes: codes(boundary) }).toEqual({ accepted: [], codes: [code] });
  });

  test.each<[string, LifecycleEvent, Action]>([
    ["declared state", idle, { type: "set-state", scope: "session", key: "one", value: { a: 1 } }],
    ["state taken away", idle, { type: "set-state", scope: "session", key: "two", value: null }],
    ["an option of its own", idle, { type: "set-config", option: "a.one.level", value: 9 }],
    ["a notice", idle, { type: "notify", text: "x" }],
    ["a status item", idle, { type: "set-status", key: "k", text: "x" }],
    ["tools there are", idle, { type: "set-tools", enable: ["alpha"], disable: ["beta"] }],
    ["a verdict about the call", proposed, { type: "ask-tool", call }],
  ])("%s", async (_name, event, action) => {
    expect(await answering(event, action)).toMatchObject({ accepted: [{ action }], refused: [] });
  });

  test.each<Action>([
    { type: "notify", text: "x" },
    { type: "set-status", key: "k", text: "x" },
  ])("not $type without the grant", async (action) => {
    expect(codes(await answering(idle, action, pluginOf("a.one")))).toEqual(["plugin.action-grant"]);
  });

  test("not a secret option, not even its own", async () => {
    const plugin = pluginOf("a.one", {
      options: [{ name: "key", plugin: "a.one", type: "string", help: "A key", secret: true }],
    });
    expect(codes(await answering(idle, { type: "set-config", option: "key", value: "x" }, plugin))).toEqual(["plugin.action-option"]);
  });

  test.each<["string" | "boolean" | "number" | "string[]", Action & { type: "set-config" }, boolean]>([
    ["string", { type: "set-config", option: "o", value: "a" }, true],
    ["string", { type: "set-config", option: "o", value: "z" }, false],
    ["string[]", { type: "set-config", option: "o", value: ["a", "b"] }, true],
    ["string[]", { type: "set-config", option: "o", value: ["a", 1] }, false],
    ["number", { type: "set-config", option: "o", value: 0.5 }, true],
    ["boolean", { type: "set-config", option: "o", value: true }, true],
    ["boolean", { type: "set-config", option: "o", value: null }, false],
  ])("an option of the type %s is given %j: %s", async (type, action, taken) => {
    const words = type === "string" || type === "string[]" ? { enum: ["a", "b"] } : {};
    const plugin = pluginOf("a.one", { options: [{ name: "o", plugin: "a.one", type, help: "An option", secret: false, ...words }] });
    expect((await answering(idle, action, plugin)).accepted).toHaveLength(taken ? 1 : 0);
  });

  test("only waiting input is delivered", async () => {
    const queue = [{ submission: "s-1" as SubmissionId, delivery: "steer" as const, text: "x" }];
    const event: LifecycleEvent = { type: "queue-due", work, point: "batch", queue };
    const deliver = async (id: string) => answering(event, { type: "deliver", submissions: [id as SubmissionId] });
    expect([codes(await deliver("s-1")), codes(await deliver("s-2"))]).toEqual([[], ["plugin.action-target"]]);
  });
});

describe("a call whose arguments a handler changes", () => {
  const rewrite: Action = { type: "rewrite-tool", call, args: { path: "y" } };
  /** Says no to a path, as it is told it. */
  const no =
    (path: string, seen: unknown[] = []): Answer =>
    ({ event }) => {
      const args = event.type === "tool-proposed" ? event.args : {};
      seen.push(args["path"]);
      return ok([args["path"] === path ? { type: "deny-tool", call, why: path } : { type: "allow-tool", call }]);
    };

  test("is told again to all others, so that a policy judges what really runs", async () => {
    const seen: unknown[] = [];
    const { boundary } = await run({
      handlers: [handlerOf("a.policy"), handlerOf("b.rewriter", { order: 10 })],
      answers: { "a.policy": no("y", seen), "b.rewriter": wants(rewrite) },
    });
    expect(seen).toEqual(["x", "y"]);
    expect(boundary.accepted.map(({ plugin, action }) => [plugin, action.type])).toEqual([
      ["b.rewriter", "rewrite-tool"],
      ["a.policy", "deny-tool"],
    ]);
  });

  test("is not told again when it is denied as it is", async () => {
    const seen: unknown[] = [];
    await run({
      handlers: [handlerOf("a.policy"), handlerOf("b.rewriter")],
      answers: { "a.policy": no("x", seen), "b.rewriter": wants(rewrite) },
    });
    expect(seen).toEqual(["x"]);
  });

  test("is changed once: whoever wants it different then is refused", async () => {
    const { boundary } = await run({
      handlers: [handlerOf("a.one"), handlerOf("b.two")],
      answers: { "a.one": wants(rewrite), "b.two": wants({ ...rewrite, args: { path: "z" } }) },
    });
    expect(boundary.accepted).toMatchObject([{ plugin: "a.one", action: rewrite }]);
    expect(codes(boundary)).toEqual(["plugin.action-conflict"]);
  });

  test("is denied when a required handler cannot judge it again", async () => {
    let asked = 0;
    const { boundary } = await run({
      handlers: [handlerOf("a.policy", { required: true }), handlerOf("b.rewriter")],
      answers: {
        "a.policy": () => {
          asked += 1;
          return asked === 1 ? ok([{ type: "allow-tool", call }]) : err(threw);
        },
        "b.rewriter": wants(rewrite),
      },
    });
    expect(boundary.accepted.map(({ action }) => action.type)).toEqual(["rewrite-tool", "deny-tool"]);
  });
});

describe("a command", () => {
  const command = (actions: readonly Action[], check: Parameters<typeof judgeCommand>[1] = () => undefined): Boundary =>
    judgeCommand({ generation: generationOf([generous("a.one")]), plugin: "a.one", invocation: "i" as InvocationId, actions }, check);

  test("is judged by the same rules", () => {
    expect(command([{ type: "enqueue", text: "x" }]).accepted).toHaveLength(1);
    expect(
      codes(
        command([
          { type: "enqueue", text: "x" },
          { type: "deny-tool", call, why: "x" },
        ]),
      ),
    ).toEqual(["plugin.action-not-here"]);
    expect(codes(command([{ type: "notify", text: "x" }], () => threw))).toEqual(["plugin.threw"]);
  });
});
