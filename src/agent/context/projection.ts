import type { CallId } from "../../base/index.js";
import type {
  AssistantEntry,
  HistoryEntry,
  ImagePart,
  Message,
  ToolCallEntry,
  ToolResultEntry,
  UserMessageEntry,
} from "../../schema/index.js";
import { ledgerOf } from "./edits.js";
import { retained } from "./retained.js";

/** Words for a call whose result is nowhere on the branch: pairing must be whole at request time, whatever was stored. */
export const MISSING_RESULT =
  "No result was recorded for this call: it was interrupted. Its outcome is unknown; check the actual state before repeating it.";

/**
 * What the model sees of a branch: compaction boundary, then context edits, then messages with every tool call directly
 * followed by its result, results in call order. Pure; raw history is untouched. Specification, "Effective request context".
 */
export function project(history: readonly HistoryEntry[]): readonly Message[] {
  const { entries, summary } = retained(history);
  const ledger = ledgerOf(history);
  const messages: Message[] = [];
  if (summary !== undefined) messages.push({ role: "user", text: `Summary of the conversation before this point:\n\n${summary}` });
  const batch = new OpenBatch(messages);
  for (const entry of entries) {
    const edit = ledger.editOf(entry.id);
    if (edit?.operation !== "omit") projectEntry(entry, batch, edit?.text);
    else if (entry.type === "user-message" || entry.type === "assistant") batch.flush();
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
        ...imagesOf(entry, replacement),
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

/** An answer that waits for its calls and results; flushing makes the pairing whole. A replacement stands for all of a message. */
class OpenBatch {
  readonly messages: Message[];
  #assistant: AssistantEntry | undefined;
  #replacement: string | undefined;
  #calls: ToolCallEntry[] = [];
  readonly #results = new Map<CallId, { readonly entry: ToolResultEntry; readonly replacement: string | undefined }>();

  constructor(messages: Message[]) {
    this.messages = messages;
  }

  begin(assistant: AssistantEntry, replacement: string | undefined): void {
    this.flush();
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
      if (message.text !== "" || calls.length > 0) this.messages.push(message);
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
    })),
  };
}
