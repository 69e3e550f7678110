import type { Stats } from "node:fs";
import { constants } from "node:fs";
import { access, lstat, open, rename, unlink } from "node:fs/promises";
import type { Diagnostic, MutationState } from "../../schema/index.js";
import type { BytePath, HeldFolder } from "../paths/index.js";
import {
  baseOf,
  bytesOf,
  errnoOf,
  holdFolder,
  joinPath,
  kindWord,
  notRegular,
  parentOf,
  removeMade,
  systemFailure,
} from "../paths/index.js";
import { staleFile, stopped } from "./failures.js";

export interface FileChange {
  /** A checked real path. */
  readonly real: BytePath;
  readonly shown: string;
  readonly bytes: Uint8Array;
  /** What the new content was made from; the file must still be that. Undefined: whatever is there is replaced. */
  readonly madeFrom?: Stats;
  /** Part of a name that nothing else in the folder has. */
  readonly unique: string;
  readonly signal: AbortSignal;
}

export type ChangeOutcome =
  | { readonly outcome: "applied"; readonly created: boolean }
  | { readonly outcome: Exclude<MutationState, "applied">; readonly error: Diagnostic };

const TEMP_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Puts `bytes` at `real` all at once: a temporary file in the same folder, written through to the disk, then renamed. Mode
 * (and owner, where allowed) of the file that is replaced are kept; missing parents are made, and taken back on failure.
 * Before the rename nothing has changed, and abort is obeyed; after it the change is applied.
 */
export async function replaceFile(change: FileChange): Promise<ChangeOutcome> {
  const held = await holdFolder(parentOf(change.real), change.shown);
  if (!held.ok) return { outcome: "not-applied", error: held.error };
  try {
    const done = await replaceIn(held.value, change);
    if (done.outcome === "applied" || (await removeMade(held.value.made))) return done;
    return { outcome: "unknown", error: done.error };
  } finally {
    await held.value.close();
  }
}

async function replaceIn(folder: HeldFolder, change: FileChange): Promise<ChangeOutcome> {
  const target = joinPath(folder.base, baseOf(change.real));
  const temp = joinPath(folder.base, `.smith-${change.unique}.tmp`);
  let hasTemp = false;
  try {
    const existing = await existingFile(target);
    if (existing !== undefined && !existing.isFile())
      return { outcome: "not-applied", error: notRegular(change.shown, kindWord(existing)) };
    if (existing !== undefined) await access(bytesOf(target), constants.W_OK);
    hasTemp = true;
    await writeTemp(temp, change.bytes, existing);
    const problem = change.signal.aborted ? stopped(change.shown) : await changedSince(target, change);
    if (problem !== undefined) return { outcome: "not-applied", error: problem };
    await rename(bytesOf(temp), bytesOf(target));
    hasTemp = false;
    return { outcome: "applied", created: existing === undefined };
  } catch (error) {
    return { outcome: "not-applied", error: systemFailure(error, change.shown, "written") };
  } finally {
    if (hasTemp) await removeTemp(temp);
  }
}

async function existingFile(path: BytePath): Promise<Stats | undefined> {
  try {
    return await lstat(bytesOf(path));
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function writeTemp(temp: BytePath, bytes: Uint8Array, existing: Stats | undefined): Promise<void> {
  const handle = await open(bytesOf(temp), TEMP_FLAGS, existing === undefined ? 0o666 : 0o600);
  try {
    await handle.writeFile(bytes);
    if (existing !== undefined) {
      const mine = await handle.stat();
      // Giving a file away needs rights that most users do not have; the mode is what must be kept.
      if (mine.uid !== existing.uid || mine.gid !== existing.gid) await handle.chown(existing.uid, existing.gid).catch(ignoreSystemError);
      await handle.chmod(existing.mode & 0o7777);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function ignoreSystemError(error: unknown): void {
  if (errnoOf(error) === undefined) throw error;
}

async function changedSince(target: BytePath, { madeFrom, shown }: FileChange): Promise<Diagnostic | undefined> {
  if (madeFrom === undefined) return undefined;
  const now = await existingFile(target);
  const isSame = now !== undefined && now.ino === madeFrom.ino && now.size === madeFrom.size && now.mtimeMs === madeFrom.mtimeMs;
  return isSame ? undefined : staleFile(shown);
}

async function removeTemp(temp: BytePath): Promise<void> {
  await unlink(bytesOf(temp)).catch(ignoreSystemError);
}
