import { getU64, viewOf } from "../../bytes/index.js";
import type { Checkpoint } from "../../codec/index.js";
import { CHECKPOINT_PRELUDE_BYTES, ID_BYTES, INDEX_ITEM_BYTES, KEY_HASH_BYTES, KEY_ITEM_BYTES, commitOfPlace } from "../../codec/index.js";
import type { Foldable } from "../../live/index.js";
import { decodeFold, encodeFold, keyHash, LiveFold } from "../../live/index.js";
import type { Findings } from "./findings.js";
import type { IdIndex } from "./id-index.js";
import type { RawCommit } from "../build/raw-commit.js";

/** What a commit adds to the index of the next checkpoint. */
interface Indexed {
  readonly seq: number;
  readonly records: number;
  /** Hash and offset of every own deduplication key. */
  readonly keys: readonly string[];
}

const keyItem = (hash: Buffer, offset: number): string => `${hash.toString("hex")}:${offset}`;

/** Checks checkpoints against the records they index and against the live state that folding those gives. */
export class CheckpointCheck {
  readonly #findings: Findings;
  readonly #ids: IdIndex;
  readonly #live = new LiveFold();
  /** Nothing before was lost: what a checkpoint knew from before the damage cannot be checked. */
  #isWhole = true;
  #newest: number | undefined;
  /** Commits since the newest checkpoint. */
  #pending: Indexed[] = [];

  constructor(findings: Findings, ids: IdIndex) {
    this.#findings = findings;
    this.#ids = ids;
  }

  /** Takes in a commit and what of it is folded. */
  add({ frame, table }: RawCommit, entries: readonly Foldable[]): void {
    const keys: string[] = [];
    this.#live.advance(frame.seq);
    for (const entry of entries) {
      this.#live.apply(entry);
      const isKeyed = entry.type === "submission" && entry.key !== undefined && entry.inherited !== true;
      if (isKeyed) keys.push(keyItem(keyHash(entry.key), frame.offset));
    }
    this.#pending.push({ seq: frame.seq, records: table.records, keys });
  }

  /** Some of what came before cannot be read. */
  lose(): void {
    this.#isWhole = false;
  }

  check(checkpoint: Checkpoint, body: Buffer): void {
    const { frame, previous } = checkpoint;
    const complain = (what: string): void => {
      this.#findings.damaged(`A checkpoint ${what}.`, frame.offset, frame.end);
    };
    if (previous !== this.#newest) complain("gives a wrong distance to the one before it");
    this.#newest = frame.offset;
    if (!this.#pointsRight(checkpoint, body)) complain("points to the wrong place for an entry");
    this.#checkIndex(checkpoint, body, complain);
    const state = body.subarray(checkpoint.stateAt, checkpoint.stateAt + checkpoint.stateBytes);
    if (state.length === 0) return;
    if (decodeFold(state) === undefined) {
      this.#findings.warn("A checkpoint holds live state that this version does not read.", frame.offset, frame.end);
    } else if (this.#isWhole && this.#live.seq === frame.seq && !state.equals(encodeFold(this.#live))) {
      complain("holds another live state than the changes before it give");
    }
  }

  /** That it knows all records and keys since the one before it, and no key that is none. */
  #checkIndex(checkpoint: Checkpoint, body: Buffer, complain: (what: string) => void): void {
    const { frame, idCount, keyCount, keysAt } = checkpoint;
    const covered = this.#pending.filter(({ seq }) => seq <= frame.seq);
    this.#pending = this.#pending.slice(covered.length);
    if (!this.#isWhole) return;
    if (idCount !== covered.reduce((sum, { records }) => sum + records, 0)) complain("does not know every entry since the one before it");
    const keys = new Set(covered.flatMap((commit) => commit.keys));
    const view = viewOf(body);
    const stored = Array.from({ length: keyCount }, (_, index) => {
      const at = keysAt + index * KEY_ITEM_BYTES;
      return keyItem(body.subarray(at, at + KEY_HASH_BYTES), frame.offset - getU64(view, at + KEY_HASH_BYTES));
    });
    const isSame = covered.reduce((sum, commit) => sum + commit.keys.length, 0) === keyCount && stored.every((item) => keys.has(item));
    if (!isSame) complain("does not know the deduplication keys since the one before it");
  }

  #pointsRight({ frame, idCount }: Checkpoint, body: Buffer): boolean {
    const view = viewOf(body);
    for (let index = 0; index < idCount; index += 1) {
      const at = CHECKPOINT_PRELUDE_BYTES + index * INDEX_ITEM_BYTES;
      const place = this.#ids.find(body, at);
      const holder = place === undefined ? undefined : commitOfPlace(place);
      if (holder !== frame.offset - getU64(view, at + ID_BYTES)) return false;
    }
    return true;
  }
}
