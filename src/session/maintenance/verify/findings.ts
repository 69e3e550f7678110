import { BLOCK_BYTES, BLOCK_HEADER_BYTES, physicalOf } from "../../codec/index.js";
import type { Finding } from "../../types.js";

/** What was found and not given out yet, and how much damage there was in all. */
export class Findings {
  #damage = 0;
  #waiting: Finding[] = [];

  get damage(): number {
    return this.#damage;
  }

  /** Takes what waits. */
  take(): readonly Finding[] {
    if (this.#waiting.length === 0) return NONE;
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }

  add(finding: Finding): void {
    if (finding.severity === "damage") this.#damage += 1;
    this.#waiting.push(finding);
  }

  /** Something wrong with the logical bytes `[from, to)`. */
  damaged(what: string, from: number, to: number): void {
    this.add({ severity: "damage", what, ...spanOf(from, to) });
  }

  warn(what: string, from: number, to: number): void {
    this.add({ severity: "warning", what, ...spanOf(from, to) });
  }

  /** Something wrong with the header of a block. */
  damagedBlock(what: string, block: number): void {
    const offset = block * BLOCK_BYTES;
    this.add({ severity: "damage", what, offset, end: offset + BLOCK_HEADER_BYTES });
  }
}

const NONE: readonly Finding[] = [];

/** Bytes of the file for logical ones. */
const spanOf = (from: number, to: number): { readonly offset: number; readonly end: number } => ({
  offset: physicalOf(from),
  end: physicalOf(Math.max(from, to - 1)) + 1,
});
