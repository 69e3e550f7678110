import { type JsonValue, utf8Length } from "../../base/index.js";
import type { Action, Diagnostic, LifecycleEventType } from "../../schema/index.js";
import { ACTIONS_OF_EVENT } from "../../schema/index.js";
import type { CompiledPlugin, Generation, OptionContribution } from "../types.js";
import {
  actionNotGranted,
  actionNotHere,
  notItsTarget,
  optionNotItsOwn,
  optionValueWrong,
  stateNotDeclared,
  stateTooLarge,
  type Trigger,
} from "./diagnostics.js";

/** An event as far as actions are about it. */
export interface EventInBrief {
  readonly type: LifecycleEventType;
  readonly call?: string;
  readonly queue?: readonly { readonly submission: string }[];
}

/** What the actions of a batch are judged by. */
export interface Occasion {
  readonly generation: Pick<Generation, "tools"> & { readonly plugins: readonly { readonly compiled: CompiledPlugin }[] };
  /** Absent: a command. */
  readonly event?: EventInBrief;
}

/**
 * What is wrong with a batch for itself: an action its event does not take, a state or option that is not declared, a target the
 * event is not about, a grant that is missing. Undefined when nothing is.
 *
 * Which actions need a grant: `notify` and `set-status` need `ui`, `set-state` a declared state, `set-config` a declared option. All
 * others need what a person approves by name, the handler of the event that takes them: they stay within the session, are on record
 * under the plugin's id, and none of them reaches past the grants of the tool or provider it is about.
 */
export function admitBatch(occasion: Occasion, plugin: string, actions: readonly Action[]): Diagnostic | undefined {
  const trigger: Trigger = occasion.event?.type ?? "command";
  const compiled = occasion.generation.plugins.find(({ compiled: { id } }) => id === plugin)?.compiled;
  for (const action of actions) {
    const problem = ACTIONS_OF_EVENT[trigger].includes(action.type)
      ? (notDeclared(compiled, plugin, action) ?? wrongTarget(occasion, plugin, action))
      : actionNotHere(plugin, action.type, trigger);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function notDeclared(compiled: CompiledPlugin | undefined, plugin: string, action: Action): Diagnostic | undefined {
  if (action.type === "set-state") return wrongState(compiled, plugin, action);
  if (action.type === "set-config") return wrongOption(compiled, plugin, action);
  const intent = action.type === "notify" ? "notify" : action.type === "set-status" ? "status" : undefined;
  if (intent === undefined || compiled?.grants.ui.includes(intent) === true) return undefined;
  return actionNotGranted(plugin, action.type, intent);
}

type ActionOf<Type extends Action["type"]> = Extract<Action, { readonly type: Type }>;

function wrongState(compiled: CompiledPlugin | undefined, plugin: string, action: ActionOf<"set-state">): Diagnostic | undefined {
  const state = compiled?.states.find(({ key, scope }) => key === action.key && scope === action.scope);
  if (state === undefined) return stateNotDeclared(plugin, action);
  const bytes = utf8Length(JSON.stringify(action.value));
  return bytes > state.maxBytes ? stateTooLarge(plugin, { key: state.key, bytes, maxBytes: state.maxBytes }) : undefined;
}

function wrongOption(compiled: CompiledPlugin | undefined, plugin: string, action: ActionOf<"set-config">): Diagnostic | undefined {
  const option = compiled?.options.find(({ name }) => name === action.option);
  if (option === undefined || option.secret) return optionNotItsOwn(plugin, action.option);
  return takes(option, action.value) ? undefined : optionValueWrong(plugin, option.name, kindOf(option));
}

/** Whether an option may have a value. */
function takes(option: OptionContribution, value: JsonValue): boolean {
  const { min = -Infinity, max = Infinity } = option;
  switch (option.type) {
    case "boolean":
      return typeof value === "boolean";
    case "integer":
    case "number":
      return typeof value === "number" && (option.type === "number" || Number.isInteger(value)) && value >= min && value <= max;
    case "string":
      return typeof value === "string" && isOneOf(option, value);
    case "string[]":
      return Array.isArray(value) && value.every((item) => typeof item === "string" && isOneOf(option, item));
  }
}

const isOneOf = (option: OptionContribution, value: string): boolean => option.enum?.includes(value) ?? true;

function kindOf(option: OptionContribution): string {
  const words = option.enum === undefined ? "" : `, one of ${option.enum.join(", ")}`;
  const least = option.min === undefined ? "" : `, at least ${option.min}`;
  return `${option.type}${words}${least}${option.max === undefined ? "" : `, at most ${option.max}`}`;
}

function wrongTarget({ generation, event }: Occasion, plugin: string, action: Action): Diagnostic | undefined {
  const outside = targetsOf(action).find((target) => !isTarget(generation, event, target));
  return outside === undefined ? undefined : notItsTarget(plugin, action, outside.name);
}

interface Target {
  readonly kind: "call" | "tool" | "submission";
  readonly name: string;
}

/** Targets that the event and the generation can tell; those on the branch are looked up by the agent. */
function targetsOf(action: Action): readonly Target[] {
  // Of the actions only verdicts, rewrites and changes of a result name a call.
  if ("call" in action) return [{ kind: "call", name: action.call }];
  if (action.type === "set-tools") return [...(action.enable ?? []), ...(action.disable ?? [])].map((name) => ({ kind: "tool", name }));
  return action.type === "deliver" ? action.submissions.map((name) => ({ kind: "submission", name })) : [];
}

function isTarget(generation: Occasion["generation"], event: EventInBrief | undefined, { kind, name }: Target): boolean {
  switch (kind) {
    case "call":
      return event?.call === name;
    case "tool":
      return generation.tools.some((tool) => tool.name === name);
    case "submission":
      return event?.queue?.some(({ submission }) => submission === name) === true;
  }
}
