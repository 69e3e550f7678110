import type { EntryId, SessionId } from "../../../src/base/index.js";
import type { Entry } from "../../../src/schema/index.js";
import { crc32 } from "../../../src/session/bytes/index.js";
import {
  CommitEncoder,
  draftOf,
  encodeFileHeader,
  FRAME,
  FRAME_HEADER_BYTES,
  generationSeed,
  physicalOf,
  putFrameHeader,
} from "../../../src/session/codec/index.js";
import { CheckpointLog } from "../../../src/session/live/index.js";
import { Group, layOut } from "../../../src/session/writer/group.js";

export const BUILT_ID = "0190a0a0-0000-7000-8000-0000000000bb" as SessionId;
const generation = Uint8Array.from({ length: 16 }, (_, index) => 16 - index);
const seed = generationSeed(generation);

/** Bytes of a file, from and to. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Puts a file together frame by frame, with checkpoints wherever a test wants them. */
export class FileBuilder {
  readonly #group = new Group(0, undefined);
  readonly #encoder = new CommitEncoder();
  readonly #log = new CheckpointLog();
  readonly #commits = new Map<EntryId, number>();
  #seq = 0;
  #time = 1_700_000_000_000;
  #previous: number | undefined;

  /** One change. `time` goes on by a second unless it is given. */
  commit(entries: readonly Entry[], options: { readonly leaf?: EntryId; readonly time?: number } = {}): void {
    this.#seq += 1;
    this.#time = options.time ?? this.#time + 1000;
    const { run, frames } = this.#group;
    const placed = this.#encoder.append(
      run,
      entries.map((entry) => draftOf(entry)),
      {
        seq: this.#seq,
        time: this.#time,
        base: 0,
        seed,
        previous: this.#previous,
        leaf: options.leaf,
        checkpoint: this.#log.newest,
        locate: (id) => this.#commits.get(id),
      },
    );
    frames.push(...placed);
    const at = placed.at(-1)?.at ?? 0;
    this.#previous = at;
    for (const { id } of entries) this.#commits.set(id, at);
    const table = at + FRAME_HEADER_BYTES + 64;
    this.#log.add(
      { seq: this.#seq, offset: at, records: run.bytes.subarray(table, table + 96 * entries.length), count: entries.length },
      entries,
    );
  }

  /** Writes what the log gives; returns where in the file it lies. */
  checkpoint(): Span {
    const from = this.#group.end;
    for (let taken = this.#log.take(from); taken !== undefined; taken = this.#log.take(this.#group.end)) {
      this.frame(FRAME.checkpoint, taken.seq, taken.body);
    }
    return { from: physicalOf(from), to: physicalOf(this.#group.end - 1) + 1 };
  }

  frame(type: number, seq: number, body: Uint8Array): void {
    const { run, frames } = this.#group;
    const at = run.reserve(FRAME_HEADER_BYTES + body.length);
    run.bytes.set(body, at + FRAME_HEADER_BYTES);
    const fields = { type, flags: 0, bodyLen: body.length, tableLen: body.length, tableCrc: crc32(body, 0, body.length), seq };
    putFrameHeader(run.bytes, at, fields, { offset: at, seed });
    run.length = at + FRAME_HEADER_BYTES + body.length;
    frames.push({ at, end: run.length, seq: 0, tableLen: body.length });
  }

  /** Logical end so far. */
  get end(): number {
    return this.#group.end;
  }

  bytes(): Buffer {
    const header = encodeFileHeader({ id: BUILT_ID, createdAt: 1_700_000_000_000, generation, epoch: 0 });
    const { bytes } = layOut(this.#group, { seed, lastSeq: 0, durableSeq: 0 });
    return Buffer.concat([header, bytes]);
  }
}
