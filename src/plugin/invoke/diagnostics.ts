import { closest } from "../../base/index.js";
import type { Diagnostic, SdkOperation } from "../../schema/index.js";
import { BATCH_LIMITS, diagnostic } from "../../schema/index.js";
import { MAX_CALLS_PER_INVOCATION, MAX_QUESTIONS_PER_INVOCATION, type TextLimits } from "../limits.js";

export const unknownOperation = (name: string): Diagnostic =>
  diagnostic({
    code: "plugin.unknown-operation",
    what: `There is no host operation ${JSON.stringify(name.slice(0, 60))}.`,
    why: "The host answers the operations of its SDK and nothing else.",
    next: "Use the operations of the context.",
  });

export const badOperationInput = (operation: SdkOperation, problem: string): Diagnostic =>
  diagnostic({
    code: "plugin.operation-input",
    what: `${operation} was called with an input it does not take: ${problem}.`,
    why: "Inputs of host operations are checked before anything happens.",
    next: "Correct the plugin's call.",
  });

export const tooManyOperations = (): Diagnostic =>
  diagnostic({
    code: "plugin.operation-count",
    what: `One call made more than ${MAX_CALLS_PER_INVOCATION.toLocaleString("en")} host operations.`,
    why: "Each of them is recorded; a call that needs so many is a loop.",
    next: "Use one search or listing instead of many single reads.",
  });

export const tooManyQuestions = (): Diagnostic =>
  diagnostic({
    code: "plugin.question-count",
    what: `One call asked a person more than ${MAX_QUESTIONS_PER_INVOCATION} times.`,
    why: "A person has to answer or dismiss each question before anything else can be asked.",
    next: "Ask for several things at once, or decide without asking.",
  });

export const answerTooLarge = (operation: SdkOperation, units: number, limits: TextLimits): Diagnostic =>
  diagnostic({
    code: "plugin.answer-size",
    what: `The answer of ${operation} has ${units.toLocaleString("en")} characters; a plugin can take ${limits.toGuest.toLocaleString("en")}.`,
    why: "Messages to a plugin are bounded. The operation itself was done.",
    next: "Ask for a smaller window or a lower limit.",
  });

export const callStopped = (operation: SdkOperation): Diagnostic =>
  diagnostic({
    code: "plugin.call-stopped",
    what: `${operation} was not begun: the call is being stopped.`,
    why: "It was aborted, or it ran over its time.",
    next: "Return what there is.",
  });

export const unknownState = (key: string, known: readonly string[]): Diagnostic =>
  diagnostic({
    code: "plugin.unknown-state",
    what: `The plugin declares no state ${JSON.stringify(key.slice(0, 60))}.`,
    why: "Durable values are declared in the manifest, with scope, version and size, before any code can use them.",
    next:
      known.length === 0
        ? "Add a state node to the manifest."
        : `Use one of ${known.join(", ")}${near(key, known)}, or add a state node to the manifest.`,
  });

function near(key: string, known: readonly string[]): string {
  const found = closest(key, known);
  return found === undefined ? "" : ` (did you mean ${found}?)`;
}

export const refusedEmit = (plugin: string, what: string, problem: string): Diagnostic =>
  diagnostic({
    code: "plugin.emit-refused",
    what: `What the plugin ${plugin} wants to show with ui.${what} is not shown: ${problem}.`,
    why: "What plugins say to people is granted, bounded and checked. This is told once; the plugin itself is not.",
    next: `Correct the call of ui.${what}, or the grants in the manifest.`,
    source: { type: "plugin", id: plugin },
    severity: "warning",
  });

/** What ran, for people: `The command todo` or `The handler of tool-settled`. */
export interface Ran {
  readonly plugin: string;
  readonly words: string;
}

export const notInGeneration = ({ plugin, words }: Ran): Diagnostic =>
  diagnostic({
    code: "plugin.not-in-generation",
    what: `${words} cannot run: its plugin ${plugin} is not in use.`,
    why: "It was disabled, removed or replaced after whoever called it had looked.",
    next: "Look at smith plugins list; try again with what is there now.",
    source: { type: "plugin", id: plugin },
  });

export const inputTooLarge = ({ plugin, words }: Ran, units: number, { toGuest }: TextLimits): Diagnostic =>
  diagnostic({
    code: "plugin.input-size",
    what: `${words} of ${plugin} was not run: what it is given has ${units.toLocaleString("en")} characters of JSON.`,
    why: `One message to a plugin may have ${toGuest.toLocaleString("en")}.`,
    next: "Give it less: shorter arguments, smaller state.",
    source: { type: "plugin", id: plugin },
  });

export const badActions = ({ plugin, words }: Ran, problem: string): Diagnostic =>
  diagnostic({
    code: "plugin.bad-actions",
    what: `${words} of ${plugin} returned something that is no list of actions: ${problem}.`,
    why: "A batch is carried out as a whole or not at all, so nothing of it was.",
    next: "Return an array of actions, or nothing; docs/reference/sdk.md lists them all.",
    source: { type: "plugin", id: plugin },
  });

export const badOffer = ({ plugin, words }: Ran, problem: string): Diagnostic =>
  diagnostic({
    code: "plugin.bad-offer",
    what: `${words} of ${plugin} offered something that is no list of tools: ${problem}.`,
    why: "What a tool set offers is used as a whole or not at all; what it offered before stays.",
    next: "Return { tools: [...] }; docs/reference/sdk.md says what a tool of a set is.",
    source: { type: "plugin", id: plugin },
  });

export const batchTooLarge = ({ plugin, words }: Ran, units: number): Diagnostic =>
  diagnostic({
    code: "plugin.batch-size",
    what: `${words} of ${plugin} returned a batch of ${units.toLocaleString("en")} characters.`,
    why: `A batch may have ${BATCH_LIMITS.units.toLocaleString("en")} characters and ${BATCH_LIMITS.actions} actions. Nothing of it was carried out.`,
    next: "Return fewer or smaller actions.",
    source: { type: "plugin", id: plugin },
  });

export const invocationFailed = ({ plugin, words }: Ran, error: string): Diagnostic =>
  diagnostic({
    code: "plugin.invocation-failed",
    what: `${words} of ${plugin} failed. ${error}`,
    why: "The plugin's code threw. What it wanted was not carried out; operations it had made by then are on record.",
    next: "Correct the plugin, or disable it.",
    source: { type: "plugin", id: plugin },
  });

/** A refusal of the host that the code let through. In the host's words: it may be nobody's mistake, such as a question where nobody can answer. */
export const invocationRefused = ({ plugin, words }: Ran, { what, why, next }: Refusal): Diagnostic =>
  diagnostic({
    code: "plugin.invocation-refused",
    what: `${words} of ${plugin} was refused something. ${what}`,
    why: `${why} Nothing of what it wanted was carried out; operations it had made by then are on record.`,
    next: next === "" ? "Correct the plugin: catch what may be refused." : next,
    source: { type: "plugin", id: plugin },
  });

interface Refusal {
  readonly what: string;
  readonly why: string;
  readonly next: string;
}

export const invocationTimedOut = ({ plugin, words }: Ran, timeoutMs: number, effects: string): Diagnostic =>
  diagnostic({
    code: "plugin.invocation-timeout",
    what: `${words} of ${plugin} had not finished after ${(timeoutMs / 1_000).toLocaleString("en")} s and was stopped. ${effects}`,
    why: "Its manifest gives it that time.",
    next: "Let it do less, or give it more with timeout-ms in the manifest.",
    source: { type: "plugin", id: plugin },
  });

export const invocationAborted = ({ plugin, words }: Ran, effects: string): Diagnostic =>
  diagnostic({
    code: "plugin.invocation-aborted",
    what: `${words} of ${plugin} was aborted. ${effects}`,
    why: "What it ran for was stopped.",
    next: "Run it again if it is still wanted.",
    source: { type: "plugin", id: plugin },
    retry: { type: "now" },
  });

export const invocationStalled = ({ plugin, words }: Ran): Diagnostic =>
  diagnostic({
    code: "plugin.invocation-stalled",
    what: `${words} of ${plugin} waits for something that can never happen.`,
    why: "No host operation is under way and nothing is left to run, so its promise will never settle.",
    next: "Correct the plugin: await host operations, and nothing that nobody resolves.",
    source: { type: "plugin", id: plugin },
  });

export const invocationDestroyed = ({ plugin, words }: Ran, how: string, advice: string): Diagnostic =>
  diagnostic({
    code: "plugin.invocation-destroyed",
    what: `${words} of ${plugin} did not finish: its plugin ${how}`,
    why: "A plugin that breaks its bounds is stopped as a whole, whatever it was doing.",
    next: advice,
    source: { type: "plugin", id: plugin },
  });
