import { getU64, viewOf } from "../../bytes/index.js";
import { commitOfPlace, FLAG, ID_BYTES, placeOf, PRELUDE_LEAF_AT } from "../../codec/index.js";
import { isNone } from "../build/id-words.js";
import type { RawCommit } from "../build/raw-commit.js";
import { PARENT_AT, recordAt } from "../build/raw-commit.js";
import type { Findings } from "./findings.js";
import { IdIndex } from "./id-index.js";

export interface CommitCheckParts {
  readonly findings: Findings;
  /** Where a repair lost history, parents may be gone. */
  readonly mayLackParents: boolean;
}

/** Checks what commits say of each other: order, times, distances, parents, unique ids, the selected leaf. */
export class CommitCheck {
  readonly ids = new IdIndex();
  readonly #parts: CommitCheckParts;
  readonly #leaf = Buffer.alloc(ID_BYTES);
  readonly #checkpoints = new Set<number>();
  /** Of the newest readable commit; `undefined` when the one before the next is not known. */
  #previous: number | undefined;
  #isPreviousKnown = true;
  #time = 0;
  #entryTime = 0;
  #entries = 0;

  constructor(parts: CommitCheckParts) {
    this.#parts = parts;
  }

  get entries(): number {
    return this.#entries;
  }

  addCheckpoint(offset: number): void {
    this.#checkpoints.add(offset);
  }

  /** A COMMIT that cannot be read: where it lay is known, unless its framing is lost too. */
  skip(offset: number | undefined): void {
    this.#previous = offset;
    this.#isPreviousKnown = offset !== undefined;
  }

  check(commit: RawCommit): void {
    const { table, frame } = commit;
    this.#checkBacks(commit);
    if (table.time < this.#time) this.#warn(commit, "is dated before the change before it");
    this.#time = Math.max(this.#time, table.time);
    this.#checkRecords(commit);
    this.#checkLeaf(commit);
    this.#entries += table.records;
    this.#previous = frame.offset;
    this.#isPreviousKnown = true;
  }

  #checkBacks(commit: RawCommit): void {
    const { offset } = commit.frame;
    const { previousBack, checkpointBack } = commit.table;
    const expected = this.#previous === undefined ? 0 : offset - this.#previous;
    if (this.#isPreviousKnown && previousBack !== expected) this.#damaged(commit, "gives a wrong distance to the change before it");
    if (checkpointBack !== 0 && !this.#checkpoints.has(offset - checkpointBack))
      this.#damaged(commit, "gives a wrong distance to a checkpoint");
  }

  #checkRecords(commit: RawCommit): void {
    const { table, frame, body } = commit;
    const view = viewOf(body);
    for (let index = 0; index < table.records; index += 1) {
      const pos = recordAt(index);
      const time = getU64(view, pos + 64);
      if (time < this.#entryTime) this.#warn(commit, "has a record dated before the one before it");
      else this.#entryTime = time;
      this.#checkParent(commit, index, getU64(view, pos + 88));
      if (isNone(body, pos)) this.#damaged(commit, "has a record without an id");
      else if (!this.ids.add(body, pos, placeOf(frame.offset, index))) {
        this.#damaged(commit, `has a record with the id ${table.record(index).id}, which one before it has`);
      }
    }
  }

  #checkParent(commit: RawCommit, index: number, back: number): void {
    const { body, table, frame } = commit;
    const pos = recordAt(index) + PARENT_AT;
    const place = this.ids.find(body, pos);
    const isHistory = (table.flags(index) & FLAG.history) !== 0;
    const isMissing = place === undefined && !isNone(body, pos);
    if (isMissing && isHistory && !this.#parts.mayLackParents) this.#damaged(commit, "has a record whose parent is nowhere before it");
    const holder = place === undefined ? undefined : commitOfPlace(place);
    if (back !== 0 && holder !== frame.offset - back) this.#damaged(commit, `gives a wrong distance to the parent of record ${index}`);
  }

  #checkLeaf(commit: RawCommit): void {
    const { body } = commit;
    if (this.#leaf.compare(body, PRELUDE_LEAF_AT, PRELUDE_LEAF_AT + ID_BYTES) === 0) return;
    body.copy(this.#leaf, 0, PRELUDE_LEAF_AT, PRELUDE_LEAF_AT + ID_BYTES);
    if (!isNone(body, PRELUDE_LEAF_AT) && this.ids.find(body, PRELUDE_LEAF_AT) === undefined)
      this.#damaged(commit, "selects an entry that is nowhere before it");
  }

  #damaged({ frame }: RawCommit, what: string): void {
    this.#parts.findings.damaged(`Change ${frame.seq} ${what}.`, frame.offset, frame.end);
  }

  #warn({ frame }: RawCommit, what: string): void {
    this.#parts.findings.warn(`Change ${frame.seq} ${what}.`, frame.offset, frame.end);
  }
}
