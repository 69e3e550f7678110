import type { BytePath } from "../../paths/index.js";
import type { LinePattern } from "../pattern/index.js";
import { SEARCH_BOUNDS } from "../task.js";
import { fill, isStill, withFile } from "./opened.js";
import type { TextSearch } from "./search-text.js";
import { searchLines, searchWhole } from "./search-text.js";

/** `split`: a line over the bound was searched in pieces. */
export type FileVerdict = "searched" | "split" | "binary" | "tooLarge" | "unreadable";

export interface FileReader {
  /** Searches one regular file; `search.count` tells what came of it. */
  run(path: BytePath, search: TextSearch): FileVerdict;
}

/** Whole files up to this are searched in one piece, larger ones in pieces of it. */
const PIECE_BYTES = 1024 * 1024;
/** NUL among the first bytes makes a file binary. */
const LOOKED_AT_BYTES = 64 * 1024;
const FEED = 10;

interface Piece {
  readonly began: (path: BytePath) => void;
  readonly fd: number;
  readonly path: BytePath;
  readonly bytes: Buffer;
  readonly search: TextSearch;
}

/**
 * Reads into one buffer for all files. UTF-8, or UTF-16 with a byte order mark; bytes that are neither are shown as U+FFFD. `began` is told
 * the path before anything runs that may never end.
 */
export function createFileReader(began: (path: BytePath) => void): FileReader {
  const buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
  return {
    run(path, search) {
      const verdict = withFile(path, (fd): FileVerdict => {
        const end = fill(fd, buffer, 0);
        const bytes = buffer.subarray(0, end);
        const piece = { began, fd, path, bytes, search };
        if (isUtf16(bytes)) return searchUtf16(piece);
        if (!mayMatch(bytes, search.pattern) && end < PIECE_BYTES) return "searched";
        if (bytes.subarray(0, LOOKED_AT_BYTES).includes(0)) return "binary";
        began(path);
        const verdict = searchUtf8(piece);
        return search.count > 0 && !isStill(fd, path) ? "unreadable" : verdict;
      });
      return verdict ?? "unreadable";
    },
  };
}

function mayMatch(bytes: Buffer, { needles }: LinePattern): boolean {
  return needles === undefined || needles.some((needle) => bytes.includes(needle));
}

function searchUtf8(piece: Piece): FileVerdict {
  const { whole } = piece.search.pattern;
  if (whole !== undefined) return searchAtOnce(piece, whole);
  return piece.bytes.length < PIECE_BYTES ? searchPiece(piece.bytes, piece.search, true) : searchPieces(piece);
}

function searchAtOnce({ fd, bytes, search }: Piece, whole: RegExp): FileVerdict {
  const all = readRest(fd, bytes);
  if (all === undefined) return "tooLarge";
  if (mayMatch(all, search.pattern)) searchWhole(decode(all), whole, search);
  return "searched";
}

/** The whole file, of which the first bytes are read; undefined where it is over the bound. */
function readRest(fd: number, first: Buffer): Buffer | undefined {
  if (first.length < PIECE_BYTES) return first;
  for (let size = PIECE_BYTES * 4; size <= SEARCH_BOUNDS.fileBytes * 2; size *= 2) {
    const larger = Buffer.allocUnsafeSlow(Math.min(size, SEARCH_BOUNDS.fileBytes + 1));
    const end = fill(fd, larger, first.copy(larger));
    if (end < larger.length) return larger.subarray(0, end);
    if (end > SEARCH_BOUNDS.fileBytes) return undefined;
    first = Buffer.from(larger);
  }
  return undefined;
}

const decode = (bytes: Buffer): string => {
  const from = bytes.length >= 3 && bytes.readUIntBE(0, 3) === 0xefbbbf ? 3 : 0;
  return bytes.toString("utf8", from);
};

function searchPiece(bytes: Buffer, search: TextSearch, isFirst: boolean): FileVerdict {
  searchLines(isFirst ? decode(bytes) : bytes.toString("utf8"), search);
  return "searched";
}

/** A large file, in pieces that end with a line. */
function searchPieces({ began, fd, path, bytes, search }: Piece): FileVerdict {
  let buffer = bytes;
  let end = bytes.length;
  let verdict: FileVerdict = "searched";
  for (let isFirst = true, isLast = false; !isLast;) {
    isLast = end < buffer.length;
    const lines = isLast ? end : buffer.lastIndexOf(FEED, end - 1) + 1;
    if (lines === 0 && !isLast && buffer.length < SEARCH_BOUNDS.lineBytes) {
      const larger = Buffer.allocUnsafeSlow(buffer.length * 2);
      buffer.copy(larger);
      end = fill(fd, larger, end);
      buffer = larger;
      continue;
    }
    if (lines === 0 && !isLast) verdict = "split";
    const cut = lines === 0 && !isLast ? characterEnd(buffer, end) : lines;
    began(path);
    searchStretch(buffer.subarray(0, cut), search, isFirst);
    isFirst = false;
    if (isOver(search)) break;
    buffer.copyWithin(0, cut, end);
    end = fill(fd, buffer, end - cut);
  }
  return verdict;
}

const isOver = (search: TextSearch): boolean => search.stop() !== "none" || (search.firstOnly && search.count > 0);

/** Context reaches over pieces, so then every line has to be seen. */
function searchStretch(bytes: Buffer, search: TextSearch, isFirst: boolean): void {
  if (search.context > 0 || mayMatch(bytes, search.pattern)) {
    searchPiece(bytes, search, isFirst);
    return;
  }
  for (let feed = bytes.indexOf(FEED); feed >= 0; feed = bytes.indexOf(FEED, feed + 1)) search.passedLines += 1;
}

/** Before the last character that begins in front of `end`: it may go on behind it. */
function characterEnd(bytes: Buffer, end: number): number {
  let start = end - 1;
  while (start > end - 4 && start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start > 0 && (bytes[start] ?? 0) >= 0xc0 ? start : end;
}

function isUtf16(bytes: Buffer): boolean {
  const mark = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0;
  return mark === 0xfffe || mark === 0xfeff;
}

function searchUtf16({ began, fd, path, bytes, search }: Piece): FileVerdict {
  const all = readRest(fd, bytes);
  if (all === undefined) return "tooLarge";
  if (all.length % 2 !== 0) return "binary";
  const text = (all[0] === 0xfe ? Buffer.from(all).swap16() : all).toString("utf16le", 2);
  if (text.includes("\0")) return "binary";
  began(path);
  const { whole } = search.pattern;
  if (whole === undefined) searchLines(text, search);
  else searchWhole(text, whole, search);
  return search.count > 0 && !isStill(fd, path) ? "unreadable" : "searched";
}
