import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";
import type { DestroyReason } from "../cell/index.js";
import { destroyAdvice, destroyWords } from "../invoke/index.js";

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

export const pluginQuarantined = (plugin: string, faults: number, withinMs: number): Diagnostic =>
  diagnostic({
    code: "plugin.quarantined",
    what: `The plugin ${plugin} is not called any more: it broke its bounds ${faults} times within ${Math.round(withinMs / 60_000)} minutes.`,
    why: "Starting a plugin again and again that always breaks costs more than it gives.",
    next: `Correct it: a changed plugin is used at once. To try it as it is, restart smith, or run smith plugins disable ${plugin} and smith plugins enable ${plugin}.`,
    source: { type: "plugin", id: plugin },
  });
