import type { EntryId } from "../../base/index.js";
import type { Checkpoint } from "../codec/index.js";
import type { LogicalFile } from "../log/index.js";
import type { Ending } from "./checkpoints.js";
import { CheckpointChain, findId, findKey } from "./checkpoints.js";

/** Checkpoints remembered: bounds memory. What older ones cover is searched for as if they were not there. */
const MAX_FENCES = 4096;

/** What the checkpoints of a file say, as of one tail. */
export interface Coverage {
  /** Newest first. */
  readonly checkpoints: readonly Checkpoint[];
  /** Whether together they know every record up to the newest of them. */
  readonly isComplete: boolean;
}

/** Those of one file, made with the first search in it. */
export const fencesOf = (places: { fences: Fences | undefined }): Fences => (places.fences ??= new Fences());

/** The checkpoints met in a file, each validated once: what their ids lie between, not the ids themselves. */
export class Fences {
  #coverage: Coverage = { checkpoints: [], isComplete: true };
  /** Index in the coverage by offset of the frame. */
  #places: ReadonlyMap<number, number> = new Map();
  #running: Promise<unknown> = Promise.resolve();

  /** As of `ending`; reads only what is new since the last call. */
  as(file: LogicalFile, ending: Ending): Promise<Coverage> {
    const coverage = this.#running.then(() => this.#look(file, ending));
    this.#running = coverage.catch(() => undefined);
    return coverage;
  }

  async #look(file: LogicalFile, ending: Ending): Promise<Coverage> {
    const { checkpoints, isComplete } = this.#coverage;
    const chain = new CheckpointChain(file, ending, (offset) => checkpoints[this.#places.get(offset) ?? checkpoints.length]);
    const fresh: Checkpoint[] = [];
    for (let found = await chain.next(); found !== undefined; found = await chain.next()) {
      const place = this.#places.get(found.frame.offset);
      if (place === 0 && fresh.length === 0) return this.#coverage;
      if (place !== undefined) return this.#keep([...fresh, ...checkpoints.slice(place)], isComplete && !chain.isBroken);
      fresh.push(found);
      if (fresh.length > MAX_FENCES) break;
    }
    return this.#keep(fresh, !chain.isBroken);
  }

  #keep(checkpoints: readonly Checkpoint[], isComplete: boolean): Coverage {
    const isTooMany = checkpoints.length > MAX_FENCES;
    const kept = isTooMany ? checkpoints.slice(0, MAX_FENCES) : checkpoints;
    this.#coverage = { checkpoints: kept, isComplete: isComplete && !isTooMany };
    this.#places = new Map(kept.map((checkpoint, index) => [checkpoint.frame.offset, index]));
    return this.#coverage;
  }
}

/** Offsets of commits that the index says hold an entry; more than one only when ids repeat. */
export async function commitsOfId(
  file: LogicalFile,
  { checkpoints }: Coverage,
  { id, bytes }: { readonly id: EntryId; readonly bytes: Uint8Array },
): Promise<readonly number[]> {
  const offsets: number[] = [];
  for (const checkpoint of checkpoints) {
    const { firstId, lastId } = checkpoint;
    if (firstId === undefined || lastId === undefined || id < firstId || id > lastId) continue;
    const offset = await findId(file, checkpoint, bytes);
    if (offset !== undefined) offsets.push(offset);
  }
  return offsets;
}

/** Offsets of commits that the index says admitted something under a key with this hash, newest first. */
export async function commitsOfKey(file: LogicalFile, { checkpoints }: Coverage, hash: Uint8Array): Promise<readonly number[]> {
  const offsets: number[] = [];
  for (const checkpoint of checkpoints) {
    if (checkpoint.keyCount > 0) offsets.push(...(await findKey(file, checkpoint, hash)));
  }
  return offsets;
}
