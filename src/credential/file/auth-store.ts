import { constants } from "node:fs";
import { type FileHandle, mkdir, open, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { type Clock, err, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { authFileBroken, authFileBusy, authFileOpen, authFileUnwritten, badAuthName, credentialStopped } from "../diagnostics.js";
import { type AuthEntries, type AuthSnapshot, type FileLock, NO_AUTH } from "../types.js";
import { EMPTY_AUTH, encodeAuthText, isAuthName, MAX_AUTH_BYTES, type ParsedAuth, parseAuthText } from "./auth-text.js";
import { codeOf, realPlace } from "./place.js";

export interface AuthStoreDeps {
  /** `<data>/auth.json`, absolute. */
  readonly path: string;
  readonly clock: Clock;
  readonly lock: FileLock;
}

/** What a change makes of the entries; `entries` absent: they stay, and nothing is written. */
export interface AuthChange<Value> {
  readonly entries?: AuthEntries;
  readonly value: Value;
}

/** The auth file. Only its owner can read what it writes; what it cannot read it never replaces. */
export interface AuthStore {
  readonly path: string;
  /** As it is now; no entries where there is no file. Takes no lock: a file is there whole, as one change left it. */
  read(): Promise<Result<AuthSnapshot, Diagnostic>>;
  /**
   * Runs `change` while no other process changes the file, and resolves when its outcome is on disk. Nothing is written where
   * it fails. `signal` ends the wait for other processes, not a change that began.
   */
  update<Value>(
    change: (entries: AuthEntries) => Promise<Result<AuthChange<Value>, Diagnostic>>,
    signal?: AbortSignal,
  ): Promise<Result<Value, Diagnostic>>;
}

/** Renewing a login holds the file for one exchange with its server. */
const WAIT_MS = 30_000;
const RETRY_MS = 20;
const OWNER_ONLY = 0o600;

export function createAuthStore(deps: AuthStoreDeps): AuthStore {
  const { path } = deps;
  return {
    path,
    async read() {
      const parsed = await load(path);
      return parsed.ok ? ok(parsed.value.snapshot) : parsed;
    },
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
        return err(authFileUnwritten(path, systemWords(error)));
      }
    },
  };
}

async function changeLocked<Value>(
  place: string,
  change: (entries: AuthEntries) => Promise<Result<AuthChange<Value>, Diagnostic>>,
  { path }: AuthStoreDeps,
): Promise<Result<Value, Diagnostic>> {
  const before = await load(path);
  if (!before.ok) return before;
  const changed = await change(before.value.snapshot.entries);
  if (!changed.ok) return changed;
  const { entries, value } = changed.value;
  if (entries === undefined) return ok(value);
  const bad = [...entries.keys()].find((name) => !isAuthName(name));
  if (bad !== undefined) return err(badAuthName(bad));
  const text = encodeAuthText(entries, before.value);
  if (text === undefined) return err(authFileUnwritten(path, `It would have more than ${String(MAX_AUTH_BYTES)} bytes.`));
  await replace(place, text);
  return ok(value);
}

async function take(lock: FileHandle, { path, clock, lock: locker }: AuthStoreDeps, signal?: AbortSignal): Promise<Diagnostic | undefined> {
  const until = clock.monotonic() + WAIT_MS;
  while (!locker.tryLock(lock.fd)) {
    if (signal?.aborted === true) return credentialStopped("The auth file");
    if (clock.monotonic() >= until) return authFileBusy(path, WAIT_MS);
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

interface Loaded extends ParsedAuth {
  readonly snapshot: AuthSnapshot;
}

async function load(path: string): Promise<Result<Loaded, Diagnostic>> {
  const content = await readBounded(path);
  if (content === undefined) return ok({ ...EMPTY_AUTH, snapshot: NO_AUTH });
  if (typeof content === "string") return err(authFileBroken(path, content));
  const parsed = parseAuthText(content.text);
  if (!parsed.ok) return err(authFileBroken(path, parsed.error));
  const warnings = isOpen(content.mode) ? [authFileOpen(path, `0${(content.mode & 0o777).toString(8)}`)] : [];
  return ok({ ...parsed.value, snapshot: { entries: parsed.value.entries, warnings } });
}

/** Windows has no such permissions. */
const isOpen = (mode: number): boolean => process.platform !== "win32" && (mode & 0o077) !== 0;

/** Content and permissions; undefined where there is no file; a sentence on what keeps it from being read. */
async function readBounded(path: string): Promise<{ readonly text: string; readonly mode: number } | string | undefined> {
  try {
    // Nobody may ever write into a named pipe.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const facts = await file.stat();
      if (!facts.isFile()) return "It is no file.";
      if (facts.size > MAX_AUTH_BYTES) return `It has more than ${String(MAX_AUTH_BYTES)} bytes.`;
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
