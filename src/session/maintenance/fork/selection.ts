import type { EntryId, Result } from "../../../base/index.js";
import { err, ok } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import type { Frame, RecordView } from "../../codec/index.js";
import { FLAG, KINDS, placeOf, typeOfKind } from "../../codec/index.js";
import type { LogicalFile } from "../../log/index.js";
import { peekEntry, readEntry } from "../../log/index.js";
import type { Source } from "../../reader/index.js";
import { walkBranch } from "../../reader/index.js";
import { SessionStorageError } from "../../types.js";
import { IdSet } from "../build/id-set.js";
import { isNone } from "../build/id-words.js";
import type { RawCommit } from "../build/raw-commit.js";
import { OWNER_AT, PAIRING_AT, PARENT_AT, recordAt } from "../build/raw-commit.js";
import { forkTargetUnknown, interrupted } from "../diagnostics.js";

const PLACES_AT_FIRST = 1024;

/** Entries made by work: their owner is it, their pairing what they answer. */
const WORKED: ReadonlySet<number> = new Set([
  KINDS["user-message"].kind,
  KINDS.assistant.kind,
  KINDS["tool-call"].kind,
  KINDS["tool-result"].kind,
]);
/** Records that are referred to by their pairing: taking one takes what refers to it. */
const NAMED: ReadonlySet<number> = new Set([
  KINDS.submission.kind,
  KINDS.invocation.kind,
  KINDS["effect-intent"].kind,
  KINDS["effect-done"].kind,
  KINDS.request.kind,
]);

/** The entry a fork ends at, and the commit that holds it. */
export interface ForkPoint {
  readonly at: EntryId;
  readonly commit: Frame;
  readonly isInherited: boolean;
}

/** Which records of a source belong to the branch that is forked. Holds 16 bytes for each name on it and no objects. */
export class ForkSelection {
  readonly point: ForkPoint;
  /** The branch in file order, 8 bytes each. */
  readonly #places: Float64Array;
  readonly #names: IdSet;
  readonly #states: ReadonlySet<number>;
  #next = 0;

  private constructor(point: ForkPoint, branch: { readonly places: Float64Array; readonly names: IdSet }, states: ReadonlySet<number>) {
    this.point = point;
    this.#places = branch.places;
    this.#names = branch.names;
    this.#states = states;
  }

  /** Walks the branch that ends at `at` once. `states`: what of session state is copied, as of the fork point found. */
  static async create(
    source: Source,
    { at, signal }: { readonly at: EntryId; readonly signal: AbortSignal | undefined },
    states: (point: ForkPoint) => Promise<ReadonlySet<number>>,
  ): Promise<Result<ForkSelection, Diagnostic>> {
    const names = new IdSet();
    const places = new PlaceList();
    let point: ForkPoint | undefined;
    try {
      for await (const { table, index } of walkBranch(source, at)) {
        if (signal?.aborted === true) return err(interrupted("fork"));
        const record = table.record(index);
        point ??= { at: record.id, commit: table.frame, isInherited: (record.flags & FLAG.source) !== 0 };
        if (point.at !== at) return err(forkTargetUnknown(source.id, at));
        places.push(placeOf(table.frame.offset, index));
        addNames(names, record);
      }
    } catch (error) {
      if (point === undefined && error instanceof SessionStorageError) return err(forkTargetUnknown(source.id, at));
      throw error;
    }
    if (point === undefined) return err(forkTargetUnknown(source.id, at));
    return ok(new ForkSelection(point, { places: places.ascending(), names }, await states(point)));
  }

  /** Numbers of the records of a commit that are taken. Commits come in file order, each once. */
  async recordsOf(source: RawCommit, files: { readonly file: LogicalFile; readonly chunks: LogicalFile }): Promise<readonly number[]> {
    const taken: number[] = [];
    for (let index = 0; index < source.table.records; index += 1) {
      const isHistory = (source.table.flags(index) & FLAG.history) !== 0;
      if (isHistory ? this.#isOnBranch(source, index) : await this.#belongs(source, index, files)) taken.push(index);
    }
    return taken;
  }

  #isOnBranch({ frame }: RawCommit, index: number): boolean {
    const place = placeOf(frame.offset, index);
    while ((this.#places[this.#next] ?? Infinity) < place) this.#next += 1;
    return this.#places[this.#next] === place;
  }

  async #belongs(source: RawCommit, index: number, files: { readonly file: LogicalFile; readonly chunks: LogicalFile }): Promise<boolean> {
    const { body, table, frame } = source;
    const kind = table.kind(index);
    if (kind === KINDS.origin.kind) return true;
    if (kind === KINDS.state.kind) return this.#states.has(placeOf(frame.offset, index));
    const isTaken = this.#isNamed(source, index) || (await this.#isCaused(source, index, files));
    if (isTaken && NAMED.has(kind)) this.#names.add(body, recordAt(index) + PAIRING_AT);
    return isTaken;
  }

  #isNamed({ body, table }: RawCommit, index: number): boolean {
    const at = recordAt(index);
    const kind = table.kind(index);
    const has = (field: number): boolean => this.#names.has(body, at + field);
    const lacks = (field: number): boolean => isNone(body, at + field);
    if (kind === KINDS.leaf.kind) return has(PARENT_AT) && (lacks(PAIRING_AT) || has(PAIRING_AT));
    if (kind === KINDS.queue.kind) return has(PAIRING_AT);
    if (lacks(OWNER_AT)) return has(PARENT_AT) || has(PAIRING_AT);
    if (has(OWNER_AT)) return true;
    // Work made by work of the branch belongs to it too.
    if (kind === KINDS.work.kind && has(PAIRING_AT)) return this.#names.add(body, at + OWNER_AT);
    return typeOfKind(kind) === "unknown" && has(PARENT_AT);
  }

  /** An effect without work belongs to the call, request or invocation that caused it, which only its payload names. */
  async #isCaused(
    { body, table }: RawCommit,
    index: number,
    { file, chunks }: { readonly file: LogicalFile; readonly chunks: LogicalFile },
  ): Promise<boolean> {
    if (table.kind(index) !== KINDS["effect-intent"].kind || !isNone(body, recordAt(index) + OWNER_AT)) return false;
    const entry = peekEntry(file, table, index) ?? (await readEntry(chunks, table, index));
    return entry !== "damaged" && entry.type === "effect-intent" && this.#names.hasId(entry.cause);
  }
}

/** By what the evidence on an entry of the branch may refer to it. */
function addNames(names: IdSet, { id, owner, pairing, kind }: RecordView): void {
  names.addId(id);
  if (owner !== undefined) names.addId(owner);
  if (pairing !== undefined && WORKED.has(kind)) names.addId(pairing);
}

class PlaceList {
  #places = new Float64Array(PLACES_AT_FIRST);
  #count = 0;

  push(place: number): void {
    if (this.#count === this.#places.length) {
      const larger = new Float64Array(this.#places.length * 2);
      larger.set(this.#places);
      this.#places = larger;
    }
    this.#places[this.#count] = place;
    this.#count += 1;
  }

  /** Pushed newest first. */
  ascending(): Float64Array {
    return this.#places.subarray(0, this.#count).reverse();
  }
}
