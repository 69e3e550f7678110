import type { Diagnostic, SdkOperation } from "../schema/index.js";
import { diagnostic } from "../schema/index.js";
import type { DestroyReason } from "./cell/index.js";
import { destroyAdvice, destroyWords } from "./guest-words.js";
import { MAX_CALLS_PER_INVOCATION, type TextLimits } from "./limits.js";

/** A guest died. Calls in flight say so themselves; this is for the person who looks after the plugin. */
export const pluginDestroyed = (plugin: string | undefined, reason: DestroyReason, detail: string): Diagnostic =>
  diagnostic({
    code: "plugin.destroyed",
    what: `${plugin === undefined ? "The plugin worker" : `The plugin ${plugin}`} ${destroyWords(reason, detail)}.`,
    why: "A plugin that breaks its bounds is stopped as a whole; its next call starts it anew.",
    next: destroyAdvice(reason),
    ...(plugin === undefined ? {} : { source: { type: "plugin", id: plugin } }),
    severity: "warning",
    retry: { type: "now" },
  });

export const unhandledRejection = (plugin: string, words: string): Diagnostic =>
  diagnostic({
    code: "plugin.unhandled-rejection",
    what: `The plugin ${plugin} left a rejected promise without a handler: ${words}`,
    why: "Whatever failed there was not waited for, so nobody was told.",
    next: "Await the promise, or catch its error.",
    source: { type: "plugin", id: plugin },
    severity: "warning",
  });

export const unknownOperation = (name: string): Diagnostic =>
  diagnostic({
    code: "plugin.unknown-operation",
    what: `There is no host operation ${JSON.stringify(name.slice(0, 60))}.`,
    why: "The host answers the operations of its SDK and nothing else.",
    next: "Use the operations of the tool's context.",
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
