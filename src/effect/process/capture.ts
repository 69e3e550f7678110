import { StringDecoder } from "node:string_decoder";
import { utf8Length } from "../../base/index.js";
import type { Redactor } from "../secrets/index.js";

export interface Captured {
  readonly text: string;
  readonly omittedBytes: number;
}

export type OutputStream = "stdout" | "stderr";

/** Output of a command as it comes: both streams in one, head and tail kept, everything between counted and forgotten. */
export interface OutputCapture {
  push(stream: OutputStream, chunk: Buffer): void;
  /** The last characters so far. */
  tail(maxCharacters: number): string;
  /** What is kept so far. */
  peek(): Captured;
  /** The same, and what comes from now on is kept by itself: a character or secret in the middle stays whole. */
  take(): Captured;
  /** A character that is cut off at the end of a stream becomes one replacement mark. */
  end(): Captured;
}

/**
 * Holds at most `keepBytes` for the head and as much again for the tail, plus one chunk; the work per chunk does not grow
 * with what came before. `onText` gets all of it, as it is kept. Each stream has a decoder and a redactor of its own, so what is split
 * over chunks stays whole.
 */
export function createCapture(
  keepBytes: number,
  redactor: () => Redactor = () => ({ push: (text) => text, end: () => "" }),
  onText: (text: string) => void = () => undefined,
): OutputCapture {
  const decoders = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
  const redactors = { stdout: redactor(), stderr: redactor() };
  const ends = createEnds(keepBytes);
  const add = (text: string): void => {
    if (text === "") return;
    onText(text);
    ends.add(text);
  };
  return {
    push(stream, chunk) {
      add(redactors[stream].push(decoders[stream].write(chunk)));
    },
    tail: ends.tail,
    peek: ends.kept,
    take() {
      const taken = ends.kept();
      ends.clear();
      return taken;
    },
    end() {
      for (const stream of ["stdout", "stderr"] as const) {
        add(redactors[stream].push(decoders[stream].end()));
        add(redactors[stream].end());
      }
      return ends.kept();
    },
  };
}

interface Ends {
  readonly add: (text: string) => void;
  readonly tail: (maxCharacters: number) => string;
  readonly kept: () => Captured;
  readonly clear: () => void;
}

function createEnds(keepBytes: number): Ends {
  let head = "";
  let headBytes = 0;
  let pieces: string[] = [];
  let pieceBytes = 0;
  let omittedBytes = 0;
  return {
    add(text) {
      let rest = text;
      if (pieces.length === 0 && omittedBytes === 0 && headBytes < keepBytes) {
        const fitting = prefixWithin(text, keepBytes - headBytes);
        head += fitting;
        headBytes += utf8Length(fitting);
        rest = text.slice(fitting.length);
        if (rest === "") return;
        // The head is closed even when a wide character left a byte or two of room.
        headBytes = keepBytes;
      }
      pieces.push(rest);
      pieceBytes += utf8Length(rest);
      while (pieces.length > 1 && pieceBytes - utf8Length(pieces[0] ?? "") >= keepBytes) {
        const size = utf8Length(pieces[0] ?? "");
        pieces.shift();
        pieceBytes -= size;
        omittedBytes += size;
      }
      // Many tiny chunks must not become many tiny strings.
      if (pieces.length > 256) pieces = [pieces.join("")];
    },
    tail(maxCharacters) {
      let text = "";
      for (let index = pieces.length - 1; index >= 0 && text.length < maxCharacters; index -= 1) text = (pieces[index] ?? "") + text;
      if (text.length < maxCharacters && omittedBytes === 0) text = head + text;
      return wholeStart(text.slice(-maxCharacters));
    },
    kept() {
      const all = pieces.join("");
      const tail = suffixWithin(all, keepBytes);
      const dropped = utf8Length(all) - utf8Length(tail);
      const omitted = omittedBytes + dropped;
      return { text: omitted === 0 ? head + tail : `${head}\n[… ${omitted} bytes left out …]\n${tail}`, omittedBytes: omitted };
    },
    clear() {
      head = "";
      headBytes = 0;
      pieces = [];
      pieceBytes = 0;
      omittedBytes = 0;
    },
  };
}

const wholeStart = (text: string): string => text.replace(/^[\udc00-\udfff]/u, "");

/** Longest start of `text` within `maxBytes` of UTF-8. */
function prefixWithin(text: string, maxBytes: number): string {
  if (utf8Length(text) <= maxBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}

/** Longest end of `text` within `maxBytes` of UTF-8. */
function suffixWithin(text: string, maxBytes: number): string {
  if (utf8Length(text) <= maxBytes) return text;
  const bytes = Buffer.from(text.slice(-maxBytes), "utf8");
  let start = bytes.length - maxBytes;
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.toString("utf8", Math.max(0, start));
}
