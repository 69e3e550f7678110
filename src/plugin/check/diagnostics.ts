import { closest } from "../../base/index.js";
import { type Diagnostic, diagnostic } from "../../schema/index.js";

export const moduleBroken = (plugin: string, words: string): Diagnostic =>
  diagnostic({
    code: "plugin.module-broken",
    what: `The module of ${plugin} could not be evaluated in the sandbox: it ${words}`,
    why: "Everything a plugin brings is reached through its module, so nothing of it can run.",
    next: "Correct the module. It may import smith-agent/plugin and files of its own package.",
    source: { type: "plugin", id: plugin },
  });

/** What a test handed to `t.actions`, where it is none. */
export const badTestActions = (plugin: string, problem: string): Diagnostic =>
  diagnostic({
    code: "plugin.test-actions",
    what: `A session would refuse these actions of ${plugin}: ${problem}.`,
    why: "A batch is carried out as a whole or not at all, so nothing of it would be.",
    next: "Correct what the handler or command returns; docs/reference/sdk.md lists all actions.",
    source: { type: "plugin", id: plugin },
  });

export const noSuchEvent = (plugin: string, given: string): Diagnostic =>
  diagnostic({
    code: "plugin.test-event",
    what: `The actions of ${plugin} were to be judged as those of ${given.slice(0, 80)}, which is no event.`,
    why: "What a session accepts depends on the event it is an answer to.",
    next: 'Give t.actions the event the handler got, or "command".',
    source: { type: "plugin", id: plugin },
  });

/** `kind`: tool, command, handler or provider. */
export const undeclaredExport = (
  plugin: string,
  export_: { readonly kind: string; readonly name: string },
  declared: readonly string[],
): Diagnostic =>
  diagnostic({
    code: "plugin.undeclared-export",
    what: `The module of ${plugin} exports the ${export_.kind} "${export_.name}", and its manifest does not declare it.`,
    why: "What the manifest does not declare is never called.",
    next: nextFor(export_, declared),
    source: { type: "plugin", id: plugin },
    severity: "warning",
  });

function nextFor({ kind, name }: { readonly kind: string; readonly name: string }, declared: readonly string[]): string {
  const near = closest(name, declared);
  return `${near === undefined ? "" : `Rename it to "${near}", `}${near === undefined ? "Declare" : "declare"} it with a ${kind} node in manifest.kdl, or take it out.`;
}
