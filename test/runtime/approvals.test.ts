import { describe, expect, test } from "vitest";
import type { CallId, EntryId, WorkId } from "../../src/base/index.js";
import { type Approvals, createApprovals } from "../../src/runtime/session/approvals.js";
import type { ToolCallEntry, ToolDefinition } from "../../src/schema/index.js";

const tool = (name: string): ToolDefinition => ({
  name,
  plugin: "t",
  description: "",
  parameters: {},
  readOnly: false,
  timeoutMs: 1,
  summaryKeys: [],
});
const call = (id: string): ToolCallEntry => ({
  type: "tool-call",
  id: id as EntryId,
  time: 1,
  work: "w" as WorkId,
  call: id as CallId,
  ordinal: 0,
  name: "write",
  providerId: id,
  argsText: "{}",
  args: {},
});
const open = new AbortController().signal;

function setup(interactive = true): { readonly approvals: Approvals; readonly log: string[] } {
  const log: string[] = [];
  const approvals = createApprovals({
    interactive,
    onAsk: (pending) => log.push(`ask ${pending.call.call}`),
    onSettled: (pending, allowed) => log.push(`${allowed ? "allow" : "deny"} ${pending.call.call}`),
  });
  return { approvals, log };
}

describe("approvals", () => {
  test("questions are asked one at a time, in order", async () => {
    const { approvals, log } = setup();
    const first = approvals.ask(call("1"), tool("write"), open);
    const second = approvals.ask(call("2"), tool("shell"), open);
    expect(log).toEqual(["ask 1"]);
    approvals.answer("1" as CallId, "once");
    expect(await first).toEqual({ allowed: true });
    approvals.answer("2" as CallId, "deny");
    expect(await second).toMatchObject({ allowed: false, why: expect.stringContaining("declined") as string });
    expect(log).toEqual(["ask 1", "allow 1", "ask 2", "deny 2"]);
  });

  test("an answer for the session stands for later calls of the tool, and for those that wait", async () => {
    const { approvals, log } = setup();
    const first = approvals.ask(call("1"), tool("write"), open);
    const waiting = approvals.ask(call("2"), tool("write"), open);
    approvals.answer("1" as CallId, "session");
    expect(await first).toEqual({ allowed: true });
    expect(await waiting).toEqual({ allowed: true });
    expect(await approvals.ask(call("3"), tool("write"), open)).toEqual({ allowed: true });
    expect(log.filter((line) => line === "ask 3")).toEqual([]);
  });

  test("an aborted turn takes its questions back", async () => {
    const { approvals, log } = setup();
    const turn = new AbortController();
    const first = approvals.ask(call("1"), tool("write"), turn.signal);
    const second = approvals.ask(call("2"), tool("write"), turn.signal);
    turn.abort();
    expect(await Promise.all([first, second])).toMatchObject([{ allowed: false }, { allowed: false }]);
    expect(log.at(-1)).toMatch(/^deny/);
  });

  test("nobody to ask is a refusal that names the way out", async () => {
    const { approvals, log } = setup(false);
    expect(await approvals.ask(call("1"), tool("write"), open)).toMatchObject({
      allowed: false,
      why: expect.stringContaining("--mode auto") as string,
    });
    expect(log).toEqual([]);
  });
});
