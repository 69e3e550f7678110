import type { CallId, EntryId } from "../base/index.js";
import type {
  AssistantEntry,
  CompactionEntry,
  ContextEditEntry,
  HistoryEntry,
  Message,
  ToolCallEntry,
  ToolResultEntry,
} from "../schema/index.js";

/** Words for a call whose result is nowhere on the branch: pairing must be whole at request time, whatever was stored. */
export const MISSING_RESULT =
  "No result was recorded for this call: it was interrupted. Its outcome is unknown; check the actual state before repeating it.";

/**
 * What the model sees of a branch: compaction boundary, then context edits, then messages with every tool call directly
 * followed by its result, results in call order. Pure; raw history is untouched. Specification, "Effective request context".
 */
export function project(history: readonly HistoryEntry[]): readonly Message[] {
  const edits = newestEdits(history);
  const { kept, messages } = afterCompaction(history);
  const batch = new OpenBatch(messages);
  for (const entry of kept) {
    const edit = edits.get(entry.id);
    if (edit?.operation === "omit" && entry.type !== "tool-call" && entry.type !== "tool-result") continue;
    const text = edit?.operation === "replace" ? edit.text : undefined;
    projectEntry(entry, batch, edit?.operation === "omit" ? "(omitted)" : text);
  }
  batch.flush();
  return messages;
}

function projectEntry(entry: HistoryEntry, batch: OpenBatch, replacement: string | undefined): void {
  switch (entry.type) {
    case "user-message":
      batch.flush();
      batch.messages.push({
        role: "user",
        text: replacement ?? entry.text,
        ...(entry.images === undefined ? {} : { images: entry.images }),
      });
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
      return;
  }
}

function newestEdits(history: readonly HistoryEntry[]): ReadonlyMap<EntryId, ContextEditEntry> {
  return new Map(history.flatMap((entry) => (entry.type === "context-edit" ? [[entry.target, entry] as const] : [])));
}

function afterCompaction(history: readonly HistoryEntry[]): { readonly kept: readonly HistoryEntry[]; readonly messages: Message[] } {
  const compaction = history.findLast((entry): entry is CompactionEntry => entry.type === "compaction");
  if (compaction === undefined) return { kept: history, messages: [] };
  const first = history.findIndex((entry) => entry.id === compaction.firstKept);
  const text = `Summary of the conversation before this point:\n\n${compaction.summary}`;
  return { kept: first === -1 ? [] : history.slice(first), messages: [{ role: "user", text }] };
}

/** An assistant message waiting for its calls and results; flushing makes the pairing whole. */
class OpenBatch {
  readonly messages: Message[];
  #assistant: AssistantEntry | undefined;
  #text = "";
  #calls: ToolCallEntry[] = [];
  readonly #results = new Map<CallId, { readonly entry: ToolResultEntry; readonly text: string }>();

  constructor(messages: Message[]) {
    this.messages = messages;
  }

  begin(assistant: AssistantEntry, replacement: string | undefined): void {
    this.flush();
    this.#assistant = assistant;
    this.#text = replacement ?? assistant.text;
  }

  call(entry: ToolCallEntry): void {
    this.#calls.push(entry);
  }

  result(entry: ToolResultEntry, replacement: string | undefined): void {
    this.#results.set(entry.call, { entry, text: replacement ?? entry.text });
  }

  flush(): void {
    const assistant = this.#assistant;
    if (assistant !== undefined) {
      const calls = [...this.#calls].sort((left, right) => left.ordinal - right.ordinal);
      if (this.#text !== "" || calls.length > 0) this.messages.push(assistantMessage(assistant, this.#text, calls));
      for (const call of calls) this.messages.push(this.#resultMessage(call));
    }
    this.#assistant = undefined;
    this.#calls = [];
    this.#results.clear();
  }

  #resultMessage(call: ToolCallEntry): Message {
    const found = this.#results.get(call.call);
    const shared = { role: "tool", call: call.call, providerId: call.providerId, name: call.name } as const;
    if (found === undefined) return { ...shared, text: MISSING_RESULT, isError: true };
    const images = found.entry.images === undefined ? {} : { images: found.entry.images };
    return { ...shared, text: found.text, isError: found.entry.isError, ...images };
  }
}

function assistantMessage(entry: AssistantEntry, text: string, calls: readonly ToolCallEntry[]): Message {
  // Thinking of a cut response has no valid signature; providers refuse it.
  const whole = entry.stop !== "aborted" && entry.stop !== "failed";
  return {
    role: "assistant",
    text,
    from: entry.dispatch,
    ...(whole && entry.thinking.length > 0 ? { thinking: entry.thinking } : {}),
    toolCalls: calls.map((call) => ({
      call: call.call,
      providerId: call.providerId,
      name: call.name,
      argsText: call.argsText,
      ...(call.args === undefined ? {} : { args: call.args }),
    })),
  };
}
