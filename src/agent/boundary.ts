import type { InvocationId, WorkId } from "../base/index.js";
import type {
  Action,
  ActionType,
  AttributedAction,
  Boundary,
  Diagnostic,
  InvocationEntry,
  LifecycleEventType,
  StateFields,
} from "../schema/index.js";

/** What came of all handlers of one event, or of a command, on its way to be recorded and carried out. */
export interface ActionBoundary extends Boundary {
  readonly trigger: LifecycleEventType | "command";
  /** The turn it belongs to. */
  readonly work?: WorkId;
  readonly generation: number;
  /** Those of its invocations that are not on record yet. */
  readonly invocations: readonly NewInvocation[];
  /** Declarations of the state it sets, by {@link stateName}. */
  readonly states: ReadonlyMap<string, Pick<StateFields, "version" | "fork">>;
}

export type NewInvocation = Pick<InvocationEntry, "invocation" | "plugin" | "trigger">;

export const stateName = (plugin: string, key: string): string => JSON.stringify([plugin, key]);

/** Nothing was wanted and nothing refused. */
export const isNothing = ({ accepted, refused }: Boundary): boolean => accepted.length === 0 && refused.length === 0;

/** Whether there is something to tell later: that a call is allowed is told by its having run. */
export const isWorthRecording = ({ accepted, refused }: Boundary): boolean =>
  refused.length > 0 || accepted.some(({ action }) => action.type !== "allow-tool");

/** Carried out whenever they come; all others are about the conversation, the queue or the next request. */
const ANYTIME: ReadonlySet<ActionType> = new Set<ActionType>([
  "set-state",
  "set-config",
  "notify",
  "set-status",
  "allow-tool",
  "ask-tool",
  "deny-tool",
  "rewrite-tool",
  "replace-result",
  "append-result",
  "keep-context",
]);

export const isForAnytime = ({ action }: AttributedAction): boolean => ANYTIME.has(action.type);

const OUTSIDE: ReadonlySet<ActionType> = new Set<ActionType>([
  "set-model",
  "set-thinking",
  "set-tools",
  "set-prompt",
  "set-config",
  "notify",
  "set-status",
]);

/** What is no entry of the session: carried out by whoever runs it, after the record. */
export const outside = (accepted: readonly AttributedAction[]): readonly AttributedAction[] =>
  accepted.filter(
    ({ action }) => OUTSIDE.has(action.type) || (action.type === "set-state" && (action.scope === "project" || action.scope === "user")),
  );

/** Both parts of a boundary: what is carried out with the event itself, refusals included, and what waits for a safe point. */
export function splitBoundary(boundary: ActionBoundary): { readonly now: ActionBoundary; readonly later: ActionBoundary } {
  const now = { ...boundary, accepted: boundary.accepted.filter(isForAnytime) };
  const later = { ...boundary, accepted: boundary.accepted.filter((one) => !isForAnytime(one)), refused: [] };
  return { now, later: isNothing(now) ? later : { ...later, invocations: [] } };
}

/** The same with nothing of it carried out: each batch is refused for the reason given. */
export function refuseAll(boundary: ActionBoundary, why: (plugin: string) => Diagnostic): ActionBoundary {
  const refused = batchesOf(boundary.accepted).map(({ plugin, invocation }) => ({ plugin, invocation, error: why(plugin) }));
  return { ...boundary, accepted: [], refused: [...boundary.refused, ...refused] };
}

/** One handler's or command's actions, in their order. */
export interface AcceptedBatch {
  readonly plugin: string;
  readonly invocation: InvocationId;
  readonly actions: readonly AttributedAction[];
}

export function batchesOf(accepted: readonly AttributedAction[]): readonly AcceptedBatch[] {
  const batches = new Map<InvocationId, { readonly plugin: string; readonly actions: AttributedAction[] }>();
  for (const one of accepted) {
    const batch = batches.get(one.invocation) ?? { plugin: one.plugin, actions: [] };
    batch.actions.push(one);
    batches.set(one.invocation, batch);
  }
  return [...batches].map(([invocation, batch]) => ({ invocation, ...batch }));
}

/** The actions of one type, with who wanted them. */
export function ofType<Type extends ActionType>(accepted: readonly AttributedAction[], type: Type): readonly Wanted<Type>[] {
  return accepted.filter((one): one is Wanted<Type> => one.action.type === type);
}

export type Wanted<Type extends ActionType> = AttributedAction & { readonly action: Extract<Action, { readonly type: Type }> };
