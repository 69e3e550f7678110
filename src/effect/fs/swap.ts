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
import { type Leftovers, tempName } from "./leftovers.js";

export interface FileChange {
  /** A checked real path. */
  readonly real: BytePath;
  readonly shown: string;
  /** Undefined: the file goes. */
  readonly bytes: Uint8Array | undefined;
  /** What the change was made from, which must still be there; `absent`: nothing must be. */
  readonly madeFrom: Stats | "absent";
  /** What a file that is new is to be like: another file, or a mode less the process's mask. Left out: that of plain files. */
  readonly like?: Stats | number;
  /** Part of a name that nothing else in the folder has. */
  readonly unique: string;
  readonly signal: AbortSignal;
  readonly leftovers: Leftovers;
}

export type ChangeOutcome =
  { readonly outcome: "applied" } | { readonly outcome: Exclude<MutationState, "applied">; readonly error: Diagnostic };

type Problem = Exclude<ChangeOutcome, { readonly outcome: "applied" }>;

/** A change that is ready: everything that can fail early has been done, nothing is changed yet. */
export interface StagedChange {
  /**
   * Makes it at once, by one rename; `not-applied` when that failed or the file is not what the change was made from. `isBound`: others
   * were made already, so abort does not stop it.
   */
  commit(isBound?: boolean): Promise<ChangeOutcome>;
  /** After commit: puts back what was there. False where that cannot be said. */
  undo(before: Uint8Array | undefined): Promise<boolean>;
  /** Ends it: what was not committed leaves nothing behind. False when it did. */
  close(): Promise<boolean>;
}

const TEMP_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const MODE_BITS = 0o7777;

/**
 * Readies `bytes` for `real`: a temporary file in the same folder, written through to the disk. Mode (and owner, where allowed) of the
 * file that is replaced are kept; missing parents are made, and taken back on failure.
 */
export async function stageChange(change: FileChange): Promise<StagedChange | Problem> {
  const held = await holdFolder(parentOf(change.real), change.shown);
  if (!held.ok) return { outcome: "not-applied", error: held.error };
  const staged = new Staged(held.value, change);
  const error = await staged.prepare();
  if (error === undefined) return staged;
  return { outcome: (await staged.close()) ? "not-applied" : "unknown", error };
}

/** One change by itself. Before the rename nothing has changed, and abort is obeyed; after it the change is applied. */
export async function swapFile(change: FileChange): Promise<ChangeOutcome> {
  const staged = await stageChange(change);
  if ("outcome" in staged) return staged;
  const done = await staged.commit();
  const isClean = await staged.close();
  return done.outcome === "applied" || isClean ? done : { ...done, outcome: "unknown" };
}

class Staged implements StagedChange {
  readonly #folder: HeldFolder;
  readonly #change: FileChange;
  readonly #target: BytePath;
  readonly #temp: BytePath;
  #hasTemp = false;
  #isDone = false;

  constructor(folder: HeldFolder, change: FileChange) {
    this.#folder = folder;
    this.#change = change;
    this.#target = joinPath(folder.base, baseOf(change.real));
    this.#temp = joinPath(folder.base, tempName(change.unique));
  }

  async prepare(): Promise<Diagnostic | undefined> {
    const { bytes, shown, leftovers, real } = this.#change;
    try {
      const existing = await existingFile(this.#target);
      if (existing !== undefined && !existing.isFile()) return notRegular(shown, kindWord(existing));
      if (existing !== undefined) await access(bytesOf(this.#target), constants.W_OK);
      await leftovers.sweep(this.#folder.base, parentOf(real));
      if (bytes === undefined) return undefined;
      this.#hasTemp = true;
      await writeTemp(this.#temp, bytes, existing ?? this.#change.like);
      return undefined;
    } catch (error) {
      return systemFailure(error, shown, "written");
    }
  }

  async commit(isBound = false): Promise<ChangeOutcome> {
    const { signal, shown, bytes } = this.#change;
    try {
      const problem = signal.aborted && !isBound ? stopped(shown) : await changedSince(this.#target, this.#change);
      if (problem !== undefined) return { outcome: "not-applied", error: problem };
      // What goes is only put aside, so that it can come back as it was.
      if (bytes === undefined) await rename(bytesOf(this.#target), bytesOf(this.#temp));
      else await rename(bytesOf(this.#temp), bytesOf(this.#target));
      this.#hasTemp = bytes === undefined;
      this.#isDone = true;
      return { outcome: "applied" };
    } catch (error) {
      return { outcome: "not-applied", error: systemFailure(error, shown, bytes === undefined ? "deleted" : "written") };
    }
  }

  async undo(before: Uint8Array | undefined): Promise<boolean> {
    try {
      if (this.#change.bytes === undefined) {
        if ((await existingFile(this.#target)) !== undefined) return false;
        await rename(bytesOf(this.#temp), bytesOf(this.#target));
        this.#hasTemp = false;
      } else if (before === undefined) await unlink(bytesOf(this.#target));
      else {
        this.#hasTemp = true;
        await writeTemp(this.#temp, before, await existingFile(this.#target));
        await rename(bytesOf(this.#temp), bytesOf(this.#target));
        this.#hasTemp = false;
      }
      this.#isDone = false;
      return true;
    } catch (error) {
      ignoreSystemError(error);
      return false;
    }
  }

  async close(): Promise<boolean> {
    if (this.#hasTemp) await unlink(bytesOf(this.#temp)).catch(ignoreSystemError);
    this.#hasTemp = false;
    const isClean = this.#isDone || (await removeMade(this.#folder.made));
    await this.#folder.close();
    return isClean;
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

/** `like`: the file it is to be like, or the mode of one that is new. */
async function writeTemp(temp: BytePath, bytes: Uint8Array, like: Stats | number | undefined): Promise<void> {
  const handle = await open(bytesOf(temp), TEMP_FLAGS, typeof like === "object" ? 0o600 : (like ?? 0o666));
  try {
    await handle.writeFile(bytes);
    if (typeof like === "object") {
      const mine = await handle.stat();
      // Giving a file away needs rights that most users do not have; the mode is what must be kept.
      if (mine.uid !== like.uid || mine.gid !== like.gid) await handle.chown(like.uid, like.gid).catch(ignoreSystemError);
      await handle.chmod(like.mode & MODE_BITS);
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
  const now = await existingFile(target);
  if (madeFrom === "absent") return now === undefined ? undefined : staleFile(shown);
  const isSame = now !== undefined && now.ino === madeFrom.ino && now.size === madeFrom.size && now.mtimeMs === madeFrom.mtimeMs;
  return isSame ? undefined : staleFile(shown);
}
