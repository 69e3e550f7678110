import type { EntryId } from "../../../base/index.js";

interface Break {
  /** Logical offset in the damaged file where what is gone begins. */
  readonly from: number;
  /** Leaf that was selected before it. */
  readonly leaf: EntryId | undefined;
}

/** Where changes are gone from a file, and which branch they continued: their first entry most likely followed the leaf before. */
export class Lineage {
  readonly #breaks: Break[] = [];
  #leaf: EntryId | undefined;

  get isBroken(): boolean {
    return this.#breaks.length > 0;
  }

  /** The leaf that is selected from here on. */
  select(leaf: EntryId | undefined): void {
    this.#leaf = leaf;
  }

  /** Changes are gone that began at this offset. */
  breaks(from: number): void {
    this.#breaks.push({ from, leaf: this.#leaf });
  }

  /** The leaf before the changes that held an entry at `offset`; where that is not known, before those that went last. */
  before(offset: number | undefined): EntryId | undefined {
    const found = offset === undefined ? undefined : this.#breaks.findLast(({ from }) => from <= offset);
    return (found ?? this.#breaks.at(-1))?.leaf;
  }
}
