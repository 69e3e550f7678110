import type { CallId, EntryId } from "../../base/index.js";
import type {
  AssistantEntry,
  ContextEditEntry,
  HistoryEntry,
  ToolCallEntry,
  ToolResultEntry,
  UserMessageEntry,
} from "../../schema/index.js";
import { endsBatch } from "./lost.js";

/** What may be edited. */
export type Editable = UserMessageEntry | AssistantEntry | ToolCallEntry | ToolResultEntry;
export type Edit = Pick<ContextEditEntry, "target" | "operation" | "text">;

/** One answer with its calls and their results. */
interface Exchange {
  readonly assistant: AssistantEntry;
  readonly calls: Map<CallId, { readonly call: ToolCallEntry; result?: ToolResultEntry }>;
}

interface Place {
  readonly entry: Editable;
  readonly exchange?: Exchange;
}

/** Which rule of a valid context a set of edits would break, and at which entry. */
export type Breach =
  | { readonly type: "call-alone" | "result-alone"; readonly call: ToolCallEntry }
  | { readonly type: "calls-left"; readonly assistant: AssistantEntry; readonly call: ToolCallEntry }
  | { readonly type: "no-input" }
  | { readonly type: "answer-first" };

/**
 * The edits that are in force on a branch, fed entry by entry from its oldest retained one. A batch of edits takes effect
 * only when the context it leaves keeps every call with its result, begins with input and has some: else the earlier
 * projection stays (specification, "Context edits").
 */
export class EditLedger {
  readonly #hasSummary: boolean;
  readonly #places = new Map<EntryId, Place>();
  /** Inputs and answers in order: what a context can begin with. */
  readonly #leads: (UserMessageEntry | AssistantEntry)[] = [];
  readonly #edits = new Map<EntryId, Edit>();
  #exchange: Exchange | undefined;
  #inputs = 0;

  constructor(hasSummary: boolean) {
    this.#hasSummary = hasSummary;
  }

  /** The entry a target names, when it contributes to the context. */
  target(id: EntryId): Editable | undefined {
    return this.#places.get(id)?.entry;
  }

  /** Nothing comes before it: not even a summary. */
  isFirst(id: EntryId): boolean {
    return !this.#hasSummary && this.#leads[0]?.id === id;
  }

  editOf(id: EntryId): Edit | undefined {
    return this.#edits.get(id);
  }

  /** What goes with an entry when it is omitted: the result of a call, the call of a result, all calls and results of an answer. */
  counterparts(id: EntryId): readonly EntryId[] {
    const place = this.#places.get(id);
    if (place?.exchange === undefined) return [];
    const { entry, exchange } = place;
    const pairs = entry.type === "tool-call" || entry.type === "tool-result" ? [exchange.calls.get(entry.call)] : exchange.calls.values();
    const parts = [...pairs].flatMap((pair) =>
      pair === undefined ? [] : [pair.call, ...(pair.result === undefined ? [] : [pair.result])],
    );
    return parts.map((part) => part.id).filter((part) => part !== id);
  }

  add(entry: HistoryEntry): void {
    if (endsBatch(entry)) this.#exchange = undefined;
    switch (entry.type) {
      case "user-message":
        this.#places.set(entry.id, { entry });
        this.#leads.push(entry);
        this.#inputs += 1;
        return;
      case "assistant":
        this.#exchange = { assistant: entry, calls: new Map() };
        this.#places.set(entry.id, { entry, exchange: this.#exchange });
        this.#leads.push(entry);
        return;
      case "tool-call":
        this.#exchange?.calls.set(entry.call, { call: entry });
        if (this.#exchange !== undefined) this.#places.set(entry.id, { entry, exchange: this.#exchange });
        return;
      case "tool-result":
        this.#addResult(entry);
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

  /** Puts a batch in force, or tells what forbids it and changes nothing. Targets that do not contribute are passed over. */
  apply(batch: readonly Edit[]): Breach | undefined {
    const before = new Map(batch.map(({ target }) => [target, this.#edits.get(target)] as const));
    const wasSound = this.#leadBreach() === undefined;
    for (const edit of batch) if (this.#places.has(edit.target)) this.#put(edit.target, edit.operation === "restore" ? undefined : edit);
    const breach = this.#pairingBreach(before.keys()) ?? (wasSound ? this.#leadBreach() : undefined);
    if (breach !== undefined) for (const [target, edit] of before) this.#put(target, edit);
    return breach;
  }

  #addResult(entry: ToolResultEntry): void {
    const pair = this.#exchange?.calls.get(entry.call);
    if (this.#exchange === undefined || pair === undefined) return;
    pair.result = entry;
    this.#places.set(entry.id, { entry, exchange: this.#exchange });
  }

  #put(target: EntryId, edit: Edit | undefined): void {
    const isInput = this.#places.get(target)?.entry.type === "user-message";
    if (isInput) this.#inputs += Number(this.#isOmitted(target)) - Number(edit?.operation === "omit");
    if (edit === undefined) this.#edits.delete(target);
    else this.#edits.set(target, edit);
  }

  #isOmitted(id: EntryId): boolean {
    return this.#edits.get(id)?.operation === "omit";
  }

  #pairingBreach(targets: Iterable<EntryId>): Breach | undefined {
    const touched = new Set<Exchange>();
    for (const target of targets) {
      const exchange = this.#places.get(target)?.exchange;
      if (exchange !== undefined) touched.add(exchange);
    }
    for (const { assistant, calls } of touched) {
      for (const { call, result } of calls.values()) {
        const isCallOmitted = this.#isOmitted(call.id);
        if (result !== undefined && isCallOmitted !== this.#isOmitted(result.id))
          return { type: isCallOmitted ? "result-alone" : "call-alone", call };
        if (this.#isOmitted(assistant.id) && !isCallOmitted) return { type: "calls-left", assistant, call };
      }
    }
    return undefined;
  }

  /** A request needs input, and it comes first. */
  #leadBreach(): Breach | undefined {
    if (this.#hasSummary) return undefined;
    if (this.#inputs === 0) return { type: "no-input" };
    const first = this.#leads.find((entry) => this.#isSent(entry));
    return first?.type === "assistant" ? { type: "answer-first" } : undefined;
  }

  #isSent(entry: UserMessageEntry | AssistantEntry): boolean {
    if (this.#isOmitted(entry.id)) return false;
    if (entry.type === "user-message" || (this.#edits.get(entry.id)?.text ?? entry.text) !== "") return true;
    const calls = this.#places.get(entry.id)?.exchange?.calls.values() ?? [];
    return [...calls].some(({ call }) => !this.#isOmitted(call.id));
  }
}
