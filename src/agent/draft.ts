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

/** Collects the entries of one change; every history entry becomes the child of the one before it. */
export class Draft {
  readonly entries: Entry[] = [];
  readonly #mint: Mint;
  #leaf: EntryId | undefined;
  #history: readonly HistoryEntry[];

  constructor(state: AgentState, mint: Mint) {
    this.#mint = mint;
    this.#leaf = state.leaf;
    this.#history = state.history;
  }

  /** Appends to the branch and moves the leaf. */
  append<E extends HistoryEntry>(fields: Fields<E>): E {
    const entry = this.#make<E>(fields, this.#leaf);
    this.#leaf = entry.id;
    if (isHistoryEntry(entry)) this.#history = [...this.#history, entry];
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
    return this.#history;
  }

  #make<E extends Entry>(fields: Fields<E>, parent: EntryId | undefined): E {
    const stamp = { id: this.#mint.ids.next<EntryId>(), time: this.#mint.time, ...(parent === undefined ? {} : { parent }) };
    // Fields<E> plus the stamp is E by construction; the compiler cannot rebuild a generic union from its parts.
    const entry = { ...fields, ...stamp } as unknown as E;
    this.entries.push(entry);
    return entry;
  }
}
