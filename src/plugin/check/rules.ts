import { err, type InvocationId, isJsonObject, ok, type Result } from "../../base/index.js";
import { ACTIONS_OF_EVENT, type Action, type Diagnostic, isSdkOperation, type LifecycleEventType } from "../../schema/index.js";
import type { GuestCall, HostAnswer } from "../cell/index.js";
import { createEmits, hostAnswer, readOperation, unknownOperation } from "../invoke/index.js";
import { type EventInBrief, judgeAlone } from "../lifecycle/index.js";
import { actions as actionList, list, object, oversized, type Reader, readShape, text } from "../shape/index.js";
import type { CompiledPlugin } from "../types.js";
import { badTestActions, noSuchEvent } from "./diagnostics.js";
import { missingFacility } from "./grants.js";

/** What a test of a package is held to; one for each test. */
export interface TestRules {
  /** Of a host operation: its input as the host reads it, or its refusal. Of {@link ACTIONS_CHECK}: nothing, or why a session refuses them. */
  readonly answer: NonNullable<GuestCall["answer"]>;
  readonly emit: NonNullable<GuestCall["emit"]>;
  /** What was wrong with what it said to people, in words. Whoever said it was not told. */
  readonly problems: readonly string[];
}

/** How the guest's `t.actions` asks the host. No context of a plugin has it. */
export const ACTIONS_CHECK = "test.actions";

const TEST_INVOCATION = "00000000-0000-7000-8000-000000000000" as InvocationId;

/** Rules of the manifest, by the same code that keeps a session to them. `others` are plugins whose tools there are, too. */
export function createTestRules(compiled: CompiledPlugin, others: readonly CompiledPlugin[]): TestRules {
  const problems: string[] = [];
  const emits = createEmits({ onDiagnostic: ({ what, next }) => problems.push(`${what} ${next}`) });
  const answer = (operation: string, json: string): HostAnswer => {
    if (operation === ACTIONS_CHECK) return judgeActions(compiled, others, json);
    if (!isSdkOperation(operation)) return hostAnswer(err(unknownOperation(operation)));
    const missing = missingFacility(compiled, operation);
    return hostAnswer(missing === undefined ? readOperation(operation, json, compiled.states) : err(missing));
  };
  return {
    answer: (operation, json) => Promise.resolve(answer(operation, json)),
    emit: emits.take({ plugin: compiled.id, cause: TEST_INVOCATION }, compiled.grants.ui),
    problems,
  };
}

function judgeActions(compiled: CompiledPlugin, others: readonly CompiledPlugin[], json: string): HostAnswer {
  // What the guest sends is JSON: it was made by its prelude.
  const asked: unknown = JSON.parse(json);
  const { event, actions } = isJsonObject(asked) ? asked : {};
  const trigger = readTrigger(compiled.id, event);
  if (!trigger.ok) return hostAnswer(trigger);
  const batch = readBatch(compiled.id, actions ?? null);
  if (!batch.ok) return hostAnswer(batch);
  const tools = [compiled, ...others.filter(({ id }) => id !== compiled.id)].flatMap((plugin) => plugin.tools);
  const problem = judgeAlone(
    { generation: { plugins: [{ compiled }], tools }, ...(trigger.value === "command" ? {} : { event: trigger.value }) },
    { plugin: compiled.id, invocation: TEST_INVOCATION, actions: batch.value },
  );
  return hostAnswer(problem === undefined ? ok({}) : err(problem));
}

function readBatch(plugin: string, value: unknown): Result<readonly Action[], Diagnostic> {
  const units = oversized(JSON.stringify(value));
  if (units !== undefined) return err(badTestActions(plugin, `they have ${units.toLocaleString("en")} characters of JSON`));
  const read = readShape(actionList, value, "actions");
  return read.ok ? read : err(badTestActions(plugin, read.error));
}

const isEventType = (type: unknown): type is LifecycleEventType =>
  typeof type === "string" && type !== "command" && Object.hasOwn(ACTIONS_OF_EVENT, type);

const queued: Reader<{ readonly submission: string }> = (value, path) => {
  const { submission } = isJsonObject(value) ? value : {};
  return object({ submission: text })({ submission: submission ?? null }, path);
};

/** What an event is about, whatever else is in it: a test may leave out what its handler does not look at. */
function readTrigger(plugin: string, value: unknown): Result<EventInBrief | "command", Diagnostic> {
  if (value === "command") return ok("command");
  const { type, call, queue } = isJsonObject(value) ? value : {};
  if (!isEventType(type)) return err(noSuchEvent(plugin, JSON.stringify(type ?? value ?? null)));
  const items = queue === undefined ? ok(undefined) : readShape(list(queued), queue, "event.queue");
  if (!items.ok) return err(badTestActions(plugin, items.error));
  return ok({
    type,
    ...(typeof call === "string" ? { call } : {}),
    ...(items.value === undefined ? {} : { queue: items.value }),
  });
}
