import type { Action, ActionType, Diagnostic, LifecycleEventType, StateScope } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";

/** What the handlers of an event, or a command, answer to. */
export type Trigger = LifecycleEventType | "command";

const source = (id: string): Pick<Diagnostic, "source"> => ({ source: { type: "plugin", id } });
const when = (trigger: Trigger): string => (trigger === "command" ? "a command" : `the event ${trigger}`);
/** A word of a plugin in a sentence: quoted, on one line, bounded. */
const quoted = (word: string): string => JSON.stringify(word.slice(0, 80));

export const actionNotHere = (plugin: string, action: ActionType, trigger: Trigger): Diagnostic =>
  diagnostic({
    code: "plugin.action-not-here",
    what: `The plugin ${plugin} answered ${when(trigger)} with the action ${action}, which cannot be carried out there.`,
    why: "Each event has a list of actions that can answer it: what would change the conversation waits for a safe point.",
    next: "Return the action from the handler of another event; the reference of the SDK lists which take it.",
    ...source(plugin),
  });

export const actionNotGranted = (plugin: string, action: ActionType, intent: string): Diagnostic =>
  diagnostic({
    code: "plugin.action-grant",
    what: `The plugin ${plugin} wanted ${action}; it has no grant ui "${intent}".`,
    why: "What a plugin shows to people is granted like any other thing it does.",
    next: `Add ui "${intent}" to the grants of its manifest and approve it again.`,
    ...source(plugin),
  });

export const stateNotDeclared = (plugin: string, state: { readonly key: string; readonly scope: StateScope }): Diagnostic =>
  diagnostic({
    code: "plugin.action-state",
    what: `The plugin ${plugin} wanted to set the state ${quoted(state.key)} of the ${state.scope}, which its manifest does not declare.`,
    why: "State is kept only under keys a manifest declares, each with its scope, version and bound.",
    next: `Declare it in the manifest: state ${quoted(state.key)} scope=${quoted(state.scope)}.`,
    ...source(plugin),
  });

export const stateTooLarge = (
  plugin: string,
  state: { readonly key: string; readonly bytes: number; readonly maxBytes: number },
): Diagnostic =>
  diagnostic({
    code: "plugin.action-state-size",
    what: `The plugin ${plugin} wanted to set the state ${quoted(state.key)} to ${state.bytes} bytes; ${state.maxBytes} are declared.`,
    why: "Each value has the bound its manifest declares for it.",
    next: "Keep less, or raise the bound in the manifest.",
    ...source(plugin),
  });

export const optionNotItsOwn = (plugin: string, option: string): Diagnostic =>
  diagnostic({
    code: "plugin.action-option",
    what: `The plugin ${plugin} wanted to set the option ${quoted(option)}, which is not one it may set.`,
    why: "A plugin sets options its own manifest declares, except secret ones.",
    next: "Declare the option in the manifest, or ask the person to set it.",
    ...source(plugin),
  });

export const optionValueWrong = (plugin: string, option: string, expected: string): Diagnostic =>
  diagnostic({
    code: "plugin.action-option-value",
    what: `The plugin ${plugin} wanted to set the option ${quoted(option)} to a value it does not take.`,
    why: `Its manifest says: ${expected}.`,
    next: "Return a value of that kind.",
    ...source(plugin),
  });

export const notItsTarget = (plugin: string, action: Action, target: string): Diagnostic =>
  diagnostic({
    code: "plugin.action-target",
    what: `The plugin ${plugin} wanted ${action.type} of ${quoted(target)}, which the event is not about.`,
    why: "An action about a call, a tool or waiting input is about those its event, or the session, names.",
    next: "Take the id or the name from the event.",
    ...source(plugin),
  });

export const actionConflict = (key: string, earlier: string, later: string): Diagnostic =>
  diagnostic({
    code: "plugin.action-conflict",
    what: `The plugins ${earlier} and ${later} want different things of ${quoted(key)}; all ${later} wanted at this event was refused.`,
    why: "One thing can be given one value at a time. Handlers run in order, and the first one that says something of it is followed.",
    next: `Give one of them an order that says who matters more, or disable ${earlier} or ${later}.`,
    ...source(later),
    severity: "warning",
  });

export const contradiction = (plugin: string, key: string): Diagnostic =>
  diagnostic({
    code: "plugin.action-contradiction",
    what: `The plugin ${plugin} gave ${quoted(key)} two values in one batch.`,
    why: "The actions of a batch are carried out together, so that none of them comes last.",
    next: "Return the one that is meant.",
    ...source(plugin),
  });
