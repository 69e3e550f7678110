import type { EntryId } from "../../base/index.js";
import type { HistoryEntry, Spend } from "../../schema/index.js";
import { addSpend, NO_SPEND } from "../../schema/index.js";

/** What the branch that ends at a leaf used, from the first entry on: inherited entries are part of a branch like any other. */
export interface BranchCost {
  readonly leaf: EntryId;
  readonly isSelected: boolean;
  readonly spend: Spend;
}

/** Sums along every branch. An entry that used nothing shares the sum of the one before it. */
export class BranchSums {
  readonly #sums = new Map<EntryId, Spend>();
  readonly #ends = new Set<EntryId>();

  take({ id, parent }: HistoryEntry, spend: Spend | undefined): void {
    const before = (parent === undefined ? undefined : this.#sums.get(parent)) ?? NO_SPEND;
    this.#sums.set(id, spend === undefined ? before : addSpend(before, spend));
    if (parent !== undefined) this.#ends.delete(parent);
    this.#ends.add(id);
  }

  /** The selected leaf first, also where the branch goes on; then the ends of all others, newest first. */
  list(selected: EntryId | undefined): readonly BranchCost[] {
    const ends = [...this.#ends].reverse().filter((id) => id !== selected);
    const leaves = selected !== undefined && this.#sums.has(selected) ? [selected, ...ends] : ends;
    return leaves.map((leaf) => ({ leaf, isSelected: leaf === selected, spend: this.#sums.get(leaf) ?? NO_SPEND }));
  }
}
