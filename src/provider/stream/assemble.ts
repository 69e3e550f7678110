import { type CallId, type IdSource, isJsonObject, type JsonObject, shortId, unreachable } from "../../base/index.js";
import type { AssistantResult, ProviderDelta, StopReason, ThinkingPart, ToolCall, Usage } from "../../schema/index.js";

interface CallDraft {
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly argsText: string;
}

/** One response as far as its deltas are known. */
export interface Assembly {
  readonly text: string;
  readonly thinking: readonly ThinkingPart[];
  readonly calls: readonly CallDraft[];
  readonly usage?: Usage;
}

export const EMPTY_ASSEMBLY: Assembly = { text: "", thinking: [], calls: [] };

/** Adds one delta. Terminal deltas change nothing: how a response ended is known to whoever read it. */
export function assemble(state: Assembly, delta: ProviderDelta): Assembly {
  switch (delta.type) {
    case "text":
      return { ...state, text: state.text + delta.text };
    case "thinking":
      return { ...state, thinking: withThinking(state.thinking, delta) };
    case "tool-call":
      return { ...state, calls: withCall(state.calls, delta) };
    case "usage":
      return { ...state, usage: { ...state.usage, ...delta.usage } };
    case "end":
    case "error":
      return state;
    default:
      return unreachable(delta);
  }
}

/** A signature closes the part it signs; what follows is a part of its own. */
function withThinking(
  parts: readonly ThinkingPart[],
  delta: Extract<ProviderDelta, { readonly type: "thinking" }>,
): readonly ThinkingPart[] {
  const last = parts.at(-1);
  const signed = delta.signature === undefined ? {} : { signature: delta.signature };
  if (last === undefined || last.signature !== undefined) return [...parts, { text: delta.text, ...signed }];
  return [...parts.slice(0, -1), { text: last.text + delta.text, ...signed }];
}

function withCall(calls: readonly CallDraft[], delta: Extract<ProviderDelta, { readonly type: "tool-call" }>): readonly CallDraft[] {
  const at = calls.findLastIndex((call) => call.key === delta.key);
  const known = calls[at];
  if (known === undefined || startsAnother(known, delta))
    return [...calls, { key: delta.key, id: delta.id ?? "", name: delta.name ?? "", argsText: delta.args ?? "" }];
  return calls.with(at, {
    key: known.key,
    id: known.id === "" ? (delta.id ?? "") : known.id,
    name: known.name === "" ? (delta.name ?? "") : known.name,
    argsText: known.argsText + (delta.args ?? ""),
  });
}

/** Servers reuse one key for several calls: another id, or a name with arguments after complete arguments, is a new call. */
function startsAnother(known: CallDraft, delta: Extract<ProviderDelta, { readonly type: "tool-call" }>): boolean {
  const id = delta.id ?? "";
  if (id !== "" && known.id !== "") return id !== known.id;
  const isNamedAgain = (delta.name ?? "") !== "" && known.name !== "";
  return isNamedAgain && (delta.args ?? "").trim() !== "" && known.argsText.trim() !== "" && parseArguments(known.argsText) !== undefined;
}

export interface NamingPorts {
  readonly ids: IdSource;
  /** Provider ids that earlier calls of the conversation have. */
  readonly taken: ReadonlySet<string>;
}

/**
 * The whole response. Arguments are parsed here, once. Every call gets a {@link CallId}, and a provider id of its own:
 * the vendor's, or one made from ours when it gave none or gave it before.
 */
export function assembled(state: Assembly, stop: StopReason, ports: NamingPorts): AssistantResult {
  const taken = new Set(ports.taken);
  const toolCalls = state.calls.filter(isCall).map((draft) => finishCall(draft, taken, ports.ids));
  return {
    text: state.text,
    thinking: state.thinking,
    toolCalls,
    stop: stop === "stop" && toolCalls.length > 0 ? "tool-use" : stop === "tool-use" && toolCalls.length === 0 ? "stop" : stop,
    ...(state.usage === undefined ? {} : { usage: state.usage }),
  };
}

/** What there is of a response that did not end well. Its calls are left out: nothing may run from unfinished data. */
export const partial = (state: Assembly, stop: "aborted" | "failed"): AssistantResult => ({
  text: state.text,
  thinking: state.thinking,
  toolCalls: [],
  stop,
  ...(state.usage === undefined ? {} : { usage: state.usage }),
});

const isCall = (draft: CallDraft): boolean => draft.name !== "" || draft.argsText.trim() !== "" || draft.id !== "";

function finishCall(draft: CallDraft, taken: Set<string>, ids: IdSource): ToolCall {
  const call = ids.next<CallId>();
  const providerId = draft.id !== "" && !taken.has(draft.id) ? draft.id : freeId(taken, call);
  taken.add(providerId);
  const args = parseArguments(draft.argsText);
  return {
    call,
    providerId,
    name: draft.name === "" ? "unnamed" : draft.name,
    argsText: draft.argsText,
    ...(args === undefined ? {} : { args }),
  };
}

/** `call_` and the short form of ours; the whole id in the unlikely case that this is taken. */
function freeId(taken: ReadonlySet<string>, call: CallId): string {
  const short = `call_${shortId(call)}`;
  return taken.has(short) ? `call_${call}` : short;
}

/** Blank text and `null` are what servers send for "no arguments"; anything but a JSON object is `undefined`. */
export function parseArguments(text: string): JsonObject | undefined {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "null") return {};
  try {
    const value: unknown = JSON.parse(trimmed);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
