import { type CallId, type IdSource, isJsonObject, type JsonObject, shortId, unreachable } from "../../base/index.js";
import type { AssistantResult, ProviderDelta, StopReason, ThinkingPart, ToolCall, Usage } from "../../schema/index.js";

/**
 * One response as far as its deltas are known. Each delta costs the same, however many came before it and however many parts and calls
 * there are: what a server sends decides their number.
 */
export interface Assembly {
  /** Deltas that are about the end change nothing: how a response ended is known to whoever read it. */
  add(delta: ProviderDelta): void;
  /** Whether anything came that a caller may have seen or will be given: a part or call that was only begun is nothing yet. */
  hasContent(): boolean;
  /**
   * The whole response. Arguments are parsed here, once. Every call gets a {@link CallId}, and a provider id of its own:
   * the vendor's, or one made from ours when it gave none or gave it before.
   */
  whole(stop: StopReason, ports: NamingPorts): AssistantResult;
  /** What there is of a response that did not end well. Its calls are left out: nothing may run from unfinished data. */
  partial(stop: "aborted" | "failed"): AssistantResult;
}

export interface NamingPorts {
  readonly ids: IdSource;
  /** Provider ids that earlier calls of the conversation have. */
  readonly taken: ReadonlySet<string>;
}

interface ThinkingDraft {
  text: string;
  signature?: string;
  kind?: string;
  id?: string;
  readonly key: string | undefined;
  /** Units of text and drafts of calls that came before it. */
  readonly after: { readonly text: number; readonly calls: number };
}

interface CallDraft {
  id: string;
  name: string;
  argsText: string;
  /** The last character that is not blank: text that does not end with a brace is no whole object. */
  lastChar: string;
  signature?: string;
}

type ThinkingDelta = Extract<ProviderDelta, { readonly type: "thinking" }>;
type CallDelta = Extract<ProviderDelta, { readonly type: "tool-call" }>;

export function createAssembly(): Assembly {
  let text = "";
  let usage: Usage | undefined;
  const thinking = createThinking();
  const calls = createCalls();
  const result = (isKept: (draft: CallDraft) => boolean, rest: Pick<AssistantResult, "toolCalls" | "stop">): AssistantResult => ({
    text,
    thinking: thinking.finish(calls.countBefore(isKept)),
    ...rest,
    ...(usage === undefined ? {} : { usage }),
  });
  return {
    add: (delta) => {
      switch (delta.type) {
        case "text":
          text += delta.text;
          break;
        case "thinking":
          thinking.add(delta, { text: text.length, calls: calls.drafts.length });
          break;
        case "tool-call":
          calls.add(delta);
          break;
        case "usage":
          usage = { ...usage, ...delta.usage };
          break;
        case "whole":
        case "end":
        case "error":
          break;
        default:
          unreachable(delta);
      }
    },
    hasContent: () => text !== "" || thinking.hasContent() || calls.drafts.some(isCall),
    whole: (stop, { ids, taken }) => {
      const named = new Set(taken);
      const toolCalls = calls.drafts.filter(isCall).map((draft) => finishCall(draft, named, ids));
      return result(isCall, { toolCalls, stop: stopOf(stop, toolCalls.length) });
    },
    partial: (stop) => result(() => false, { toolCalls: [], stop }),
  };
}

function stopOf(stop: StopReason, calls: number): StopReason {
  if (stop === "stop" && calls > 0) return "tool-use";
  return stop === "tool-use" && calls === 0 ? "stop" : stop;
}

interface ThinkingParts {
  add(delta: ThinkingDelta, after: ThinkingDraft["after"]): void;
  hasContent(): boolean;
  finish(callsBefore: (drafts: number) => number): readonly ThinkingPart[];
}

/** Pieces with a key go to the part of that key; without one a signature closes the part it signs, and what follows is a part of its own. */
function createThinking(): ThinkingParts {
  const drafts: ThinkingDraft[] = [];
  const byKey = new Map<string, ThinkingDraft>();
  const openFor = ({ key }: ThinkingDelta): ThinkingDraft | undefined => {
    if (key !== undefined) return byKey.get(key);
    const last = drafts.at(-1);
    return last?.key === undefined && last?.signature === undefined ? last : undefined;
  };
  return {
    add: (delta, after) => {
      const open = openFor(delta);
      const draft: ThinkingDraft = open ?? { text: "", key: delta.key, after };
      if (open === undefined) drafts.push(draft);
      if (open === undefined && delta.key !== undefined) byKey.set(delta.key, draft);
      draft.text += delta.text;
      if (delta.signature !== undefined) draft.signature = delta.signature;
      if (delta.kind !== undefined) draft.kind = delta.kind;
      if (delta.id !== undefined) draft.id = delta.id;
    },
    hasContent: () => drafts.some((draft) => draft.text !== "" || draft.signature !== undefined),
    finish: (callsBefore) =>
      drafts.map(({ key: _, after, ...part }) => {
        const place = { text: after.text, calls: callsBefore(after.calls) };
        return place.text === 0 && place.calls === 0 ? part : { ...part, after: place };
      }),
  };
}

interface Calls {
  readonly drafts: readonly CallDraft[];
  add(delta: CallDelta): void;
  /** Gives, for a number of drafts, how many of them are kept. */
  countBefore(isKept: (draft: CallDraft) => boolean): (drafts: number) => number;
}

function createCalls(): Calls {
  const drafts: CallDraft[] = [];
  const byKey = new Map<string, CallDraft>();
  return {
    drafts,
    add: (delta) => {
      const known = byKey.get(delta.key);
      const draft = known === undefined || startsAnother(known, delta) ? { id: "", name: "", argsText: "", lastChar: "" } : known;
      if (draft !== known) {
        drafts.push(draft);
        byKey.set(delta.key, draft);
      }
      extendCall(draft, delta);
    },
    countBefore: (isKept) => {
      let sum = 0;
      const sums = drafts.map((draft) => (sum += isKept(draft) ? 1 : 0));
      return (count) => (count === 0 ? 0 : (sums[count - 1] ?? 0));
    },
  };
}

function extendCall(draft: CallDraft, { id = "", name = "", args = "", signature }: CallDelta): void {
  if (draft.id === "") draft.id = id;
  if (draft.name === "") draft.name = name;
  draft.argsText += args;
  draft.lastChar = args.trimEnd().at(-1) ?? draft.lastChar;
  if (signature !== undefined) draft.signature = signature;
}

/** Servers reuse one key for several calls: another id, or a name with arguments after complete arguments, is a new call. */
function startsAnother(known: CallDraft, { id = "", name = "", args = "" }: CallDelta): boolean {
  if (id !== "" && known.id !== "") return id !== known.id;
  const isNamedAgain = name !== "" && known.name !== "";
  return isNamedAgain && args.trim() !== "" && isWhole(known);
}

/** Said of every piece: the text is looked at only when its end allows it. */
function isWhole({ lastChar, argsText }: CallDraft): boolean {
  if (lastChar === "}") return parseArguments(argsText) !== undefined;
  return lastChar === "l" && argsText.trim() === "null";
}

const isCall = (draft: CallDraft): boolean => draft.name !== "" || draft.lastChar !== "" || draft.id !== "";

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
