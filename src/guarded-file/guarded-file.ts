import { constants } from "node:fs";
import { type FileHandle, mkdir, open, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { type Clock, err, ok, type Result } from "../base/index.js";
import type { Diagnostic } from "../schema/index.js";
import { codeOf, realPlace } from "./place.js";

/** Takes the exclusive lock of an open file without waiting; it ends with the descriptor, however that ends. False: another has it. */
export interface FileLock {
  tryLock(fd: number): boolean;
}

export interface GuardedFileDeps {
  /** Absolute. */
  readonly path: string;
  readonly clock: Clock;
  readonly lock: FileLock;
  /** UTF-8 bytes of a file that is read. */
  readonly maxBytes: number;
  /** Words for what goes wrong; `why` is a sentence. */
  readonly failures: {
    readonly broken: (path: string, why: string) => Diagnostic;
    readonly unwritten: (path: string, why: string) => Diagnostic;
    readonly busy: (path: string, waitedMs: number) => Diagnostic;
    readonly stopped: () => Diagnostic;
  };
}

export interface GuardedText {
  readonly text: string;
  /** Permissions of a file that others can get at, as `0644`. */
  readonly openMode?: string;
}

/** What a change comes to; `text` absent: nothing is written. */
export interface GuardedChange<Value> {
  readonly text?: string;
  readonly value: Value;
}

/** Only its owner can read what it writes; what it cannot read it never replaces. */
export interface GuardedFile {
  readonly path: string;
  /** As it is now; undefined where there is no file. Takes no lock: a file is there whole, as one change left it. */
  read(): Promise<Result<GuardedText | undefined, Diagnostic>>;
  /**
   * Runs `change` while no other process changes the file, and resolves when its outcome is on disk. Nothing is written where
   * it fails. `signal` ends the wait for other processes, not a change that began.
   */
  update<Value>(
    change: (before: GuardedText | undefined) => Promise<Result<GuardedChange<Value>, Diagnostic>>,
    signal?: AbortSignal,
  ): Promise<Result<Value, Diagnostic>>;
}

/** Renewing a login holds the auth file for one exchange with its server. */
const WAIT_MS = 30_000;
const RETRY_MS = 20;
const OWNER_ONLY = 0o600;

export function createGuardedFile(deps: GuardedFileDeps): GuardedFile {
  const { path, failures } = deps;
  return {
    path,
    read: async () => await load(deps),
    async update(change, signal) {
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        const place = await realPlace(path);
        // The lock is a file of its own, as the one it guards is replaced by every change; beside the real one, which all names share.
        const lock = await open(`${place}.lock`, "a", OWNER_ONLY);
        try {
          const problem = await take(lock, deps, signal);
          return problem === undefined ? await changeLocked(place, change, deps) : err(problem);
        } finally {
          await lock.close();
        }
      } catch (error) {
        return err(failures.unwritten(path, systemWords(error)));
      }
    },
  };
}

async function changeLocked<Value>(
  place: string,
  change: (before: GuardedText | undefined) => Promise<Result<GuardedChange<Value>, Diagnostic>>,
  deps: GuardedFileDeps,
): Promise<Result<Value, Diagnostic>> {
  const before = await load(deps);
  if (!before.ok) return before;
  const changed = await change(before.value);
  if (!changed.ok) return changed;
  const { text, value } = changed.value;
  if (text !== undefined) await replace(place, text);
  return ok(value);
}

async function take(
  lock: FileHandle,
  { path, clock, lock: locker, failures }: GuardedFileDeps,
  signal?: AbortSignal,
): Promise<Diagnostic | undefined> {
  const until = clock.monotonic() + WAIT_MS;
  while (!locker.tryLock(lock.fd)) {
    if (signal?.aborted === true) return failures.stopped();
    if (clock.monotonic() >= until) return failures.busy(path, WAIT_MS);
    await clock.sleep(RETRY_MS, signal);
  }
  return undefined;
}

/** Whole or not at all, on disk, for its owner alone. Under the lock, so what is there under the temporary name is of a process that died. */
async function replace(place: string, text: string): Promise<void> {
  const temporary = `${place}.tmp`;
  await unlink(temporary).catch(() => undefined);
  try {
    const handle = await open(temporary, "wx", OWNER_ONLY);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, place);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(place));
}

/** Makes the name as durable as the content. Some file systems cannot; the file is complete all the same. */
async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder, "r");
    await handle.sync();
  } catch {
    return;
  } finally {
    await handle?.close();
  }
}

async function load({ path, maxBytes, failures }: GuardedFileDeps): Promise<Result<GuardedText | undefined, Diagnostic>> {
  const content = await readBounded(path, maxBytes);
  if (content === undefined) return ok(undefined);
  if (typeof content === "string") return err(failures.broken(path, content));
  return ok({ text: content.text, ...(isOpen(content.mode) ? { openMode: `0${(content.mode & 0o777).toString(8)}` } : {}) });
}

/** Windows has no such permissions. */
const isOpen = (mode: number): boolean => process.platform !== "win32" && (mode & 0o077) !== 0;

/** Content and permissions; undefined where there is no file; a sentence on what keeps it from being read. */
async function readBounded(path: string, maxBytes: number): Promise<{ readonly text: string; readonly mode: number } | string | undefined> {
  try {
    // Nobody may ever write into a named pipe.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const facts = await file.stat();
      if (!facts.isFile()) return "It is no file.";
      if (facts.size > maxBytes) return `It has more than ${String(maxBytes)} bytes.`;
      return { text: await file.readFile("utf8"), mode: facts.mode };
    } finally {
      await file.close();
    }
  } catch (error) {
    return codeOf(error) === "ENOENT" ? undefined : systemWords(error);
  }
}

/** An error of the system; all others are bugs. */
function systemWords(error: unknown): string {
  if (codeOf(error) === undefined) throw error;
  return `The system says: ${error instanceof Error ? error.message : String(error)}.`;
}
