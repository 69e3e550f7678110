import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import type { BytePath } from "../../paths/index.js";
import { bytesOf, errnoOf } from "../../paths/index.js";

/** What git has in its index: a rule never hides a file that is in it. Paths are relative to the repository, as bytes. */
export interface Tracked {
  has(path: string): boolean;
  /** Whether anything below the folder is in it. */
  hasBelow(folder: string): boolean;
}

const MAX_INDEX_BYTES = 256 * 1024 * 1024;

/** The index of a repository. One that cannot be read, or is split over files, tracks nothing as far as this goes. */
export function loadTracked(file: BytePath, hashBytes: number): Tracked {
  const paths = parseIndex(readIndex(file), hashBytes);
  const from = (path: string): number => {
    let [low, high] = [0, paths.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((paths[middle] ?? "") < path) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    has: (path) => paths[from(path)] === path,
    hasBelow: (folder) => paths[from(`${folder}/`)]?.startsWith(`${folder}/`) ?? false,
  };
}

function readIndex(file: BytePath): Buffer {
  try {
    const fd = openSync(bytesOf(file), constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(fd);
      return stats.isFile() && stats.size <= MAX_INDEX_BYTES ? readFileSync(fd) : Buffer.alloc(0);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return Buffer.alloc(0);
  }
}

const HEADER_BYTES = 12;
/** Times, ids and size before the object name of an entry. */
const STAT_BYTES = 40;
const EXTENDED = 0x4000;

/** Paths in the order of the file, which is that of their bytes (gitformat-index(5), versions 2 to 4). */
export function parseIndex(bytes: Buffer, hashBytes: number): readonly string[] {
  if (bytes.length < HEADER_BYTES || bytes.toString("latin1", 0, 4) !== "DIRC") return [];
  const version = bytes.readUInt32BE(4);
  const count = bytes.readUInt32BE(8);
  if (version < 2 || version > 4) return [];
  const paths: string[] = [];
  let at = HEADER_BYTES;
  let previous = "";
  for (let entry = 0; entry < count; entry += 1) {
    const nameAt = nameOffset(bytes, at + STAT_BYTES + hashBytes);
    const { kept, start } = version === 4 ? keptPart(bytes, nameAt, previous) : { kept: "", start: nameAt };
    const end = bytes.indexOf(0, start);
    if (end < 0) return [];
    previous = kept + bytes.toString("latin1", start, end);
    // Entries of one conflict come once per side.
    if (paths.at(-1) !== previous) paths.push(previous);
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
  return isSplit(bytes, at, hashBytes) ? [] : paths;
}

/** Flags take two bytes, or four. Behind the end for an entry that is not whole. */
function nameOffset(bytes: Buffer, flagsAt: number): number {
  if (flagsAt + 2 > bytes.length) return bytes.length;
  return flagsAt + ((bytes.readUInt16BE(flagsAt) & EXTENDED) === 0 ? 2 : 4);
}

/** What a path of version 4 has in common with the one before. */
function keptPart(bytes: Buffer, at: number, previous: string): { readonly kept: string; readonly start: number } {
  const dropped = readOffset(bytes, at);
  return { kept: previous.slice(0, Math.max(0, previous.length - dropped.value)), start: dropped.end };
}

/** Seven bits a byte, each further byte counting one more than it says. */
function readOffset(bytes: Buffer, from: number): { readonly value: number; readonly end: number } {
  let at = from;
  let byte = bytes[at] ?? 0;
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0 && at < bytes.length) {
    at += 1;
    byte = bytes[at] ?? 0;
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, end: at + 1 };
}

/** An index that names another file for the rest of it. */
function isSplit(bytes: Buffer, extensions: number, hashBytes: number): boolean {
  for (let at = extensions; at + 8 <= bytes.length - hashBytes; at += 8 + bytes.readUInt32BE(at + 4))
    if (bytes.toString("latin1", at, at + 4) === "link") return true;
  return false;
}
