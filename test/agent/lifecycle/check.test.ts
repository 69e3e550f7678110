import { describe, expect, test } from "vitest";
import type { CallId, EntryId, InvocationId, SubmissionId } from "../../../src/base/index.js";
import { batchesOf } from "../../../src/agent/boundary.js";
import { actionProblem, judged } from "../../../src/agent/lifecycle/index.js";
import type { Action, AttributedAction } from "../../../src/schema/index.js";
import { answer, toolCall, Walk } from "../fixtures.js";

const by = (action: Action, name = "one"): AttributedAction => ({ plugin: `acme.${name}`, invocation: name as InvocationId, action });

/** An input, an answer with two calls and their results, and input that waits. */
function talk(): Walk {
  const walk = new Walk();
  walk.submit("go").round(answer("look", [toolCall("one"), toolCall("two")]));
  walk.submit("later", "follow-up");
  return walk.settle("one").settle("two");
}

const problem = (walk: Walk, actions: readonly Action[], trigger: Parameters<typeof actionProblem>[1] = "request-prepared") =>
  actionProblem(
    walk.state,
    trigger,
    actions.map((action) => by(action)),
    [],
  )?.code;

const nowhere = "nowhere" as EntryId;

describe("what can be carried out", () => {
  test.each<[string, (walk: Walk) => readonly Action[]]>([
    ["a message", () => [{ type: "add-message", text: "x" }]],
    ["input that waits, taken back and delivered", () => [{ type: "withdraw", submission: "s-later" as SubmissionId }]],
    ["a delivery of nothing", () => [{ type: "deliver", submissions: [] }]],
    ["a result omitted, with its call", (walk) => [{ type: "edit-context", target: resultOf(walk), operation: "omit" }]],
    ["an answer omitted, with all of its calls", (walk) => [{ type: "edit-context", target: walk.entry("assistant"), operation: "omit" }]],
    ["a result replaced for one request", (walk) => [transform({ operation: "replace", target: resultOf(walk), text: "short" })]],
    ["an answer left out of one request", (walk) => [transform({ operation: "omit", target: walk.entry("assistant") })]],
    ["a summary up to an answer", (walk) => [{ type: "compact", firstKept: walk.entry("assistant"), summary: "s" }]],
    ["a verdict on a call", () => [{ type: "deny-tool", call: "call-one" as CallId, why: "w" }]],
  ])("%s", (_, wanted) => {
    const walk = talk();
    expect(problem(walk, wanted(walk))).toBeUndefined();
  });

  test.each<[string, string, (walk: Walk) => readonly Action[]]>([
    ["a message without words", "agent.action-text", () => [{ type: "add-message", text: " \n" }]],
    ["input without words", "agent.action-text", () => [{ type: "enqueue", text: "" }]],
    ["an appended message without words", "agent.action-text", () => [transform({ operation: "append", text: "" })]],
    ["input that does not wait", "agent.action-queue", () => [{ type: "withdraw", submission: "s-go" as SubmissionId }]],
    ["a delivery of what does not wait", "agent.action-queue", () => [{ type: "deliver", submissions: ["s-go" as SubmissionId] }]],
    ["an edit of what is not there", "agent.action-impossible", () => [{ type: "edit-context", target: nowhere, operation: "omit" }]],
    ["a transform of what is not there", "agent.action-impossible", () => [transform({ operation: "omit", target: nowhere })]],
    ["every input omitted", "agent.action-impossible", (walk) => [transform({ operation: "omit", target: walk.entry("user-message") })]],
    [
      "a summary of nothing",
      "agent.action-compaction",
      (walk) => [{ type: "compact", firstKept: walk.entry("user-message"), summary: "s" }],
    ],
    [
      "a summary without words",
      "agent.action-compaction",
      (walk) => [{ type: "compact", firstKept: walk.entry("assistant"), summary: "" }],
    ],
    ["a summary that splits a batch", "agent.action-compaction", (walk) => [{ type: "compact", firstKept: resultOf(walk), summary: "s" }]],
    ["a summary up to what is not there", "agent.action-compaction", () => [{ type: "compact", firstKept: nowhere, summary: "s" }]],
  ])("not %s", (_, code, wanted) => {
    const walk = talk();
    expect(problem(walk, wanted(walk))).toBe(code);
  });

  test("not a summary at once after one", () => {
    const walk = talk();
    const wanted: Action = { type: "compact", firstKept: walk.entry("assistant"), summary: "s" };
    expect(problem(walk, [wanted], "compaction-settled")).toBe("agent.action-compaction");
  });

  test("edits of several batches count together: the one that leaves no input is refused, those before it stay", () => {
    const walk = new Walk();
    walk.submit("a").round(answer("A")).submit("b").round(answer("B"));
    const omit = (target: EntryId): Action => ({ type: "edit-context", target, operation: "omit" });
    const said = (text: string): EntryId => walk.entry("user-message", text);
    const batches = [
      [by(omit(said("a")), "one"), by(omit(walk.entry("assistant", "A")), "one")],
      [by(omit(said("b")), "two")],
      [by({ type: "add-message", text: "x" }, "three")],
    ];
    const boundary = { trigger: "idle", generation: 1, refused: [], invocations: [], states: new Map() } as const;
    const came = judged(walk.state, { ...boundary, accepted: batches.flat() });
    expect(batchesOf(came.accepted).map(({ plugin }) => plugin)).toEqual(["acme.one", "acme.three"]);
    expect(came.refused).toMatchObject([{ plugin: "acme.two", error: { code: "agent.action-impossible" } }]);
  });
});

const resultOf = (walk: Walk): EntryId => walk.entry("tool-result", "one ok");
type Transform = Extract<Action, { readonly type: "transform-context" }>["transforms"][number];
const transform = (one: Transform): Action => ({ type: "transform-context", transforms: [one] });
