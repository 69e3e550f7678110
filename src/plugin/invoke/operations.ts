import { err, ok, type Result } from "../../base/index.js";
import type { EffectContext } from "../../effect/index.js";
import { type Diagnostic, isSdkOperation, type SdkOperation, type SdkOperations } from "../../schema/index.js";
import type { HostAnswer } from "../cell/index.js";
import { MAX_CALLS_PER_INVOCATION, MAX_QUESTIONS_PER_INVOCATION, TOOL_TEXT } from "../limits.js";
import { type GuestInput, hostErrorWords, OPERATION_INPUTS, readJson } from "../shape/index.js";
import type { StateContribution } from "../types.js";
import {
  answerTooLarge,
  badOperationInput,
  callStopped,
  tooManyOperations,
  tooManyQuestions,
  unknownOperation,
  unknownState,
} from "./diagnostics.js";
import type { InvocationDeps, Run } from "./run.js";

/** Serves one host operation. Everything that decides is made here or in the gateway; the guest names an operation and words an input. */
export async function answerOperation(deps: InvocationDeps, run: Run, operation: string, json: string): Promise<HostAnswer> {
  if (!isSdkOperation(operation)) return refuse(unknownOperation(operation));
  if (run.stopped !== undefined) return refuse(callStopped(operation));
  if (run.trace.count >= MAX_CALLS_PER_INVOCATION) return refuse(tooManyOperations());
  if (ASKING.has(operation) && run.questions >= MAX_QUESTIONS_PER_INVOCATION) return refuse(tooManyQuestions());
  const input = readOperation(operation, json, run.plan.states);
  if (!input.ok) return refuse(input.error);
  if (run.plan.record !== undefined) {
    await (run.recorded ??= run.plan.record());
    // A call that ended meanwhile starts nothing any more.
    if (!run.isLive || run.stopped !== undefined) return refuse(callStopped(operation));
  }
  return await perform(deps, run, operation, input.value);
}

export const hostFailure = (): HostAnswer =>
  refuse({
    code: "plugin.host-failed",
    what: "The host failed.",
    why: "A bug of the host ended this call.",
    next: "Nothing can be done from here.",
  });

/** An answer of the host as the guest gets it: a value, or the words of a refusal. */
export const hostAnswer = (result: Result<unknown, Diagnostic>): HostAnswer =>
  result.ok ? { isAnswer: true, json: JSON.stringify(result.value) } : refuse(result.error);

const refuse = (words: Pick<Diagnostic, "code" | "what" | "why" | "next">): HostAnswer => ({
  isAnswer: false,
  json: JSON.stringify(hostErrorWords(words)),
});

/** While one of these is open, a person thinks: that is not the plugin's time. */
const ASKING: ReadonlySet<SdkOperation> = new Set(["ui.ask", "ui.choose", "ui.confirm"]);

async function perform<Op extends SdkOperation>(
  deps: InvocationDeps,
  run: Run,
  operation: Op,
  input: SdkOperations[Op]["input"],
): Promise<HostAnswer> {
  const effect = run.trace.begin(operation);
  const context = effectContext(run, (id) => (effect.id = id));
  const isAsking = ASKING.has(operation);
  if (isAsking) run.questions += 1;
  if (isAsking) run.deadline.pause();
  try {
    const reply = await deps.effects.call(operation, input, context);
    run.trace.settle(effect, reply);
    const { result } = reply;
    if (!result.ok) return refuse(result.error);
    const text = JSON.stringify(result.value);
    return text.length > TOOL_TEXT.toGuest ? refuse(answerTooLarge(operation, text.length, TOOL_TEXT)) : { isAnswer: true, json: text };
  } catch (error) {
    run.trace.settle(effect, { outcome: "unknown" });
    throw error;
  } finally {
    if (isAsking) run.deadline.resume();
  }
}

function effectContext(run: Run, onIntent: NonNullable<EffectContext["onIntent"]>): EffectContext {
  return {
    ...run.plan.asker,
    signal: run.effectsOver.signal,
    images: run.images,
    onProgress: (text) => {
      if (run.isLive) run.plan.onProgress(text);
    },
    onIntent,
  };
}

/** The input of an operation as its facility takes it, whatever the guest worded. */
export function readOperation<Op extends SdkOperation>(
  operation: Op,
  json: string,
  states: readonly StateContribution[],
): Result<SdkOperations[Op]["input"], Diagnostic> {
  const read = readJson(OPERATION_INPUTS[operation], json, "input");
  return read.ok ? scoped(operation, read.value, states) : err(badOperationInput(operation, read.error));
}

const STATE: ReadonlySet<SdkOperation> = new Set(["state.get", "state.put", "state.delete"]);

/** A key's scope is what the manifest says; a guest cannot choose it. */
function scoped<Op extends SdkOperation>(
  operation: Op,
  input: GuestInput<Op>,
  states: readonly StateContribution[],
): Result<SdkOperations[Op]["input"], Diagnostic> {
  // Every other operation takes what its reader gives; for these three the scope is all that is missing.
  if (!STATE.has(operation)) return ok(input as SdkOperations[Op]["input"]);
  const { key } = input as GuestInput<"state.get">;
  const state = states.find((declared) => declared.key === key);
  if (state === undefined)
    return err(
      unknownState(
        key,
        states.map((declared) => declared.key),
      ),
    );
  return ok({ ...input, scope: state.scope });
}
