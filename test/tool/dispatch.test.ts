import { describe, expect, test } from "vitest";
import type { CallId, InvocationId, JsonObject, WorkId } from "../../src/base/index.js";
import { loadArgumentValidator } from "../../src/tool/arguments.js";
import type { AccessMode, Action, AttributedAction, ToolCall, ToolDefinition } from "../../src/schema/index.js";
import {
  type Approval,
  createDispatcher,
  createRegistry,
  type DispatchOutcome,
  type ProposedCall,
  type ToolInvocation,
} from "../../src/tool/index.js";

const definition = (name: string, extra: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  plugin: "toy",
  description: "d",
  parameters: {
    type: "object",
    properties: { path: { type: "string" }, n: { type: "integer", minimum: 1 } },
    required: ["path"],
    additionalProperties: false,
  },
  readOnly: true,
  timeoutMs: 1000,
  summaryKeys: ["path"],
  ...extra,
});

const callOf = (name: string, argsText: string, args?: JsonObject): ToolCall => ({
  call: "c" as CallId,
  providerId: "p",
  name,
  argsText,
  ...(args === undefined ? {} : { args }),
});

/** As plugin/generation publishes what it has resolved. */
function freezeDeep<T extends object>(value: T): T {
  for (const inner of Object.values(value) as readonly unknown[]) if (typeof inner === "object" && inner !== null) freezeDeep(inner);
  return Object.freeze(value);
}

const by = (plugin: string, action: Action): AttributedAction => ({ plugin, invocation: plugin as InvocationId, action });

interface Setup {
  readonly mode?: AccessMode;
  /** What policies want; absent: there are none. */
  readonly policies?: readonly Action[];
  readonly approval?: Approval;
  readonly aborted?: boolean;
}

async function run(
  call: ToolCall,
  tools: readonly ToolDefinition[] = [definition("read"), definition("write", { readOnly: false })],
  setup: Setup = {},
) {
  const ran: ToolInvocation[] = [];
  const asked: string[] = [];
  const questions: object[] = [];
  const proposals: ProposedCall[] = [];
  const dispatcher = createDispatcher(createRegistry(tools), {
    run: async (invocation) => {
      ran.push(invocation);
      return await Promise.resolve({ output: { text: "ran", isError: false }, mutation: "applied", end: "returned" } as const);
    },
  });
  const outcome: DispatchOutcome = await dispatcher.dispatch({
    call,
    work: "w" as WorkId,
    cwd: "/w",
    mode: setup.mode ?? "auto",
    signal: setup.aborted === true ? AbortSignal.abort() : new AbortController().signal,
    onProgress: () => undefined,
    approve: async (tool, args, reason) => {
      asked.push(tool.name);
      questions.push({ args, ...reason });
      return await Promise.resolve(setup.approval ?? { allowed: true });
    },
    propose: (proposed) => {
      if (setup.policies === undefined) return undefined;
      proposals.push(proposed);
      return Promise.resolve(setup.policies.map((action, index) => by(`p${String(index)}`, action)));
    },
  });
  return { outcome, ran, asked, questions, proposals };
}

describe("dispatch", () => {
  test("valid arguments reach the tool", async () => {
    const { outcome, ran } = await run(callOf("read", '{"path":"a"}', { path: "a" }));
    expect(outcome).toMatchObject({ refused: false, output: { text: "ran" } });
    expect(ran).toMatchObject([{ args: { path: "a" }, tool: { name: "read" } }]);
  });

  test.each([
    [
      "an unknown tool names the nearest and all there are",
      callOf("raed", "{}", {}),
      /Unknown tool "raed"\. Did you mean read\? Available tools: read, write\./,
    ],
    ["cut JSON is quoted back with the parser's words", callOf("read", '{"path": "a'), /not a JSON object \(.+\).*Received: \{"path": "a/s],
    ["an array is no object", callOf("read", "[1]"), /it is an array/],
    ["two objects are no object", callOf("read", "{} {}"), /not a JSON object/],
    ["a missing field is named", callOf("read", "{}", {}), /Invalid arguments for read.*path.*Required: path/s],
    ["a wrong type names its place", callOf("read", '{"path":"a","n":"x"}', { path: "a", n: "x" }), /n: .*integer/],
    ["a bound is checked", callOf("read", '{"path":"a","n":0}', { path: "a", n: 0 }), /n: /],
    ["an unknown field is named", callOf("read", '{"path":"a","pth":1}', { path: "a", pth: 1 }), /pth/],
  ])("%s, and nothing runs", async (_, call, message) => {
    const { outcome, ran } = await run(call);
    expect(ran).toEqual([]);
    expect(outcome).toMatchObject({ refused: true, output: { isError: true }, settlement: { mutation: "not-applied" } });
    expect(outcome.output.text).toMatch(message);
  });

  test("what is missing and what is not known are told together, as sentences", async () => {
    const { outcome } = await run(callOf("read", '{"pth":"a"}', { pth: "a" }));
    expect(outcome.output.text).toBe(
      'Invalid arguments for read, so it was not run: "path" is missing; there is no "pth". Required: path.',
    );
    const nested = definition("read", {
      parameters: {
        type: "object",
        properties: { o: { type: "object", properties: { n: { type: "integer" } }, required: ["n"], additionalProperties: false } },
      },
    });
    const inner = await run(callOf("read", '{"o":{"m":1}}', { o: { m: 1 } }), [nested]);
    expect(inner.outcome.output.text).toContain('o: "n" is missing; o: there is no "m".');
  });

  test("the definitions of a generation are frozen, and arguments are checked against them all the same", async () => {
    const { outcome, ran } = await run(callOf("read", '{"path":1}', { path: 1 }), [freezeDeep(definition("read"))]);
    expect(ran).toEqual([]);
    expect(outcome.output.text).toMatch(/Invalid arguments for read.*path: /);
  });

  test("a schema that does not compile lets the arguments pass", async () => {
    const bad = definition("read", { parameters: { type: "object", properties: { path: { type: "string", pattern: "[" } } } });
    const { ran } = await run(callOf("read", '{"path":"a"}', { path: "a" }), [bad]);
    expect(ran).toHaveLength(1);
  });

  test("a schema whose pattern would backtrack for years lets the arguments pass, and is asked no second time", async () => {
    const slow = definition("read", { parameters: { type: "object", properties: { path: { type: "string", pattern: "^(a+)+$" } } } });
    const validate = await loadArgumentValidator();
    expect(validate(slow, { path: 1 }).ok).toBe(false);
    expect(validate(slow, { path: `${"a".repeat(60)}!` }).ok).toBe(true);
    expect(validate(slow, { path: 1 }).ok).toBe(true);
    expect(validate(definition("read"), { path: 1 }).ok).toBe(false);
  });

  test.each([
    ["auto", "write", undefined, 1, []],
    ["ask-writes", "read", undefined, 1, []],
    ["ask-writes", "write", { allowed: true }, 1, ["write"]],
    ["ask-writes", "write", { allowed: false, why: "the user declined it" }, 0, ["write"]],
    ["read-only", "write", undefined, 0, []],
    ["plan", "write", undefined, 0, []],
    ["plan", "read", undefined, 1, []],
  ] as const)("in mode %s a call of %s with answer %o runs %i times", async (...[mode, name, approval, times, asks]) => {
    const { ran, asked } = await run(callOf(name, '{"path":"a"}', { path: "a" }), undefined, {
      mode,
      ...(approval === undefined ? {} : { approval }),
    });
    expect(ran).toHaveLength(times);
    expect(asked).toEqual(asks);
  });

  test("a call of an aborted turn does not start", async () => {
    const { outcome, ran } = await run(callOf("read", '{"path":"a"}', { path: "a" }), undefined, { aborted: true });
    expect(ran).toEqual([]);
    expect(outcome.settlement.end).toBe("aborted");
  });

  describe("with policies", () => {
    const call = "c" as CallId;
    const write = callOf("write", '{"path":"a"}', { path: "a" });
    const deny: Action = { type: "deny-tool", call, why: "no." };
    const ask: Action = { type: "ask-tool", call, why: "It writes.", rule: "write *" };
    const allow: Action = { type: "allow-tool", call };

    test.each<[AccessMode, string, readonly Action[], number, number]>([
      ["ask-writes", "allow is not asked about", [allow], 1, 0],
      ["ask-writes", "no word leaves it to the mode", [], 1, 1],
      ["auto", "no word leaves it to the mode", [], 1, 0],
      ["auto", "ask is asked about", [ask], 1, 1],
      ["auto", "ask counts over allow", [allow, ask, allow], 1, 1],
      ["auto", "deny counts over ask and allow", [allow, ask, deny], 0, 0],
      ["auto", "words on another call count for nothing", [{ ...deny, call: "other" as CallId }], 1, 0],
      ["read-only", "allow does not change the mode", [allow], 0, 0],
      ["plan", "allow does not change the mode", [allow], 0, 0],
    ])("in mode %s %s", async (...[mode, , policies, runs, asks]) => {
      const { ran, asked } = await run(write, undefined, { mode, policies });
      expect([ran.length, asked.length]).toEqual([runs, asks]);
    });

    test("a tool that changes nothing is asked about when a policy wants it", async () => {
      const { asked } = await run(callOf("read", '{"path":"a"}', { path: "a" }), undefined, { mode: "plan", policies: [ask] });
      expect(asked).toEqual(["read"]);
    });

    test("all reasons, with who says each, and the rule are put to the person, with the arguments that would run", async () => {
      const policies: readonly Action[] = [
        { type: "ask-tool", call, why: "First." },
        { type: "ask-tool", call, why: "Second.", rule: "two" },
        { type: "ask-tool", call, rule: "two" },
        { type: "rewrite-tool", call, args: { path: "b" } },
      ];
      const { questions, ran, outcome } = await run(write, undefined, { policies });
      expect(questions).toEqual([{ args: { path: "b" }, plugin: "p1", why: "p0: First. p1: Second.", rule: "two" }]);
      expect(ran).toMatchObject([{ args: { path: "b" } }]);
      expect(outcome.args).toEqual({ path: "b" });
    });

    test("where they have rules of their own, none is offered: the answer of a person would mean another thing to each", async () => {
      const policies: readonly Action[] = [
        { type: "ask-tool", call, rule: "anything" },
        { type: "ask-tool", call, rule: "write(a)" },
      ];
      expect((await run(write, undefined, { policies })).questions).toEqual([{ args: { path: "a" }, plugin: "p0" }]);
    });

    test("they hear only calls with valid arguments that the mode allows, and can check others", async () => {
      expect((await run(callOf("write", "{}", {}), undefined, { policies: [] })).proposals).toEqual([]);
      expect((await run(write, undefined, { policies: [], mode: "plan" })).proposals).toEqual([]);
      const [proposed] = (await run(write, undefined, { policies: [] })).proposals;
      expect(proposed?.validate({ path: "b" }).ok).toBe(true);
      expect(proposed?.validate({ path: 1 })).toEqual({ ok: false, error: [expect.stringContaining("path")] });
    });

    test("a denial says why and who decided", async () => {
      const { outcome } = await run(write, undefined, { policies: [deny] });
      expect(outcome).toMatchObject({ refused: true, output: { isError: true, text: "Not run: no. (decided by p0)" } });
    });
  });
});
