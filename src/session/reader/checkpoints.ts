import { crc32, getU64, viewOf } from "../bytes/index.js";
import type { Checkpoint } from "../codec/index.js";
import {
  CHECKPOINT_PRELUDE_BYTES,
  FRAME,
  FRAME_HEADER_BYTES,
  ID_BYTES,
  INDEX_ITEM_BYTES,
  KEY_HASH_BYTES,
  KEY_ITEM_BYTES,
  parseCheckpoint,
} from "../codec/index.js";
import type { LogicalFile, Tail } from "../log/index.js";
import { FrameWalk, readCommit, readFrame } from "../log/index.js";
import { CommitWalk } from "./commits.js";
import { seek } from "./seek.js";

/** The end from which checkpoints are looked for: the tail of the file, or an earlier commit. */
export type Ending = Pick<Tail, "commit" | "offset" | "seq">;

interface Candidate {
  readonly offset: number;
  readonly maxSeq: number;
}

/**
 * The valid checkpoints of a file, newest first. Each is reached by structure only: behind the last commit, from a commit
 * that validated, or from the checkpoint after it. An invalid one is stepped over with the help of the commits before it.
 */
export class CheckpointChain {
  readonly #file: LogicalFile;
  readonly #ending: Ending;
  readonly #known: (offset: number) => Checkpoint | undefined;
  /** Newest last. `undefined` before the first step. */
  #candidates: Candidate[] | undefined;
  #hasFound = false;
  #isBroken = false;

  constructor(file: LogicalFile, ending: Ending, known: (offset: number) => Checkpoint | undefined = () => undefined) {
    this.#file = file;
    this.#ending = ending;
    this.#known = known;
  }

  /** Whether one was missing between two given out, so that they do not cover everything up to the newest. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  async next(): Promise<Checkpoint | undefined> {
    this.#candidates ??= await newestCandidates(this.#file, this.#ending);
    for (let candidate = this.#candidates.pop(); candidate !== undefined; candidate = this.#candidates.pop()) {
      const found = this.#known(candidate.offset) ?? (await loadCheckpoint(this.#file, candidate));
      if (found !== undefined) {
        this.#hasFound = true;
        this.#candidates = found.previous === undefined ? [] : [{ offset: found.previous, maxSeq: found.frame.seq - 1 }];
        return found;
      }
      // What comes after the newest valid one is read from the commits anyway.
      this.#isBroken ||= this.#hasFound;
      if (this.#candidates.length === 0) this.#candidates = await candidatesBefore(this.#file, this.#ending, candidate.offset);
    }
    return undefined;
  }
}

/** Checkpoints behind the last commit cover it; the one that commit names does not. */
async function newestCandidates(file: LogicalFile, ending: Ending): Promise<Candidate[]> {
  if (ending.commit === undefined) return [];
  const table = await readCommit(file, ending.commit);
  if (table === undefined) return [];
  const candidates = candidatesOf(table);
  const walk = new FrameWalk(file, table.frame.end, ending.offset);
  for (;;) {
    const step = await walk.next();
    if (step === undefined) return candidates;
    if (step.type === "frame" && step.frame.type === FRAME.checkpoint) {
      candidates.push({ offset: step.frame.offset, maxSeq: ending.seq });
    }
  }
}

function candidatesOf(table: {
  readonly frame: { readonly offset: number; readonly seq: number };
  readonly checkpointBack: number;
}): Candidate[] {
  const { frame, checkpointBack } = table;
  const isInside = checkpointBack > 0 && checkpointBack <= frame.offset;
  return isInside ? [{ offset: frame.offset - checkpointBack, maxSeq: frame.seq - 1 }] : [];
}

/** What the last readable commit before `offset` names. */
async function candidatesBefore(file: LogicalFile, ending: Ending, offset: number): Promise<Candidate[]> {
  const walk = new CommitWalk(file, await seek(file, ending, (commit) => commit.frame.offset < offset), offset, () => undefined);
  let candidates: Candidate[] = [];
  for (;;) {
    const table = walk.peek() ?? (await walk.next());
    if (table === undefined) return candidates;
    candidates = candidatesOf(table);
  }
}

async function loadCheckpoint(file: LogicalFile, { offset, maxSeq }: Candidate): Promise<Checkpoint | undefined> {
  const frame = await readFrame(file, offset);
  if (frame?.type !== FRAME.checkpoint || frame.seq > maxSeq) return undefined;
  const body = await file.read(offset + FRAME_HEADER_BYTES, frame.bodyLen);
  return body !== undefined && crc32(body, 0, body.length) === frame.tableCrc ? parseCheckpoint(frame, body) : undefined;
}

/** The live state as stored, owned by the caller; `undefined` when the frame carries none. */
export async function readState(file: LogicalFile, { frame, stateAt, stateBytes }: Checkpoint): Promise<Buffer | undefined> {
  if (stateBytes === 0) return undefined;
  const body = await file.read(frame.offset + FRAME_HEADER_BYTES, frame.bodyLen);
  if (body === undefined || crc32(body, 0, body.length) !== frame.tableCrc) return undefined;
  return Buffer.from(body.subarray(stateAt, stateAt + stateBytes));
}

interface Run {
  /** Logical offset of its first item. */
  readonly at: number;
  readonly count: number;
  readonly item: number;
  readonly key: number;
}

/** Logical offset of the COMMIT that holds an entry, by a binary search in the file. */
export async function findId(file: LogicalFile, checkpoint: Checkpoint, id: Uint8Array): Promise<number | undefined> {
  const at = checkpoint.frame.offset + FRAME_HEADER_BYTES + CHECKPOINT_PRELUDE_BYTES;
  const [found] = await findAll(file, checkpoint, { at, count: checkpoint.idCount, item: INDEX_ITEM_BYTES, key: ID_BYTES }, id);
  return found;
}

/** Logical offsets of the COMMITs that admitted something under a key with this hash. */
export function findKey(file: LogicalFile, checkpoint: Checkpoint, hash: Uint8Array): Promise<readonly number[]> {
  const at = checkpoint.frame.offset + FRAME_HEADER_BYTES + checkpoint.keysAt;
  return findAll(file, checkpoint, { at, count: checkpoint.keyCount, item: KEY_ITEM_BYTES, key: KEY_HASH_BYTES }, hash);
}

async function findAll(file: LogicalFile, checkpoint: Checkpoint, run: Run, key: Uint8Array): Promise<readonly number[]> {
  let low = 0;
  let high = run.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = await file.read(run.at + middle * run.item, run.item);
    if (item !== undefined && item.compare(key, 0, run.key, 0, run.key) < 0) low = middle + 1;
    else high = middle;
  }
  const found: number[] = [];
  for (; low < run.count; low += 1) {
    const item = await file.read(run.at + low * run.item, run.item);
    if (item === undefined || item.compare(key, 0, run.key, 0, run.key) !== 0) break;
    found.push(checkpoint.frame.offset - getU64(viewOf(item), run.key));
  }
  return found;
}
