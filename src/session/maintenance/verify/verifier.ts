import { crc32 } from "../../bytes/index.js";
import type { Frame } from "../../codec/index.js";
import {
  BLOCK_HEADER_BYTES,
  blockOf,
  blockStart,
  CHECKPOINT_VERSION,
  decodeSummary,
  FRAME,
  FRAME_HEADER_BYTES,
  parseCheckpoint,
  parseCommitTable,
} from "../../codec/index.js";
import type { LogicalFile, Step } from "../../log/index.js";
import { FrameWalk, readGap } from "../../log/index.js";
import { foldables } from "../../reader/index.js";
import { anchorOf } from "../build/block-stream.js";
import { isUnknownFrame } from "../build/raw-walk.js";
import { CheckpointCheck } from "./checkpoint-check.js";
import { CommitCheck } from "./commit-check.js";
import type { Findings } from "./findings.js";
import { PayloadCheck } from "./payload-check.js";

export interface VerifierParts {
  readonly findings: Findings;
  /** Read from front to back. */
  readonly file: LogicalFile;
  /** For what has to be looked at again. */
  readonly scattered: LogicalFile;
  /** Logical end of what belongs to the session. */
  readonly end: number;
  readonly mayLackParents: boolean;
}

/** Checks the logical stream of a file frame by frame, with the headers of its blocks. */
export class Verifier {
  readonly #parts: VerifierParts;
  readonly #walk: FrameWalk;
  readonly #payloads: PayloadCheck;
  readonly #commits: CommitCheck;
  readonly #checkpoints: CheckpointCheck;
  #seq = 0;
  /** What block headers say comes before them; `undefined` where lost framing hides it. */
  #accounted: number | undefined = 0;
  #counts = { commits: 0, checkpoints: 0, unknownFrames: 0 };

  constructor(parts: VerifierParts) {
    this.#parts = parts;
    this.#walk = new FrameWalk(parts.file, 0, parts.end);
    this.#payloads = new PayloadCheck(parts.findings);
    this.#commits = new CommitCheck(parts);
    this.#checkpoints = new CheckpointCheck(parts.findings, this.#commits.ids);
  }

  get counts(): { readonly commits: number; readonly checkpoints: number; readonly unknownFrames: number; readonly entries: number } {
    return { ...this.#counts, entries: this.#commits.entries };
  }

  get seq(): number {
    return this.#seq;
  }

  /** Checks the next frame. False at the end. */
  async step(): Promise<boolean> {
    const step = this.#walk.peek() ?? (await this.#walk.next());
    if (step === undefined) {
      this.#payloads.dropChunks();
      return false;
    }
    if (step.type === "frame") await this.#frame(step.frame);
    else await this.#lose(step);
    return true;
  }

  async #frame(frame: Frame): Promise<void> {
    if (blockOf(frame.offset) !== blockOf(frame.end - 1) || frame.offset === blockStart(blockOf(frame.offset))) await this.#anchors(frame);
    const { file } = this.#parts;
    const at = frame.offset + FRAME_HEADER_BYTES;
    const body = file.peek(at, frame.bodyLen) ?? (await file.read(at, frame.bodyLen));
    if (body === undefined) return;
    if (frame.type === FRAME.blob) this.#payloads.addChunk(frame, body);
    else if (frame.type === FRAME.commit) await this.#commit(frame, body);
    else {
      this.#payloads.dropChunks();
      await this.#derived(frame, body);
    }
  }

  async #commit(frame: Frame, body: Buffer): Promise<void> {
    this.#continue(frame, frame.seq);
    this.#accounted = frame.seq;
    const table = parseCommitTable(frame, body);
    if (table === undefined) {
      this.#payloads.dropChunks();
      this.#commits.skip(frame.offset);
      this.#checkpoints.lose();
      this.#parts.findings.damaged(`The table of change ${frame.seq} fails its checksum or a bound.`, frame.offset, frame.end);
      return;
    }
    this.#counts.commits += 1;
    const commit = { frame, table, body };
    this.#commits.check(commit);
    const { file, scattered } = this.#parts;
    const { entries, isDamaged } = await foldables({ file, away: scattered }, table);
    if (isDamaged) this.#checkpoints.lose();
    this.#checkpoints.add(commit, entries);
    await this.#payloads.check(commit, scattered);
  }

  async #derived(frame: Frame, body: Buffer): Promise<void> {
    const { findings, file } = this.#parts;
    if (crc32(body, 0, body.length) !== frame.tableCrc) {
      findings.damaged(`A frame of type ${frame.type} fails its checksum.`, frame.offset, frame.end);
      return;
    }
    if (isUnknownFrame(frame.type)) {
      this.#counts.unknownFrames += 1;
      return;
    }
    if (frame.type === FRAME.gap) {
      const gap = await readGap(file, frame);
      if (gap === undefined) findings.damaged("A gap does not say what is gone.", frame.offset, frame.end);
      else {
        this.#continue(frame, gap.first);
        this.#seq = gap.last;
        this.#accounted = gap.last;
      }
      return;
    }
    if (frame.seq > this.#seq) findings.damaged(`A frame speaks of change ${frame.seq}, which is not before it.`, frame.offset, frame.end);
    if (frame.type === FRAME.checkpoint) this.#checkpoint(frame, body);
    else if (frame.type === FRAME.summary ? decodeSummary(body) === undefined : body.length > 0) {
      findings.warn(`A frame of type ${frame.type} does not hold what this version writes.`, frame.offset, frame.end);
    }
  }

  #checkpoint(frame: Frame, body: Buffer): void {
    this.#counts.checkpoints += 1;
    this.#commits.addCheckpoint(frame.offset);
    if (body.length >= 4 && body.readUInt32LE(0) !== CHECKPOINT_VERSION) return;
    const checkpoint = parseCheckpoint(frame, body);
    if (checkpoint === undefined) {
      this.#parts.findings.damaged("A checkpoint is not built as it must be.", frame.offset, frame.end);
      return;
    }
    this.#checkpoints.check(checkpoint, body);
  }

  /** The next change to be accounted for must be `seq`. */
  #continue(frame: Frame, seq: number): void {
    const expected = this.#seq + 1;
    const { findings } = this.#parts;
    if (seq !== expected) this.#checkpoints.lose();
    if (seq > expected) findings.damaged(`Changes ${expected} to ${seq - 1} are missing.`, frame.offset, frame.end);
    else if (seq < expected) findings.damaged(`Change ${seq} comes after change ${this.#seq}.`, frame.offset, frame.end);
    this.#seq = Math.max(this.#seq, seq);
  }

  async #lose(step: Exclude<Step, { readonly type: "frame" }>): Promise<void> {
    const from = step.type === "lost" ? step.from : step.frame.offset;
    const to = this.#walk.offset;
    this.#payloads.dropChunks();
    this.#commits.skip(undefined);
    this.#checkpoints.lose();
    this.#accounted = undefined;
    this.#parts.findings.damaged("The header of a frame fails its checksum; what follows it in its block cannot be told apart.", from, to);
    for (let block = blockOf(from) + 1; blockStart(block) < to; block += 1) {
      if ((await this.#parts.file.blockHeader(block)) === undefined) this.#brokenBlock(block);
    }
  }

  /** Checks the headers of the blocks that begin inside a frame, or with it. */
  async #anchors(frame: Frame): Promise<void> {
    const first = blockOf(frame.offset);
    for (let block = blockStart(first) === frame.offset ? first : first + 1; block <= blockOf(frame.end - 1); block += 1) {
      if (block === 0) continue;
      const header = await this.#parts.file.blockHeader(block);
      const expected = anchorOf(block, frame, this.#accounted ?? header?.lastSeq ?? 0);
      if (header === undefined) this.#brokenBlock(block);
      else if (header.frame !== expected.frame || header.firstFrame !== expected.firstFrame || header.lastSeq !== expected.lastSeq) {
        this.#parts.findings.damagedBlock(`The header of block ${block} does not say what lies there.`, block);
      }
    }
  }

  #brokenBlock(block: number): void {
    this.#parts.findings.damagedBlock(`The header of block ${block} fails its checksum (${BLOCK_HEADER_BYTES} bytes).`, block);
  }
}
