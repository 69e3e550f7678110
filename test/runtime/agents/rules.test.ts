import { describe, expect, test } from "vitest";
import type { EntryId, SubmissionId, WorkId } from "../../../src/base/index.js";
import { onOwnBranch } from "../../../src/runtime/session/agents/branch.js";
import { limitsLeft, roundsOf } from "../../../src/runtime/session/agents/limits.js";
import { toolbox } from "../../../src/runtime/session/agents/toolbox.js";
import type { Entry, ToolDefinition } from "../../../src/schema/index.js";

const [own, asking, child] = ["work-own", "work-asking", "work-child"] as unknown as readonly [WorkId, WorkId, WorkId];
const base = { id: "entry" as EntryId, time: 1 };
const submission = "submission" as SubmissionId;

describe("what a sub-agent records", () => {
  const admitted: readonly Entry[] = [
    { ...base, type: "submission", submission, work: own, delivery: "turn", text: "look" },
    { ...base, type: "work", work: own, state: "created" },
    { ...base, type: "user-message", submission, work: own, source: "prompt", text: "look" },
  ];

  test("is owned by the work that asks, is no prompt of a person and promises nobody a receipt", () => {
    expect(onOwnBranch(admitted, { plugin: "p", work: asking })).toEqual([
      { ...base, type: "work", work: own, state: "created", parentWork: asking },
      { ...base, type: "user-message", work: own, source: "follow-up", plugin: "p", text: "look" },
    ]);
  });

  test("keeps an owner it has, and has none where no work asks", () => {
    const owned: Entry = { ...base, type: "work", work: child, state: "created", parentWork: own };
    expect(onOwnBranch([owned], { plugin: "p", work: asking })).toEqual([owned]);
    expect(onOwnBranch(admitted.slice(1, 2), { plugin: "p", work: undefined })).toEqual(admitted.slice(1, 2));
    const settled: Entry = { ...base, type: "work", work: own, state: "settled" };
    expect(onOwnBranch([settled], { plugin: "p", work: asking })).toEqual([settled]);
  });
});

describe("the limits of a sub-agent", () => {
  test("are what the others of the run have left, without the deadline, which ends its asker", () => {
    const run = { stallThreshold: 3, maxTokens: 100, maxCostUsd: 2, deadlineMs: 5, maxRounds: 9 };
    const others = [{ usage: { inputTokens: 30, outputTokens: 10 }, cost: 0.5 }, { usage: { inputTokens: 20 } }];
    expect(limitsLeft(run, others, 25)).toEqual({ stallThreshold: 3, maxTokens: 40, maxCostUsd: 1.5, maxRounds: 25 });
    expect(limitsLeft(run, [{ usage: { inputTokens: 300 }, cost: 3 }], 25)).toMatchObject({ maxTokens: 0, maxCostUsd: 0 });
    expect(limitsLeft({ stallThreshold: 3 }, others, 25)).toEqual({ stallThreshold: 3, maxRounds: 25 });
  });

  test.each([
    [undefined, 25],
    [0, 1],
    [-4, 1],
    [7.9, 7],
    [1000, 50],
  ])("of %s rounds are %s", (wanted, rounds) => {
    expect(roundsOf(wanted)).toBe(rounds);
  });
});

describe("the tools of a sub-agent", () => {
  const tool = (name: string, readOnly: boolean, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
    ...{ name, readOnly, plugin: name, description: "", parameters: {}, timeoutMs: 1, summaryKeys: [] },
    ...more,
  });
  const offered = [
    tool("read", true),
    tool("write", false),
    tool("agent", true),
    tool("list-of-steps", true),
    tool("finder", true, { offer: "finder" }),
  ];
  const plugins = [{ compiled: { id: "list-of-steps", states: [{ scope: "branch" }] } }];
  const generation = { plugins } as unknown as Parameters<typeof toolbox>[1]["generation"];
  const facts = { offered, asking: "agent", mayAsk: true, generation };

  test("are the asker's, without the one that asks and what belongs to the session's branch", () => {
    expect(toolbox({}, facts)).toEqual({ ok: true, value: ["read", "write"] });
    expect(toolbox({ readOnly: true }, facts)).toEqual({ ok: true, value: ["read"] });
    expect(toolbox({ tools: [] }, facts)).toEqual({ ok: true, value: [] });
  });

  test("have the one that asks by name, as long as it can be of use", () => {
    expect(toolbox({ tools: ["agent", "read"] }, facts)).toEqual({ ok: true, value: ["read", "agent"] });
    expect(toolbox({ tools: ["agent", "read"] }, { ...facts, mayAsk: false })).toEqual({ ok: true, value: ["read"] });
  });

  test.each([
    [{ tools: ["nothing"] }, "agent.tools-unknown"],
    [{ tools: ["list-of-steps"] }, "agent.tools-unknown"],
    [{ tools: ["write"], readOnly: true }, "agent.tools-change"],
  ])("%j are refused with what to do instead", (input, code) => {
    expect(toolbox(input, facts)).toMatchObject({ ok: false, error: { code } });
  });
});
