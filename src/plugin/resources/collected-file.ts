import { constants } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { sep } from "node:path";
import type { Diagnostic } from "../../schema/index.js";
import { resourceBinary, resourceCut, resourceNotAFile, resourceOutside, resourceTooLarge, resourceUnreadable } from "./diagnostics.js";

/** A file as it was found, or what is wrong with it. Neither: there is none. */
export interface FoundFile {
  readonly file?: {
    /** Real, absolute. */
    readonly path: string;
    /** Line feeds only, without a byte order mark. */
    readonly text: string;
  };
  readonly problem?: Diagnostic;
}

export interface FileRules {
  readonly maxBytes: number;
  readonly cut: boolean;
  readonly within?: string;
}

// The path is real, so a link in its place was swapped in; no pipe is waited for. Windows has neither flag.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Reads one file within its rules. Whatever is in its place, this neither waits nor rejects. */
export async function readCollected(path: string, rules: FileRules): Promise<FoundFile> {
  try {
    const real = await realpath(path);
    if (rules.within !== undefined && !liesIn(real, rules.within)) return { problem: resourceOutside(path, real, rules.within) };
    // Opening a device can do something.
    if (!(await lstat(real)).isFile()) return { problem: resourceNotAFile(path) };
    return await readRegular(path, real, rules);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return {};
    return { problem: resourceUnreadable(path, error instanceof Error ? error.message : String(error)) };
  }
}

async function readRegular(path: string, real: string, { maxBytes, cut }: FileRules): Promise<FoundFile> {
  const handle = await open(real, FLAGS);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return { problem: resourceNotAFile(path) };
    const isLonger = stats.size > maxBytes;
    if (isLonger && !cut) return { problem: resourceTooLarge(path, stats.size, maxBytes) };
    const bytes = await readAtMost(handle, Math.min(stats.size, maxBytes));
    if (bytes.includes(0)) return { problem: resourceBinary(path) };
    // As a stream where it is cut: a character that the bound cuts in two is left out.
    const text = new TextDecoder().decode(bytes, { stream: isLonger }).replaceAll("\r\n", "\n");
    return { file: { path: real, text }, ...(isLonger ? { problem: resourceCut(path, stats.size, maxBytes) } : {}) };
  } finally {
    await handle.close();
  }
}

const liesIn = (path: string, root: string): boolean => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);

async function readAtMost(handle: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await handle.read(buffer, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}
