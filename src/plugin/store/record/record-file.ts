import { mkdir, open, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import type { z } from "zod";
import { type Clock, err, ok, parseJson, type Result } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { recordBroken, recordBusy, recordUnwritten } from "../diagnostics.js";
import type { Disk } from "../disk.js";
import { readBounded, systemWords } from "../tree.js";

/** Takes the exclusive lock of an open file without waiting; it ends with the descriptor, however that ends. False: another has it. */
export interface FileLock {
  tryLock(fd: number): boolean;
}

export interface RecordFileDeps {
  readonly clock: Clock;
  readonly lock: FileLock;
  readonly disk: Disk;
  /** Part of a name that no other file has. */
  readonly randomId: () => string;
}

/** A record while its lock is held: what is read is what the next write replaces. */
export interface LockedRecord<T> {
  readonly value: T;
  /** Replaces the whole record at once; `value` stays as it was. */
  readonly write: (next: T) => Promise<void>;
}

/** A small JSON file outside of anything a plugin may write. Only its owner can read it. */
export interface RecordFile<T> {
  /** As it is now; `empty` where there is none. */
  read(): Promise<Result<T, Diagnostic>>;
  /** Runs `change` while no other process changes the record. What the system refuses is an error; a broken record is never replaced. */
  change<Value>(change: (record: LockedRecord<T>) => Promise<Result<Value, Diagnostic>>): Promise<Result<Value, Diagnostic>>;
}

const MAX_RECORD_BYTES = 4 * 1024 * 1024;
const WAIT_MS = 10_000;
const RETRY_MS = 10;

export function createRecordFile<T>(path: string, shape: RecordShape<T>, deps: RecordFileDeps): RecordFile<T> {
  const read = async (): Promise<Result<T, Diagnostic>> => await readRecord(path, shape);
  const write = async (next: T): Promise<void> => {
    await deps.disk.replace(path, `${JSON.stringify(next, undefined, 2)}\n`, deps.randomId());
  };
  return {
    read,
    change: async (change) => {
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        // The lock is a file of its own, as the one it guards is replaced by every change.
        const lock = await open(`${path}.lock`, "a", 0o600);
        try {
          if (!(await take(lock, deps))) return err(recordBusy(path, WAIT_MS));
          const value = await read();
          return value.ok ? await change({ value: value.value, write }) : value;
        } finally {
          await lock.close();
        }
      } catch (error) {
        return err(recordUnwritten(path, `${systemWords(error)}.`));
      }
    },
  };
}

export interface RecordShape<T> {
  /** Asked for only where there is a file: a start without one does not pay for what reads it. */
  readonly schema: () => Promise<z.ZodType<T>>;
  /** What it is where there is no file. */
  readonly empty: T;
}

/** A record as it is now. */
export async function readRecord<T>(path: string, { schema, empty }: RecordShape<T>): Promise<Result<T, Diagnostic>> {
  const bytes = await readBounded(path, MAX_RECORD_BYTES);
  if (!bytes.ok) return bytes.error.isMissing ? ok(empty) : err(recordBroken(path, `Of the file: ${bytes.error.reason}.`));
  const parsed = (await schema()).safeParse(parseJson(Buffer.from(bytes.value).toString("utf8")));
  return parsed.success ? ok(parsed.data) : err(recordBroken(path, "It does not hold what smith writes there."));
}

async function take(lock: FileHandle, { clock, lock: locker }: RecordFileDeps): Promise<boolean> {
  const until = clock.monotonic() + WAIT_MS;
  while (!locker.tryLock(lock.fd)) {
    if (clock.monotonic() >= until) return false;
    await clock.sleep(RETRY_MS);
  }
  return true;
}
