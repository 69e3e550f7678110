import type { Redactor } from "../../secrets/index.js";
import type { TextEncodingName } from "../text-file.js";
import type { LineWindow } from "./line-window.js";
import { oddBytes, openTail } from "./utf8-odd.js";

/** Bytes of one kind that a text should not hold: how many, and the line of the first, 1-based. */
export interface OddBytes {
  readonly count: number;
  readonly firstLine: number;
}

export interface ScannedText extends ReturnType<LineWindow["end"]> {
  /** No characters of the encoding; shown as U+FFFD. */
  readonly invalid?: OddBytes;
  /** NUL characters; shown as U+2400. */
  readonly nul?: OddBytes;
}

/** Takes the bytes of a text in pieces of any size: lines of one window, counts of all of it. */
export interface TextScan {
  push(bytes: Buffer): void;
  end(): ScannedText;
}

export interface ScanParts {
  readonly window: LineWindow;
  /** Before lines are cut: half a secret would not be recognized. */
  readonly concealing: Redactor;
}

export const createTextScan = (encoding: TextEncodingName, parts: ScanParts): TextScan =>
  encoding === "utf-8" ? new Utf8Scan(parts) : new Utf16Scan(parts, encoding === "utf-16be");

const LF = 0x0a;
const NUL_SHOWN = "\u2400";

class Count {
  #count = 0;
  #firstLine = 0;

  add(count: number, line: () => number): void {
    if (count > 0 && this.#count === 0) this.#firstLine = line();
    this.#count += count;
  }

  get told(): OddBytes | undefined {
    return this.#count === 0 ? undefined : { count: this.#count, firstLine: this.#firstLine };
  }
}

const told = (invalid: Count, nul: Count): Pick<ScannedText, "invalid" | "nul"> => ({
  ...(invalid.told === undefined ? {} : { invalid: invalid.told }),
  ...(nul.told === undefined ? {} : { nul: nul.told }),
});

/** A loop of our own: a call for each line end costs several times as much on short lines. */
function countOf(bytes: Uint8Array, wanted: number, end = bytes.length): number {
  let count = 0;
  for (let index = 0; index < end; index += 1) if (bytes[index] === wanted) count += 1;
  return count;
}

/** Behind the window bytes are counted and no longer decoded. */
class Utf8Scan implements TextScan {
  readonly #parts: ScanParts;
  readonly #decoder = new TextDecoder("utf-8");
  readonly #invalid = new Count();
  readonly #nul = new Count();
  #open = Buffer.alloc(0);
  #lineEnds = 0;
  #endsInLine = false;

  constructor(parts: ScanParts) {
    this.#parts = parts;
  }

  push(bytes: Buffer): void {
    const { window, concealing } = this.#parts;
    this.#check(bytes);
    if (window.isFull) return;
    window.push(concealing.push(shown(this.#decoder.decode(bytes, { stream: true }))));
  }

  end(): ScannedText {
    const { window, concealing } = this.#parts;
    if (this.#open.length > 0) this.#count(this.#open);
    if (!window.isFull) window.push(concealing.push(shown(this.#decoder.decode())) + concealing.end());
    return { ...window.end(), totalLines: this.#lineEnds + (this.#endsInLine ? 1 : 0), ...told(this.#invalid, this.#nul) };
  }

  /** A character across two pieces is looked at with the second. */
  #check(bytes: Buffer): void {
    const all = this.#open.length === 0 ? bytes : Buffer.concat([this.#open, bytes]);
    const whole = all.subarray(0, all.length - openTail(all));
    this.#open = Buffer.from(all.subarray(whole.length));
    this.#count(whole);
  }

  #count(bytes: Buffer): void {
    if (bytes.length === 0) return;
    const before = this.#lineEnds + 1;
    const lineAt = (place: number): number => before + countOf(bytes, LF, place);
    const odd = oddBytes(bytes);
    this.#invalid.add(odd.count, () => lineAt(odd.first));
    const firstNul = bytes.indexOf(0);
    if (firstNul >= 0) this.#nul.add(countOf(bytes, 0), () => lineAt(firstNul));
    this.#lineEnds += countOf(bytes, LF);
    this.#endsInLine = bytes[bytes.length - 1] !== LF;
  }
}

const shown = (text: string): string => (text.includes("\0") ? text.replaceAll("\0", NUL_SHOWN) : text);
const LONE = /\p{Surrogate}/gu;

class Utf16Scan implements TextScan {
  readonly #parts: ScanParts;
  readonly #isBigEndian: boolean;
  readonly #invalid = new Count();
  readonly #nul = new Count();
  #open = Buffer.alloc(0);
  #isStart = true;

  constructor(parts: ScanParts, isBigEndian: boolean) {
    this.#parts = parts;
    this.#isBigEndian = isBigEndian;
  }

  push(bytes: Buffer): void {
    const all = Buffer.concat([this.#open, bytes]);
    let end = all.length - (all.length % 2);
    // A pair stays together.
    const last = end < 2 ? 0 : this.#isBigEndian ? all.readUInt16BE(end - 2) : all.readUInt16LE(end - 2);
    if (last >= 0xd800 && last <= 0xdbff) end -= 2;
    this.#open = Buffer.from(all.subarray(end));
    this.#take(all.subarray(0, end));
  }

  end(): ScannedText {
    const { window, concealing } = this.#parts;
    const rest = this.#open.subarray(0, this.#open.length - (this.#open.length % 2));
    const isHalf = this.#open.length % 2 === 1;
    this.#take(rest);
    if (isHalf) this.#invalid.add(1, () => window.line);
    window.push(concealing.push(isHalf ? "\ufffd" : "") + concealing.end());
    return { ...window.end(), ...told(this.#invalid, this.#nul) };
  }

  #take(bytes: Buffer): void {
    if (bytes.length === 0) return;
    const { window, concealing } = this.#parts;
    let text = (this.#isBigEndian ? Buffer.from(bytes).swap16() : bytes).toString("utf16le");
    if (this.#isStart && text.startsWith("\ufeff")) text = text.slice(1);
    this.#isStart = false;
    const lineOf = (place: number) => (): number => window.line + countOf(Buffer.from(text.slice(0, place)), LF);
    if (!text.isWellFormed()) this.#invalid.add((text.match(LONE)?.length ?? 0) * 2, lineOf(text.search(LONE)));
    const nul = text.indexOf("\0");
    if (nul >= 0) this.#nul.add(text.split("\0").length - 1, lineOf(nul));
    window.push(concealing.push(shown(text.toWellFormed())));
  }
}
