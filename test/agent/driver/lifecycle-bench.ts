import { afterEach, beforeAll, beforeEach, expect } from "vitest";
import type { Action, ActionsEntry, Entry, ToolDefinition } from "../../../src/schema/index.js";
import { createDispatcher, createRegistry, type ToolInvocation } from "../../../src/tool/index.js";
import { type Bench, flush, storageFault } from "../driver-bench.js";
import { toolCall } from "../fixtures.js";

/** For a file of tests: nothing is rejected without anybody hearing of it. */
export function watchRejections(): void {
  let unhandled: unknown[] = [];
  const note = (error: unknown): void => {
    unhandled.push(error);
  };
  beforeAll(async () => {
    // The dispatcher loads it at its first call: then everything that is ready has run after one flush.
    await import("@cfworker/json-schema");
  });
  beforeEach(() => {
    unhandled = [];
    process.on("unhandledRejection", note);
  });
  afterEach(async () => {
    await flush();
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });
}

export const nothing = (): readonly Action[] => [];
const tool = (name: string, readOnly = false): ToolDefinition => ({
  name,
  plugin: "toy",
  description: "d",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"], additionalProperties: false },
  readOnly,
  timeoutMs: 1000,
  summaryKeys: [],
});

/** A bench whose calls go through a real dispatcher to tools that return at once. */
export function dispatching(bench: Bench): readonly ToolInvocation[] {
  const ran: ToolInvocation[] = [];
  bench.dispatcher = createDispatcher(createRegistry([tool("write"), tool("read", true)]), {
    run: async (invocation) => {
      ran.push(invocation);
      return await Promise.resolve({ output: { text: "written", isError: false }, mutation: "applied", end: "returned" } as const);
    },
  });
  return ran;
}

export const actionsOf = (bench: Bench): readonly ActionsEntry[] =>
  bench.committed.filter((entry): entry is ActionsEntry => entry.type === "actions");
export const of = <Type extends Entry["type"]>(bench: Bench, type: Type): readonly Extract<Entry, { readonly type: Type }>[] =>
  bench.committed.filter((entry): entry is Extract<Entry, { readonly type: Type }> => entry.type === type);

export const settled = async (bench: Bench): Promise<void> => {
  await bench.driver.handled();
  await flush();
};

export const write = (): ReturnType<typeof toolCall> => toolCall("write", { path: "a" });

/** A bound of the session says no to a change. */
export const refusal = (): ReturnType<typeof storageFault> => {
  const fault = storageFault();
  return Object.assign(fault, { diagnostic: { ...fault.diagnostic, code: "session.limit" } });
};
