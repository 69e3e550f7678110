import type { Clock } from "../base/index.js";
import type { EffectContext, EffectGateway } from "../effect/index.js";
import { type Diagnostic, isSdkOperation, type SdkOperation, type ToolOutput } from "../schema/index.js";
import type { ToolInvocation, ToolRunner, ToolSettlement } from "../tool/index.js";
import type { Cell, GuestEnd, HostAnswer } from "./cell/index.js";
import { answerTooLarge, badOperationInput, callStopped, tooManyOperations, unknownOperation } from "./diagnostics.js";
import { EffectTrace } from "./effect-trace.js";
import { DELIVERY } from "./engine/kinds.js";
import { destroyAdvice, destroyWords, errorWords, readGuestError } from "./guest-words.js";
import { LEFTOVER_MS, MAX_CALLS_PER_INVOCATION, SLICE_MS, TERMINATE_AFTER_MS, TOOL_TEXT } from "./limits.js";
import { readJson } from "./shape.js";
import { hostErrorWords, OPERATION_INPUTS, toolOutput } from "./tool-shapes.js";
import type { Generation } from "./types.js";

export interface ToolRunnerDeps {
  readonly cell: Cell;
  readonly generation: Generation;
  readonly effects: EffectGateway;
  readonly clock: Clock;
}

type StopReason = "aborted" | "timed-out";

/** One call while it runs. */
interface Run {
  readonly invocation: ToolInvocation;
  readonly trace: EffectTrace;
  /** Aborts whatever effects are left when the call is over or stopped. */
  readonly effectsOver: AbortController;
  /** Aborts the wait for the timeout. */
  readonly settled: AbortController;
  stopped: StopReason | undefined;
  isLive: boolean;
  /** A failure of the host itself, thrown to whoever ran the tool. */
  bug: { readonly error: unknown } | undefined;
}

/**
 * Runs tools in the cell. Whatever a plugin does becomes a settlement; only a bug of the host rejects. An abort is felt within
 * 250 ms. No effect starts after the settlement; those still running then are aborted, and the ledger records how they ended.
 */
export function createToolRunner(deps: ToolRunnerDeps): ToolRunner {
  return {
    async run(invocation) {
      if (invocation.signal.aborted) return settlement(stoppedOutput("aborted", invocation, new EffectTrace()), "not-applied", "aborted");
      const json = callJson(invocation, deps.clock.now());
      if (json.length > TOOL_TEXT.toGuest) return settlement(argumentsTooLarge(invocation, json.length), "not-applied", "failed");
      return runInGuest(deps, invocation, json);
    },
  };
}

async function runInGuest(deps: ToolRunnerDeps, invocation: ToolInvocation, json: string): Promise<ToolSettlement> {
  const run: Run = {
    invocation,
    trace: new EffectTrace(),
    effectsOver: new AbortController(),
    settled: new AbortController(),
    stopped: undefined,
    isLive: true,
    bug: undefined,
  };
  const guest = deps.cell.call({
    plugin: invocation.tool.plugin,
    kind: DELIVERY.tool,
    json,
    sliceMs: SLICE_MS,
    isRepeatable: true,
    answer: (operation, input) =>
      answer(deps, run, operation, input).catch((error: unknown) => hostFailed(run, error, () => guest.cancel())),
  });
  const stop = (reason: StopReason): void => {
    run.stopped ??= reason;
    run.effectsOver.abort();
    guest.cancel();
  };
  const onAbort = (): void => stop("aborted");
  invocation.signal.addEventListener("abort", onAbort, { once: true });
  const timeout = deps.clock.sleep(invocation.tool.timeoutMs, run.settled.signal).then(() => {
    if (!run.settled.signal.aborted) stop("timed-out");
  });
  try {
    const end = await guest.end;
    run.isLive = false;
    run.settled.abort("settled");
    await Promise.all([timeout, finishEffects(deps.clock, run)]);
    if (run.bug !== undefined) throw run.bug.error;
    return settle(run, end);
  } finally {
    invocation.signal.removeEventListener("abort", onAbort);
  }
}

/** Aborts what the call left running and waits for the outcomes, but not for long. */
async function finishEffects(clock: Clock, run: Run): Promise<void> {
  run.effectsOver.abort();
  const waited = new AbortController();
  const patience = run.stopped === undefined ? LEFTOVER_MS : TERMINATE_AFTER_MS / 4;
  await Promise.race([run.trace.idle(), clock.sleep(patience, waited.signal)]);
  waited.abort("over");
}

function hostFailed(run: Run, error: unknown, cancel: () => void): HostAnswer {
  run.bug ??= { error };
  cancel();
  return refuse({
    code: "plugin.host-failed",
    what: "The host failed.",
    why: "A bug of the host ended this call.",
    next: "Nothing can be done from here.",
  });
}

const refuse = (words: Pick<Diagnostic, "code" | "what" | "why" | "next">): HostAnswer => ({
  isAnswer: false,
  json: JSON.stringify(hostErrorWords(words)),
});

/** Serves one host operation. Everything that decides is made here or in the gateway; the guest names an operation and words an input. */
async function answer(deps: ToolRunnerDeps, run: Run, operation: string, json: string): Promise<HostAnswer> {
  if (!isSdkOperation(operation)) return refuse(unknownOperation(operation));
  if (run.stopped !== undefined) return refuse(callStopped(operation));
  if (run.trace.count >= MAX_CALLS_PER_INVOCATION) return refuse(tooManyOperations());
  return perform(deps, run, operation, json);
}

async function perform<Op extends SdkOperation>(deps: ToolRunnerDeps, run: Run, operation: Op, json: string): Promise<HostAnswer> {
  const input = readJson(OPERATION_INPUTS[operation], json, "input");
  if (!input.ok) return refuse(badOperationInput(operation, input.error));
  const effect = run.trace.begin(operation);
  const context = effectContext(deps, run, (id) => (effect.id = id));
  try {
    const { outcome, result } = await deps.effects.call(operation, input.value, context);
    run.trace.settle(effect, outcome);
    if (!result.ok) return refuse(result.error);
    const text = JSON.stringify(result.value);
    return text.length > TOOL_TEXT.toGuest ? refuse(answerTooLarge(operation, text.length, TOOL_TEXT)) : { isAnswer: true, json: text };
  } catch (error) {
    run.trace.settle(effect, "unknown");
    throw error;
  }
}

function effectContext(deps: ToolRunnerDeps, run: Run, onIntent: NonNullable<EffectContext["onIntent"]>): EffectContext {
  const { call, work, tool, cwd, onProgress } = run.invocation;
  const plugin = deps.generation.plugins.find(({ id }) => id === tool.plugin);
  return {
    plugin: tool.plugin,
    generation: deps.generation.number,
    cause: call,
    work,
    grants: plugin?.grants ?? NO_GRANTS,
    cwd,
    signal: run.effectsOver.signal,
    onProgress: (text) => {
      if (run.isLive) onProgress(text);
    },
    onIntent,
  };
}

/** A tool of a plugin this generation does not have may do nothing. */
const NO_GRANTS: EffectContext["grants"] = { fsRead: [], fsWrite: [], search: [], process: [], net: [] };

const callJson = ({ tool, args, cwd }: ToolInvocation, now: number): string => JSON.stringify({ name: tool.name, args, cwd, now });

const settlement = (output: ToolOutput, mutation: ToolSettlement["mutation"], end: ToolSettlement["end"]): ToolSettlement => ({
  output,
  mutation,
  end,
});

function settle(run: Run, end: GuestEnd): ToolSettlement {
  const { invocation, trace, stopped } = run;
  const { mutation } = trace;
  if (end.type === "returned") {
    const read = readJson(toolOutput, end.json, "result");
    // A tool that answered in time after it was told to stop has said more than we could.
    if (read.ok) return settlement(read.value, mutation, stopped ?? "returned");
    return settlement(error(`${invocation.tool.name} returned something that is not a result: ${read.error}.`), mutation, "failed");
  }
  if (stopped !== undefined) return settlement(stoppedOutput(stopped, invocation, trace), mutation, stopped);
  switch (end.type) {
    case "threw":
      return settlement(error(errorWords(readGuestError(end.json))), mutation, "failed");
    case "stalled":
      return settlement(
        error(`${invocation.tool.name} waits for something that can never happen. This is a bug of its plugin ${invocation.tool.plugin}.`),
        mutation,
        "failed",
      );
    case "cancelled":
      return settlement(stoppedOutput("aborted", invocation, trace), mutation, "aborted");
    case "destroyed": {
      const what = `The plugin of ${invocation.tool.name}, ${invocation.tool.plugin}, ${destroyWords(end.reason, end.detail)}.`;
      return settlement(
        error([what, trace.describe(), destroyAdvice(end.reason)].join("\n")),
        mutation,
        end.reason === "load" ? "failed" : "destroyed",
      );
    }
  }
}

const error = (text: string): ToolOutput => ({ text, isError: true });

function stoppedOutput(reason: StopReason, { tool }: ToolInvocation, trace: EffectTrace): ToolOutput {
  const head =
    reason === "aborted"
      ? `${tool.name} was aborted.`
      : `${tool.name} timed out: it had not finished after ${(tool.timeoutMs / 1_000).toLocaleString("en")} s and was stopped.`;
  return error(`${head} ${trace.describe()}`);
}

const argumentsTooLarge = ({ tool }: ToolInvocation, units: number): ToolOutput =>
  error(
    `The arguments of ${tool.name} have ${units.toLocaleString("en")} characters of JSON; ${TOOL_TEXT.toGuest.toLocaleString("en")} is the most. Nothing was done. Send the work in parts.`,
  );
