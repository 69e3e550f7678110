import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from "node:fs";
import type { BytePath } from "../../paths/index.js";
import { bytesOf, errnoOf, fromBytes } from "../../paths/index.js";

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const NOT_ASCII = /[^\0-\x7f]/u;

/** What file system calls take; a string where that stands for the same bytes, which is faster. */
const asArgument = (path: BytePath): string | Buffer => (NOT_ASCII.test(path) ? bytesOf(path) : path);

/** Gives what `use` returns, or undefined where the file cannot be opened or read. */
export function withFile<T>(path: BytePath, use: (fd: number) => T): T | undefined {
  let fd: number;
  try {
    fd = openSync(asArgument(path), FLAGS);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
  try {
    return use(fd);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  } finally {
    closeSync(fd);
  }
}

/** Reads until the buffer is full or the file ends; the count of bytes in it from then on. */
export function fill(fd: number, into: Buffer, from: number): number {
  let end = from;
  while (end < into.length) {
    const count = readSync(fd, into, end, into.length - end, null);
    if (count === 0) break;
    end += count;
  }
  return end;
}

/**
 * Whether the open file is the regular file the walk went to: a folder above may have been exchanged for a link meanwhile. Asked before
 * anything of it is shown.
 */
export function isStill(fd: number, path: BytePath): boolean {
  if (!fstatSync(fd).isFile()) return false;
  try {
    const place = fromBytes(readlinkSync(`/proc/self/fd/${fd}`, { encoding: "buffer" }));
    return place === path || place === `${path} (deleted)`;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    // No /proc here.
    return true;
  }
}
