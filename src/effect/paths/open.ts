import type { Stats } from "node:fs";
import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { lstat, mkdir, open, readlink, realpath, rmdir } from "node:fs/promises";
import { err, ok } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { errnoOf, movedAway, notFolder, notRegular, systemFailure } from "./failures.js";
import type { BytePath } from "./names.js";
import { bytesOf, fromBytes, fromText, showName } from "./names.js";
import { baseOf, joinPath, parentOf } from "./resolve.js";

const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const FOLDER_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY;

export interface OpenedFile {
  readonly handle: FileHandle;
  readonly stats: Stats;
}

/** What a thing is called that is no regular file. */
export function kindWord(
  stats: Pick<Stats, "isDirectory" | "isFIFO" | "isSocket" | "isCharacterDevice" | "isBlockDevice" | "isSymbolicLink">,
): string {
  if (stats.isDirectory()) return "folder";
  if (stats.isFIFO()) return "named pipe";
  if (stats.isSocket()) return "socket";
  if (stats.isSymbolicLink()) return "symbolic link";
  return stats.isCharacterDevice() || stats.isBlockDevice() ? "device" : "special file";
}

/** Where an open file really is, from the kernel; undefined where the platform does not tell. */
async function handlePath(handle: FileHandle): Promise<BytePath | undefined> {
  try {
    return fromBytes(await readlink(`/proc/self/fd/${handle.fd}`, { encoding: "buffer" }));
  } catch (error) {
    if (errnoOf(error) !== undefined) return undefined;
    throw error;
  }
}

/** Whether what was opened is what was checked: same place, and no link slipped in between. */
async function isStillAt(handle: FileHandle, real: BytePath, stats: Stats): Promise<boolean> {
  const place = await handlePath(handle);
  // A file replaced by a rename a moment ago was still opened at its place.
  if (place !== undefined) return place === real || place === `${real} (deleted)`;
  const now = fromBytes(await realpath(bytesOf(real), { encoding: "buffer" }));
  const target = await lstat(bytesOf(real));
  return now === real && target.ino === stats.ino && target.dev === stats.dev;
}

/**
 * Opens a regular file for reading. `real` is a checked real path; pipes, sockets, devices and folders are refused before
 * they are opened, and a file that is somewhere else than checked is refused after.
 */
export async function openRegular(real: BytePath, shown: string): Promise<Result<OpenedFile, Diagnostic>> {
  let handle: FileHandle | undefined;
  try {
    const before = await lstat(bytesOf(real));
    if (!before.isFile()) return err(notRegular(shown, kindWord(before)));
    handle = await open(bytesOf(real), READ_FLAGS);
    const stats = await handle.stat();
    const problem = !stats.isFile()
      ? notRegular(shown, kindWord(stats))
      : (await isStillAt(handle, real, stats))
        ? undefined
        : movedAway(shown);
    if (problem === undefined) return ok({ handle, stats });
    await handle.close();
    return err(problem);
  } catch (error) {
    await handle?.close();
    return err(systemFailure(error, shown, "read"));
  }
}

/** A folder held open, so that names in it cannot be redirected by exchanging a folder above. */
export interface HeldFolder {
  /** Prefix for the names in it. */
  readonly base: BytePath;
  /** Folders that were made for it, outermost first. */
  readonly made: readonly BytePath[];
  close(): Promise<void>;
}

async function holdExisting(real: BytePath): Promise<Result<{ readonly handle: FileHandle; readonly base: BytePath }, Diagnostic>> {
  const handle = await open(bytesOf(real), FOLDER_FLAGS);
  const place = await handlePath(handle);
  if (place === real) return ok({ handle, base: fromText(`/proc/self/fd/${handle.fd}`) });
  // Without /proc the path itself is the best there is.
  if (place === undefined && fromBytes(await realpath(bytesOf(real), { encoding: "buffer" })) === real) return ok({ handle, base: real });
  await handle.close();
  return err(movedAway(showName(real)));
}

/** Holds the folder `real`, making it and its missing parents one by one below the deepest that exists. */
export async function holdFolder(real: BytePath, shown: string): Promise<Result<HeldFolder, Diagnostic>> {
  const missing: BytePath[] = [];
  let existing = real;
  try {
    for (; !(await exists(existing)); existing = parentOf(existing)) missing.unshift(existing);
    let held = await holdExisting(existing);
    const made: BytePath[] = [];
    for (const folder of missing) {
      if (!held.ok) break;
      const { handle, base } = held.value;
      try {
        await makeFolder(joinPath(base, baseOf(folder)));
        made.push(folder);
        held = await holdExisting(folder);
      } finally {
        await handle.close();
      }
    }
    if (!held.ok) return held;
    const { handle, base } = held.value;
    return ok({ base, made, close: () => handle.close() });
  } catch (error) {
    return err(errnoOf(error) === "ENOTDIR" ? notFolder(showName(real)) : systemFailure(error, shown, "written"));
  }
}

async function exists(path: BytePath): Promise<boolean> {
  try {
    await lstat(bytesOf(path));
    return true;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** Another call may make the same folder at the same time. */
async function makeFolder(path: BytePath): Promise<void> {
  try {
    await mkdir(bytesOf(path));
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
}

/** Takes back folders that were made for a write that then failed. Returns whether none of them is left. */
export async function removeMade(made: readonly BytePath[]): Promise<boolean> {
  for (const folder of made.toReversed()) {
    try {
      await rmdir(bytesOf(folder));
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return false;
    }
  }
  return true;
}
