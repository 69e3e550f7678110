import type { EntryId, IdSource } from "../base/index.js";
import { type Entry, type HistoryEntry, isHistoryEntry } from "../schema/index.js";
import type { AgentState } from "./state.js";

type Fields<E extends Entry> = E extends Entry ? Omit<E, "id" | "time" | "parent"> : never;
type LiveEntry = Exclude<Entry, HistoryEntry>;

/** Ids and time of one decision: recorded with the entries, so the same entries come out of a replay. */
export interface Mint {
  readonly ids: IdSource;
  readonly time: number;
}

/**
 * Collects the entries of one change; every history entry becomes the child of the one before it. Texts are made valid
 * Unicode as the file stores them, so that what is remembered, sent and recorded is the same.
 */
export class Draft {
  readonly entries: Entry[] = [];
  readonly #mint: Mint;
  #leaf: EntryId | undefined;
  /** As of the last time it was asked for: a history is long, so it is not copied for every entry. */
  #history: readonly HistoryEntry[];
  #appended: HistoryEntry[] = [];

  constructor(state: Pick<AgentState, "leaf" | "history">, mint: Mint) {
    this.#mint = mint;
    this.#leaf = state.leaf;
    this.#history = state.history;
  }

  /** Appends to the branch and moves the leaf. */
  append<E extends HistoryEntry>(fields: Fields<E>): E {
    const entry = this.#make<E>(fields, this.#leaf);
    this.#leaf = entry.id;
    if (isHistoryEntry(entry)) this.#appended.push(entry);
    return entry;
  }

  /** Records a fact beside the branch. `cause` is the entry that led to it. */
  record<E extends LiveEntry>(fields: Fields<E>, cause?: EntryId): E {
    return this.#make<E>(fields, cause);
  }

  get leaf(): EntryId | undefined {
    return this.#leaf;
  }

  get history(): readonly HistoryEntry[] {
    if (this.#appended.length > 0) {
      this.#history = [...this.#history, ...this.#appended];
      this.#appended = [];
    }
    return this.#history;
  }

  #make<E extends Entry>(fields: Fields<E>, parent: EntryId | undefined): E {
    const stamp = { id: this.#mint.ids.next<EntryId>(), time: this.#mint.time, ...(parent === undefined ? {} : { parent }) };
    // Fields<E> plus the stamp is E by construction; the compiler cannot rebuild a generic union from its parts.
    const entry = { ...(wellFormed(fields) as object), ...stamp } as unknown as E;
    this.entries.push(entry);
    return entry;
  }
}

/** Deeper values than this are refused by every store. */
const MAX_DEPTH = 200;

/** The same value with every lone surrogate as U+FFFD, the same object when there was none. */
function wellFormed(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return value.isWellFormed() ? value : value.toWellFormed();
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => wellFormed(item, depth + 1));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const fields = Object.entries(value);
  const formed = fields.map(([key, field]) => [key.toWellFormed(), wellFormed(field, depth + 1)] as const);
  return formed.some(([key, field], index) => key !== fields[index]?.[0] || field !== fields[index]?.[1])
    ? Object.fromEntries(formed)
    : value;
}
