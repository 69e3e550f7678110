import { StringDecoder } from "node:string_decoder";
import { utf8Length } from "../../../base/index.js";
import type { Redactor } from "../../secrets/index.js";
import { createScreen } from "./screen.js";

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
  /** What a terminal shows now and may still change; empty without one. */
  shown(): string;
  /** A character that is cut off at the end of a stream becomes one replacement mark. */
  end(): Captured;
}

export interface CaptureOptions {
  /** Bytes of UTF-8 kept of the head, and as much again of the tail. */
  readonly keepBytes: number;
  /** One for each stream. Default: nothing is taken out. */
  readonly redactor?: () => Redactor;
  /** Gets all of the text, as it is kept. */
  readonly onText?: (text: string) => void;
  /** The output is meant for a terminal: what it would show is the text. */
  readonly isTerminal?: boolean;
}

/** Of the text before a screen, so much is looked at for the beginning of a secret that goes on in it. */
const RECENT_UNITS = 16 * 1024;

const KEEPS_ALL: Redactor = { push: (text) => text, end: () => "" };

/**
 * Holds the head, the tail and one chunk; the work per chunk does not grow with what came before. Each stream has a decoder and a redactor
 * of its own, so what is split over chunks stays whole.
 */
export function createCapture(options: CaptureOptions): OutputCapture {
  const { keepBytes, redactor = () => KEEPS_ALL, onText, isTerminal = false } = options;
  const decoders = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
  const redactors = { stdout: redactor(), stderr: redactor() };
  const screen = isTerminal ? createScreen() : undefined;
  const kept = createKeeper(keepBytes);
  const add = (text: string): void => {
    if (text === "") return;
    kept.add(text);
    onText?.(text);
  };
  let recent = "";
  /** What leaves the screen becomes text. */
  const leave = (text: string): string => {
    if (screen !== undefined && text !== "") recent = (recent + text).slice(-RECENT_UNITS);
    return text;
  };
  const shown = (): string => {
    if (screen === undefined) return "";
    // It is not part of the text yet, but goes on from it: a secret may have left in part, and one that is not whole yet waits for its rest.
    const concealing = redactor();
    concealing.push(recent);
    return concealing.push(screen.shown());
  };
  return {
    push(stream, chunk) {
      const text = decoders[stream].write(chunk);
      add(redactors[stream].push(screen === undefined ? text : leave(screen.push(text))));
    },
    tail: (maxCharacters) => {
      const screenful = shown();
      return screenful === "" ? kept.tail(maxCharacters) : wholeStart((kept.tail(maxCharacters) + screenful).slice(-maxCharacters));
    },
    peek() {
      const { text, omittedBytes } = kept.peek();
      return { text: text + shown(), omittedBytes };
    },
    shown,
    end() {
      for (const stream of ["stdout", "stderr"] as const) {
        const rest = decoders[stream].end();
        add(redactors[stream].push(screen === undefined ? rest : screen.push(rest)));
        if (screen !== undefined && stream === "stdout") add(redactors[stream].push(screen.end()));
        add(redactors[stream].end());
      }
      return kept.peek();
    },
  };
}

/** Head and tail of a text that comes in pieces. */
export interface Keeper {
  add(text: string): void;
  /** The last characters so far. */
  tail(maxCharacters: number): string;
  peek(): Captured;
  /** The same, and what comes from now on is kept by itself. */
  take(): Captured;
}

/** Keeps `keepBytes` of UTF-8 for the head and as much again for the tail, plus one piece. */
export function createKeeper(keepBytes: number): Keeper {
  let head = "";
  let headBytes = 0;
  let pieces: string[] = [];
  let pieceBytes = 0;
  let omittedBytes = 0;
  const peek = (): Captured => {
    const all = pieces.join("");
    const tail = suffixWithin(all, keepBytes);
    const dropped = utf8Length(all) - utf8Length(tail);
    const omitted = omittedBytes + dropped;
    return { text: omitted === 0 ? head + tail : `${head}\n[… ${omitted} bytes left out …]\n${tail}`, omittedBytes: omitted };
  };
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
    peek,
    take() {
      const taken = peek();
      head = "";
      headBytes = 0;
      pieces = [];
      pieceBytes = 0;
      omittedBytes = 0;
      return taken;
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
