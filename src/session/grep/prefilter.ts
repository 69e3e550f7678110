import type { Required } from "./literal.js";

/** Bytes folded at once. */
const WINDOW_BYTES = 256 * 1024;

/** Tells texts that cannot hold a match from those that may. */
export class Prefilter {
  readonly #literals: readonly Buffer[];
  /** In lower case, as latin1; absent when case matters. */
  readonly #folded: readonly string[] | undefined;
  readonly #overlap: number;

  constructor({ literals, isFolded }: Required) {
    this.#literals = literals;
    this.#folded = isFolded ? literals.map((literal) => literal.toString("latin1")) : undefined;
    this.#overlap = Math.max(...literals.map((literal) => literal.length)) - 1;
  }

  mayMatch(raw: Buffer): boolean {
    const folded = this.#folded;
    if (folded === undefined) return this.#literals.some((literal) => raw.includes(literal));
    for (let start = 0; start < raw.length; start += WINDOW_BYTES) {
      // Folding bytes of longer characters does no harm: what is looked for has none.
      const text = raw.toString("latin1", start, start + WINDOW_BYTES + this.#overlap).toLowerCase();
      if (folded.some((literal) => text.includes(literal))) return true;
    }
    return false;
  }
}
