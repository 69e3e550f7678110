import { describe, expect, test } from "vitest";
import type { CallId, JsonObject, WorkId } from "../../src/base/index.js";
import type { AccessMode, ToolCall, ToolDefinition } from "../../src/schema/index.js";
import { type Approval, createDispatcher, createRegistry, type DispatchOutcome, type ToolInvocation } from "../../src/tool/index.js";

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

interface Setup {
  readonly mode?: AccessMode;
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
    approve: async (tool) => {
      asked.push(tool.name);
      return await Promise.resolve(setup.approval ?? { allowed: true });
    },
  });
  return { outcome, ran, asked };
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

  test("a schema that does not compile lets the arguments pass", async () => {
    const bad = definition("read", { parameters: { type: "object", properties: { path: { type: "string", pattern: "[" } } } });
    const { ran } = await run(callOf("read", '{"path":"a"}', { path: "a" }), [bad]);
    expect(ran).toHaveLength(1);
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
});
