import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync } from "node:fs";
import type { BytePath } from "../paths/index.js";
import { bytesOf, errnoOf, fromBytes } from "../paths/index.js";
import { SEARCH_BOUNDS } from "./task.js";

export type Searchable =
  | { readonly type: "text"; readonly text: string }
  /** Does not hold the needle. */
  | { readonly type: "without" }
  | { readonly type: "binary" | "tooLarge" | "unreadable" };

/**
 * Text of a regular file for searching: UTF-8, or UTF-16 with a byte order mark; anything with a NUL is binary. With a
 * needle, files that do not hold its bytes are told apart before they are decoded.
 */
export function readSearchable(path: BytePath, needle: string | undefined): Searchable {
  const bytes = readRegular(path);
  if (!Buffer.isBuffer(bytes)) return { type: bytes };
  const mark = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0;
  if (mark === 0xfffe || mark === 0xfeff) return readUtf16(bytes, mark === 0xfeff);
  if (needle !== undefined && !bytes.includes(needle)) return bytes.includes(0) ? { type: "binary" } : { type: "without" };
  if (bytes.includes(0)) return { type: "binary" };
  const text = bytes.toString("utf8");
  return { type: "text", text: text.startsWith("\ufeff") ? text.slice(1) : text };
}

function readUtf16(bytes: Buffer, isBigEndian: boolean): Searchable {
  if (bytes.length % 2 !== 0) return { type: "binary" };
  const text = (isBigEndian ? bytes.swap16() : bytes).toString("utf16le", 2);
  return text.includes("\0") ? { type: "binary" } : { type: "text", text };
}

function readRegular(path: BytePath): Buffer | "tooLarge" | "unreadable" {
  try {
    const fd = openSync(bytesOf(path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(fd);
      // Another place than the walk went to: a folder above was exchanged for a link meanwhile.
      if (!stats.isFile() || !isAt(fd, path)) return "unreadable";
      return stats.size > SEARCH_BOUNDS.fileBytes ? "tooLarge" : readFileSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return "unreadable";
  }
}

function isAt(fd: number, path: BytePath): boolean {
  try {
    const place = fromBytes(readlinkSync(`/proc/self/fd/${fd}`, { encoding: "buffer" }));
    return place === path || place === `${path} (deleted)`;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    // No /proc here.
    return true;
  }
}
