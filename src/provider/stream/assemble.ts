import { type CallId, type IdSource, isJsonObject, type JsonObject, shortId, unreachable } from "../../base/index.js";
import type { AssistantResult, ProviderDelta, StopReason, ThinkingPart, ToolCall, Usage } from "../../schema/index.js";

interface CallDraft {
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly argsText: string;
  readonly signature?: string;
}

/** A thinking part with the key its pieces have; `after.calls` counts drafts. */
interface ThinkingDraft extends ThinkingPart {
  readonly key?: string;
}

type ThinkingDelta = Extract<ProviderDelta, { readonly type: "thinking" }>;
type CallDelta = Extract<ProviderDelta, { readonly type: "tool-call" }>;

/** One response as far as its deltas are known. */
export interface Assembly {
  readonly text: string;
  readonly thinking: readonly ThinkingDraft[];
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
      return { ...state, thinking: withThinking(state, delta) };
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

/** Whether anything came that a caller may have seen or will be given: a part or call that was only begun is nothing yet. */
export const hasContent = ({ text, thinking, calls }: Assembly): boolean =>
  text !== "" || thinking.some((part) => part.text !== "" || part.signature !== undefined) || calls.some(isCall);

/** Pieces with a key go to the part of that key; without one a signature closes the part it signs, and what follows is a part of its own. */
function withThinking({ text, thinking, calls }: Assembly, delta: ThinkingDelta): readonly ThinkingDraft[] {
  const at = delta.key === undefined ? thinking.length - 1 : thinking.findLastIndex((part) => part.key === delta.key);
  const open = thinking[at];
  if (open === undefined || (delta.key === undefined && (open.key !== undefined || open.signature !== undefined))) {
    const isFirst = text === "" && calls.length === 0;
    return [
      ...thinking,
      { ...detailsOf(delta), text: delta.text, ...(isFirst ? {} : { after: { text: text.length, calls: calls.length } }) },
    ];
  }
  return thinking.with(at, { ...open, ...detailsOf(delta), text: open.text + delta.text });
}

const detailsOf = ({ key, kind, id, signature }: ThinkingDelta): Omit<ThinkingDraft, "text"> => ({
  ...(key === undefined ? {} : { key }),
  ...(kind === undefined ? {} : { kind }),
  ...(id === undefined ? {} : { id }),
  ...(signature === undefined ? {} : { signature }),
});

function withCall(calls: readonly CallDraft[], delta: CallDelta): readonly CallDraft[] {
  const at = calls.findLastIndex((call) => call.key === delta.key);
  const known = calls[at];
  const signed = delta.signature === undefined ? {} : { signature: delta.signature };
  if (known === undefined || startsAnother(known, delta))
    return [...calls, { key: delta.key, id: delta.id ?? "", name: delta.name ?? "", argsText: delta.args ?? "", ...signed }];
  return calls.with(at, {
    ...known,
    id: known.id === "" ? (delta.id ?? "") : known.id,
    name: known.name === "" ? (delta.name ?? "") : known.name,
    argsText: known.argsText + (delta.args ?? ""),
    ...signed,
  });
}

/** Servers reuse one key for several calls: another id, or a name with arguments after complete arguments, is a new call. */
function startsAnother(known: CallDraft, delta: CallDelta): boolean {
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
    thinking: finishThinking(state, isCall),
    toolCalls,
    stop: stop === "stop" && toolCalls.length > 0 ? "tool-use" : stop === "tool-use" && toolCalls.length === 0 ? "stop" : stop,
    ...(state.usage === undefined ? {} : { usage: state.usage }),
  };
}

/** What there is of a response that did not end well. Its calls are left out: nothing may run from unfinished data. */
export const partial = (state: Assembly, stop: "aborted" | "failed"): AssistantResult => ({
  text: state.text,
  thinking: finishThinking(state, () => false),
  toolCalls: [],
  stop,
  ...(state.usage === undefined ? {} : { usage: state.usage }),
});

/** The parts without their keys; of the calls before a part only those count that the result has. */
function finishThinking({ thinking, calls }: Assembly, isKept: (draft: CallDraft) => boolean): readonly ThinkingPart[] {
  return thinking.map(({ key: _, after, ...part }) => {
    if (after === undefined) return part;
    const kept = { text: after.text, calls: calls.slice(0, after.calls).filter(isKept).length };
    return kept.text === 0 && kept.calls === 0 ? part : { ...part, after: kept };
  });
}

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
    ...(draft.signature === undefined ? {} : { signature: draft.signature }),
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
