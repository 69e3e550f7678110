import { readCbor } from "../../test/session/independent/cbor.mjs";
import { BLOCK, BLOCK_HEADER, blockOf, blockStart, physicalOf } from "../../test/session/independent/addressing.mjs";

const ROW = 16;
/** A field of more bytes is shown by its beginning and its end. */
const SHOWN = 256;
/** Characters of meaning beside a row. */
const WORDS = 72;

export type Say = (bytes: Buffer) => string;

/** Writes fields of a session file one after the other: place in the file, bytes, name, meaning. */
export class HexDump {
  readonly lines: string[] = [];
  readonly #file: Buffer;
  #offset = 0;
  #inHeader = true;
  #block = 0;

  constructor(file: Buffer, options: { readonly from?: number } = {}) {
    this.#file = file;
    if (options.from === undefined) return;
    this.#offset = options.from;
    this.#block = blockOf(options.from);
    this.#inHeader = false;
  }

  /** Logical offset of the next field. */
  get offset(): number {
    return this.#offset;
  }

  heading(text: string): void {
    this.lines.push("", text);
  }

  /** The 256 bytes before the stream begins; after them fields are taken from the stream. */
  fileHeader(fields: readonly (readonly [number, string, Say])[]): void {
    let at = 0;
    for (const [width, name, say] of fields) {
      this.#rows(at, this.#file.subarray(at, at + width), name, say);
      at += width;
    }
    this.#inHeader = false;
  }

  field(width: number, name: string, say: Say): void {
    if (this.#inHeader) throw new Error("the file header comes first");
    const pieces = this.#pieces(width);
    const bytes = Buffer.concat(pieces.map(({ at, size }) => this.#file.subarray(at, at + size)));
    let isFirst = true;
    for (const { at, size, block } of pieces) {
      if (block > this.#block) this.#blockHeader(block);
      this.#rows(at, this.#file.subarray(at, at + size), isFirst ? name : `${name}, goes on`, isFirst ? () => say(bytes) : () => "");
      isFirst = false;
    }
    this.#offset += width;
  }

  #pieces(width: number): readonly { readonly at: number; readonly size: number; readonly block: number }[] {
    const pieces = [];
    for (let offset = this.#offset; offset < this.#offset + width;) {
      const block = blockOf(offset);
      const size = Math.min(this.#offset + width, blockStart(block + 1)) - offset;
      pieces.push({ at: physicalOf(offset), size, block });
      offset += size;
    }
    return pieces;
  }

  #blockHeader(block: number): void {
    this.#block = block;
    this.lines.push("", `block header of block ${block}, in between`);
    let at = block * BLOCK;
    for (const [width, name, say] of BLOCK_FIELDS) {
      this.#rows(at, this.#file.subarray(at, at + width), name, say);
      at += width;
    }
    if (at !== block * BLOCK + BLOCK_HEADER) throw new Error("the fields do not fill the block header");
    this.lines.push("");
  }

  #rows(at: number, bytes: Buffer, name: string, say: Say): void {
    const words = [name, say(bytes)].filter((word) => word !== "").join(": ");
    if (bytes.length > SHOWN) {
      this.#row(at, bytes.subarray(0, ROW), words);
      this.lines.push(`${" ".repeat(8)}… ${bytes.length - 2 * ROW} bytes`);
      this.#row(at + bytes.length - ROW, bytes.subarray(bytes.length - ROW), "");
      return;
    }
    const pieces = words.match(new RegExp(`.{1,${WORDS}}`, "gsu")) ?? [];
    const rows = Math.max(Math.ceil(bytes.length / ROW), pieces.length);
    for (let row = 0; row < rows; row += 1) this.#row(at + row * ROW, bytes.subarray(row * ROW, (row + 1) * ROW), pieces[row] ?? "");
  }

  #row(at: number, bytes: Buffer, words: string): void {
    const hex = bytes.toString("hex").replaceAll(/(..)(?=.)/gu, "$1 ");
    const place = bytes.length === 0 ? "" : at.toString(16).padStart(6, "0");
    this.lines.push(`${place.padEnd(6)}  ${hex.padEnd(ROW * 3 - 1)}  ${words}`.trimEnd());
  }
}

export const number: Say = (bytes) => String(bytes.length === 8 ? bytes.readBigUInt64LE() : bytes.readUIntLE(0, bytes.length));
export const time: Say = (bytes) => `${number(bytes)}, ${new Date(Number(number(bytes))).toISOString()}`;
export const id: Say = (bytes) =>
  bytes.every((byte) => byte === 0) ? "none" : bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, "$1-$2-$3-$4-$5");
export const nothing: Say = () => "";
export const says =
  (text: string): Say =>
  () =>
    text;
/** Names of the bits that are set. */
export const bits =
  (names: Readonly<Record<number, string>>): Say =>
  (bytes) => {
    const value = Number(number(bytes));
    const set = Object.entries(names).filter(([bit]) => (value & Number(bit)) !== 0);
    return [String(value), ...set.map(([, name]) => name)].join(" ");
  };
/** The name of a code. */
export const code =
  (names: Readonly<Record<number, string>>): Say =>
  (bytes) =>
    `${number(bytes)} ${names[Number(number(bytes))] ?? ""}`.trimEnd();
export const back =
  (from: number): Say =>
  (bytes) =>
    Number(number(bytes)) === 0 ? "0 none" : `${number(bytes)}, so at offset ${from - Number(number(bytes))}`;
export const text: Say = (bytes) => (bytes.length > SHOWN ? "text" : JSON.stringify(bytes.toString("utf8")));
/** A CBOR value as JSON, with byte strings as RFC 8949 writes them and negative zero as what it is. */
export const cbor: Say = (bytes) => notation(readCbor(bytes));

function notation(value: unknown): string {
  if (value instanceof Uint8Array) return `h'${Buffer.from(value).toString("hex")}'`;
  if (Array.isArray(value)) return `[${value.map(notation).join(",")}]`;
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}:${notation(item)}`)
    .join(",")}}`;
}

const BLOCK_FIELDS: readonly (readonly [number, string, Say])[] = [
  [4, "mark", (bytes) => JSON.stringify(bytes.toString("latin1"))],
  [4, "block index", number],
  [8, "offset of the frame in progress", number],
  [4, "place in the block of the first frame that starts in it", number],
  [8, "seq of the last COMMIT before", number],
  [4, "CRC, init G", nothing],
];
