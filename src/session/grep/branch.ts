import type { EntryId } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { FileHeader } from "../codec/index.js";
import { placeOf } from "../codec/index.js";
import type { OpenFile, Tail } from "../log/index.js";
import { branchTargetUnknown } from "../diagnostics.js";
import { momentOf, walkBranch } from "../reader/index.js";
import { SessionStorageError } from "../types.js";

/** The records of a branch in file order, 8 bytes each, to be asked for in that order. */
export class BranchScope {
  readonly #places: readonly number[];
  #next = 0;

  constructor(places: readonly number[]) {
    this.#places = places;
  }

  /** Whether the branch has record `index` of the COMMIT at `offset`. */
  has(offset: number, index: number): boolean {
    const place = placeOf(offset, index);
    while ((this.#places[this.#next] ?? Number.POSITIVE_INFINITY) < place) this.#next += 1;
    return this.#places[this.#next] === place;
  }
}

export interface BranchRequest {
  readonly path: string;
  readonly file: OpenFile;
  readonly header: FileHeader;
  readonly tail: Tail;
  /** Default: the selected leaf. */
  readonly leaf: EntryId | undefined;
}

/** The branch as far back as it can be followed, and why not further. */
export async function scopeOf(request: BranchRequest): Promise<{ readonly scope: BranchScope; readonly broken: Diagnostic | undefined }> {
  const places: number[] = [];
  let broken: Diagnostic | undefined;
  const { leaf } = request;
  try {
    for await (const { table, index } of walkBranch(momentOf(request), leaf)) {
      // The walk gives the history only: of any other record its first place is that of another entry.
      if (places.length === 0 && leaf !== undefined && table.record(index).id !== leaf) break;
      places.push(placeOf(table.frame.offset, index));
    }
    if (places.length === 0 && leaf !== undefined) broken ??= branchTargetUnknown(request.header.id, leaf);
  } catch (error) {
    if (!(error instanceof SessionStorageError)) throw error;
    broken = error.diagnostic;
  }
  return { scope: new BranchScope(places.reverse()), broken };
}
