import type { CallId, EntryId } from "../../base/index.js";
import type {
  AssistantEntry,
  HistoryEntry,
  ImagePart,
  Message,
  ToolCallEntry,
  ToolResultEntry,
  UserMessageEntry,
} from "../../schema/index.js";
import type { EditLedger } from "./edit-ledger.js";
import { ledgerOf } from "./edits.js";
import { endsBatch } from "./lost.js";
import { retained } from "./retained.js";

/** Words for a call whose result is nowhere on the branch: pairing must be whole at request time, whatever was stored. */
export const MISSING_RESULT =
  "No result was recorded for this call: it was interrupted. Its outcome is unknown; check the actual state before repeating it.";

/** What the model sees of a history, and from where it can be gone on with when entries are appended to that. */
export interface Projection {
  readonly messages: readonly Message[];
  /** The entry each message is of: of a summary the compaction, of a missing result the call. */
  readonly entries: readonly EntryId[];
  /** Newest input or answer: the messages before it stay what they are, whatever follows. */
  readonly lead?: Lead;
  /** Leading messages that are the very ones of the projection this one goes on from. */
  readonly shared: number;
}

interface Lead {
  readonly entry: HistoryEntry;
  /** Its place in the history. */
  readonly index: number;
  /** Messages before it. */
  readonly messages: number;
}

export const emptyProjection: Projection = { messages: [], entries: [], shared: 0 };

/**
 * What the model sees of a branch: compaction boundary, then context edits, then messages with every tool call directly
 * followed by its result, results in call order. Pure; raw history is untouched. Specification, "Effective request context".
 */
export const project = (history: readonly HistoryEntry[]): readonly Message[] => projectAll(history).messages;

/** The same for a history that may begin like that of `known`: then only what is new is looked at. */
export function extendProjection(known: Projection, history: readonly HistoryEntry[]): Projection {
  const { lead } = known;
  if (lead === undefined || history[lead.index] !== lead.entry || isReshaped(history, lead.index)) return projectAll(history);
  const shown = new Shown(known.messages.slice(0, lead.messages), known.entries.slice(0, lead.messages));
  return { ...projectFrom(history, lead.index, { shown, edits: undefined }), shared: lead.messages };
}

/** Whether entries from `start` on change what is seen of entries before them. */
function isReshaped(history: readonly HistoryEntry[], start: number): boolean {
  for (let index = start; index < history.length; index += 1) {
    const type = history[index]?.type;
    if (type === "compaction" || type === "context-edit") return true;
  }
  return false;
}

function projectAll(history: readonly HistoryEntry[]): Projection {
  return projectEdited(history, history.some(({ type }) => type === "context-edit") ? ledgerOf(history) : undefined);
}

/** With other edits in force than those the history holds. */
export function projectEdited(history: readonly HistoryEntry[], edits: EditLedger | undefined): Projection {
  const { start, compaction } = retained(history);
  const shown = new Shown();
  if (compaction !== undefined) {
    shown.push({ role: "user", text: `Summary of the conversation before this point:\n\n${compaction.summary}` }, compaction.id);
  }
  return projectFrom(history, start, { shown, edits });
}

function projectFrom(
  history: readonly HistoryEntry[],
  start: number,
  { shown, edits }: { readonly shown: Shown; readonly edits: EditLedger | undefined },
): Projection {
  const { messages, entries } = shown;
  const batch = new OpenBatch(shown);
  let lead: Lead | undefined;
  for (let index = start; index < history.length; index += 1) {
    const entry = history[index];
    if (entry === undefined) break;
    if (endsBatch(entry)) batch.flush();
    if (entry.type === "user-message" || entry.type === "assistant") {
      lead = { entry, index, messages: messages.length };
    }
    if (lacksInput(history, index, messages)) continue;
    const edit = edits?.editOf(entry.id);
    if (edit?.operation !== "omit") projectEntry(entry, batch, edit?.text);
  }
  batch.flush();
  return { messages, entries, ...(lead === undefined ? {} : { lead }), shared: 0 };
}

/** Messages, each with the entry it is of. */
class Shown {
  readonly messages: Message[];
  readonly entries: EntryId[];

  constructor(messages: Message[] = [], entries: EntryId[] = []) {
    this.messages = messages;
    this.entries = entries;
  }

  push(message: Message, entry: EntryId): void {
    this.messages.push(message);
    this.entries.push(entry);
  }
}

/** Providers refuse a request that begins with an answer, as one does when the input before it is lost: it is left out then. */
function lacksInput(history: readonly HistoryEntry[], index: number, before: readonly Message[]): boolean {
  if (before.length > 0 || history[index]?.type !== "assistant") return false;
  const first = history.findIndex(({ type }) => type === "lost");
  return first !== -1 && first < index;
}

/** An input or answer finds the batch before it flushed. */
function projectEntry(entry: HistoryEntry, batch: OpenBatch, replacement: string | undefined): void {
  switch (entry.type) {
    case "user-message":
      batch.shown.push({ role: "user", text: replacement ?? entry.text, ...imagesOf(entry, replacement) }, entry.id);
      return;
    case "assistant":
      batch.begin(entry, replacement);
      return;
    case "tool-call":
      batch.call(entry);
      return;
    case "tool-result":
      batch.result(entry, replacement);
      return;
    case "prompt":
    case "session-info":
    case "compaction":
    case "context-edit":
    case "branch-state":
    case "lost":
      return;
  }
}

/** An answer that waits for its calls and results; flushing makes the pairing whole. A replacement stands for all of a message. */
class OpenBatch {
  readonly shown: Shown;
  #assistant: AssistantEntry | undefined;
  #replacement: string | undefined;
  #calls: ToolCallEntry[] = [];
  readonly #results = new Map<CallId, { readonly entry: ToolResultEntry; readonly replacement: string | undefined }>();

  constructor(shown: Shown) {
    this.shown = shown;
  }

  begin(assistant: AssistantEntry, replacement: string | undefined): void {
    this.#assistant = assistant;
    this.#replacement = replacement;
  }

  call(entry: ToolCallEntry): void {
    this.#calls.push(entry);
  }

  result(entry: ToolResultEntry, replacement: string | undefined): void {
    this.#results.set(entry.call, { entry, replacement });
  }

  flush(): void {
    const assistant = this.#assistant;
    if (assistant !== undefined) {
      const calls = [...this.#calls].sort((left, right) => left.ordinal - right.ordinal);
      const message = assistantMessage(assistant, this.#replacement, calls);
      if (message.text !== "" || calls.length > 0) this.shown.push(message, assistant.id);
      for (const call of calls) this.shown.push(this.#resultMessage(call), this.#results.get(call.call)?.entry.id ?? call.id);
    }
    this.#assistant = undefined;
    this.#calls = [];
    this.#results.clear();
  }

  #resultMessage(call: ToolCallEntry): Message {
    const found = this.#results.get(call.call);
    const shared = { role: "tool", call: call.call, providerId: call.providerId, name: call.name } as const;
    if (found === undefined) return { ...shared, text: MISSING_RESULT, isError: true };
    const { entry, replacement } = found;
    return { ...shared, text: replacement ?? entry.text, isError: entry.isError, ...imagesOf(entry, replacement) };
  }
}

/** No images and an empty list of them are the same in a file, so they are in a message. */
const imagesOf = (
  { images }: Pick<UserMessageEntry, "images">,
  replacement: string | undefined,
): { readonly images?: readonly ImagePart[] } =>
  replacement !== undefined || images === undefined || images.length === 0 ? {} : { images };

function assistantMessage(
  entry: AssistantEntry,
  replacement: string | undefined,
  calls: readonly ToolCallEntry[],
): Extract<Message, { readonly role: "assistant" }> {
  // Thinking of a cut response has no valid signature, and providers refuse it; a replaced answer keeps nothing of what it was.
  const isWhole = entry.stop !== "aborted" && entry.stop !== "failed" && replacement === undefined;
  return {
    role: "assistant",
    text: replacement ?? entry.text,
    from: entry.dispatch,
    ...(isWhole && entry.thinking.length > 0 ? { thinking: entry.thinking } : {}),
    toolCalls: calls.map((call) => ({
      call: call.call,
      providerId: call.providerId,
      name: call.name,
      argsText: call.argsText,
      ...(call.args === undefined ? {} : { args: call.args }),
      ...(call.signature === undefined ? {} : { signature: call.signature }),
    })),
  };
}
