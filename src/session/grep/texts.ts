import type { EntryId } from "../../base/index.js";
import { CODEC, crc32, unpack } from "../bytes/index.js";
import type { CommitTable, Descriptor } from "../codec/index.js";
import { CHUNK_BYTES, ENCODING, FRAME_HEADER_BYTES, ROLE } from "../codec/index.js";
import type { LogicalFile } from "../log/index.js";
import { readPayload } from "../log/index.js";
import type { Required } from "./literal.js";
import { Prefilter } from "./prefilter.js";

/** Names of the texts that are searched: what was said and done, not its bookkeeping. */
const PARTS: ReadonlyMap<number, string> = new Map([
  [ROLE.text, "text"],
  [ROLE.thinking, "thinking"],
  [ROLE.args, "args"],
  [ROLE.output, "output"],
  [ROLE.diff, "diff"],
]);

/** One verified text of a record. Borrowed until the next read when it was at hand. */
export interface FoundText {
  readonly part: string;
  readonly raw: Buffer;
}

/** `away`: some of it must be read first. */
export type Texts = readonly FoundText[] | "damaged" | "away";

const NOTHING: readonly FoundText[] = [];

/** Gives the texts of records that are worth searching. */
export class TextSource {
  readonly #file: LogicalFile;
  readonly #prefilter: Prefilter | undefined;
  /** What is decompressed only to see that nothing is in it goes here: as long as an inline payload can be. */
  readonly #scratch: Buffer | undefined;

  /** With `required`, texts without any of it are checked and left out. */
  constructor(file: LogicalFile, required: Required | undefined) {
    this.#file = file;
    this.#prefilter = required && new Prefilter(required);
    this.#scratch = required && Buffer.allocUnsafeSlow(CHUNK_BYTES);
  }

  /** Texts of one record, when all its bytes are at hand. */
  peek(table: CommitTable, index: number): Texts {
    const [first, count] = table.span(index);
    const payloads = table.frame.offset + FRAME_HEADER_BYTES + table.frame.tableLen;
    let texts = NOTHING;
    for (let at = first; at < first + count; at += 1) {
      const descriptor = table.descriptor(at);
      const part = partOf(descriptor);
      if (part === undefined) continue;
      const stored = descriptor.isChunked ? undefined : this.#file.peek(payloads + descriptor.offset, descriptor.stored);
      if (stored === undefined) return "away";
      const raw = this.#judge(stored, descriptor);
      if (raw === "damaged") return raw;
      if (raw !== undefined) texts = [...texts, { part, raw }];
    }
    return texts;
  }

  /** The same after reading. The table is detached first, so it stays valid. */
  async read(table: CommitTable, index: number): Promise<Exclude<Texts, "away">> {
    table.detach();
    const [first, count] = table.span(index);
    const texts: FoundText[] = [];
    for (let at = first; at < first + count; at += 1) {
      const descriptor = table.descriptor(at);
      const part = partOf(descriptor);
      if (part === undefined) continue;
      const raw = await readPayload(this.#file, table, descriptor);
      if (raw === undefined) return "damaged";
      if (this.#prefilter?.mayMatch(raw) !== false) texts.push({ part, raw });
    }
    return texts;
  }

  /** Checked before it is searched: damage must never read as "not found". */
  #judge(stored: Buffer, { crc, codec, raw: rawBytes }: Descriptor): Buffer | "damaged" | undefined {
    if (crc32(stored, 0, stored.length) !== crc) return "damaged";
    const raw = unpack(stored, codec, rawBytes, this.#scratch);
    if (raw === undefined) return "damaged";
    if (this.#prefilter?.mayMatch(raw) === false) return undefined;
    return codec === CODEC.none || this.#scratch === undefined ? raw : Buffer.from(raw);
  }
}

const partOf = (descriptor: Descriptor): string | undefined =>
  descriptor.encoding === ENCODING.utf8 ? PARTS.get(descriptor.role) : undefined;

/** A text on its way through the search, and the record it is of. */
export interface PlacedText extends FoundText {
  readonly record: { readonly id: EntryId; readonly time: number; readonly kind: number };
}
