import type { Result, SessionId } from "../../base/index.js";
import { err, ok } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { FileHeader } from "../codec/index.js";
import { cutAt, decodeFileHeader, encodeFileHeader, FILE_HEADER_BYTES } from "../codec/index.js";
import { lockUnavailable, sessionUnreadable, sessionUnsupported } from "../diagnostics.js";
import type { CheckpointLog } from "../live/index.js";
import type { Locker } from "../lock.js";
import type { FileOperations, Tail } from "../log/index.js";
import { errorCode, LogicalFile, OpenFile, readTail, SCATTERED } from "../log/index.js";
import { loadLog } from "../reader/index.js";
import type { SessionWriter } from "../types.js";

/** A file opened and, for a writer, locked and recovered. */
export interface Acquired {
  readonly file: OpenFile;
  readonly header: FileHeader;
  readonly tail: Tail;
  /** Live state as of the tail: what a change is checked against from the first one on. */
  readonly log: CheckpointLog;
  readonly dropped: SessionWriter["dropped"];
}

/** A file that stays readable although it may not be written. */
export type Acquisition =
  { readonly type: "writable"; readonly acquired: Acquired } | { readonly type: "busy" } | { readonly type: "not-writable" };

export interface FileContext {
  readonly ops: FileOperations;
  readonly locker: Locker;
  readonly path: string;
}

/** A repair may rename a new file over the one just opened; its lock would guard nothing. */
const MAX_REOPENS = 8;

/** Reads and checks the 256 bytes every session file begins with. */
export async function readHeader(
  file: OpenFile,
  path: string,
): Promise<
  Result<{ readonly header: FileHeader; readonly seed: number; readonly writable: boolean; readonly mirrored: boolean }, Diagnostic>
> {
  const bytes = Buffer.alloc(FILE_HEADER_BYTES);
  const got = await file.read(bytes, 0);
  if (got < FILE_HEADER_BYTES) {
    const why = `It has ${got} bytes; a session file begins with a header of ${FILE_HEADER_BYTES}. Its creation was interrupted, or it was cut.`;
    return err(sessionUnreadable(path, why));
  }
  const reading = decodeFileHeader(bytes);
  switch (reading.type) {
    case "sound":
      return ok(reading);
    case "unsupported":
      return err(sessionUnsupported(path, reading.major));
    case "damaged":
      return err(sessionUnreadable(path, "Both copies of its header fail their checksum."));
  }
}

/**
 * Opens for writing: lock, check that the path still leads to the locked file, judge the tail, make durable what is adopted,
 * cut off what is torn. Cuts only unacknowledged bytes, and keeps a copy when a complete frame is among them.
 */
export async function acquire(context: FileContext, now: () => number): Promise<Result<Acquisition, Diagnostic>> {
  const { ops, path } = context;
  const locked = await openLocked(context);
  if (!locked.ok || locked.value === undefined) return locked.ok ? ok({ type: "busy" }) : locked;
  const file = locked.value;
  let isKept = false;
  try {
    const read = await readHeader(file, path);
    if (!read.ok) return read;
    const { header, seed, writable } = read.value;
    const { size } = await file.facts();
    const tail = await readTail(new LogicalFile(file, seed, SCATTERED), size);
    if (!writable || tail.obstacle !== undefined) return ok({ type: "not-writable" });
    await ops.fdatasync(file.fd);
    const keep = cutAt(tail.offset);
    const dropped = size > keep ? await cut(context, file, { keep, size, savesCopy: tail.hasTornFrame, now }) : undefined;
    const log = await loadLog(file, seed, tail);
    isKept = true;
    return ok({ type: "writable", acquired: { file, header, tail, log, dropped } });
  } finally {
    if (!isKept) await file.close();
  }
}

/**
 * The file at the path under the writer's lock; `undefined` when another process holds the lock. Whoever removes or replaces a
 * session holds it too, so the path leads to this file until it is closed.
 */
export async function openLocked({ ops, locker, path }: FileContext): Promise<Result<OpenFile | undefined, Diagnostic>> {
  for (let attempt = 0; attempt < MAX_REOPENS; attempt += 1) {
    const opening = ops.open(path, "r+");
    locker.prepare();
    const fd = await opening;
    const file = new OpenFile(ops, fd);
    let isKept = false;
    try {
      const lock = tryLock(locker, fd, path);
      if (!lock.ok) return lock;
      if (!lock.value) return ok(undefined);
      isKept = (await file.facts()).inode === (await ops.stat(path)).inode;
      if (isKept) return ok(file);
    } finally {
      if (!isKept) await file.close();
    }
  }
  return err(sessionUnreadable(path, "It is replaced by another file again and again."));
}

function tryLock(locker: Locker, fd: number, path: string): Result<boolean, Diagnostic> {
  try {
    return ok(locker.tryLock(fd));
  } catch (error) {
    return err(lockUnavailable(path, error));
  }
}

interface Cut {
  readonly keep: number;
  readonly size: number;
  readonly savesCopy: boolean;
  readonly now: () => number;
}

async function cut(
  { ops, path }: FileContext,
  file: OpenFile,
  { keep, size, savesCopy, now }: Cut,
): Promise<NonNullable<SessionWriter["dropped"]>> {
  const copy = savesCopy ? path.replace(/\.smith$/u, `.tail-${now()}`) : undefined;
  if (copy !== undefined) await keepCopy(ops, file, { copy, keep, size });
  await ops.truncate(file.fd, keep);
  await ops.fdatasync(file.fd);
  return { bytes: size - keep, ...(copy === undefined ? {} : { copy }) };
}

async function keepCopy(
  ops: FileOperations,
  file: OpenFile,
  { copy, keep, size }: { readonly copy: string; readonly keep: number; readonly size: number },
): Promise<void> {
  const torn = Buffer.alloc(size - keep);
  const got = await file.read(torn, keep);
  const fd = await ops.open(copy, "wx+");
  try {
    await ops.write(fd, torn.subarray(0, got), 0);
    await ops.fsync(fd);
  } finally {
    await ops.close(fd);
  }
}

export interface NewFile {
  readonly id: SessionId;
  readonly dir: string;
  readonly temporary: string;
  readonly header: FileHeader;
}

/**
 * Makes a session file that appears whole or not at all, already locked. `ready` resolves when its name is durable too; it
 * goes on while the caller already writes.
 */
export async function createFile(
  context: FileContext,
  fresh: NewFile,
): Promise<Result<{ readonly file: OpenFile; readonly ready: Promise<void> }, Diagnostic>> {
  const { ops, locker, path } = context;
  const opening = openFresh(ops, fresh);
  locker.prepare();
  const file = new OpenFile(ops, await opening);
  let isKept = false;
  try {
    const lock = tryLock(locker, file.fd, fresh.temporary);
    if (!lock.ok) return lock;
    const bytes = encodeFileHeader(fresh.header);
    const written = await ops.write(file.fd, bytes, 0);
    if (written !== bytes.length) return err(sessionUnreadable(path, `Only ${written} bytes of its header could be written.`));
    await ops.fsync(file.fd);
    await ops.link(fresh.temporary, path);
    const ready = Promise.all([ops.unlink(fresh.temporary), syncDirectory(ops, fresh.dir)]).then(() => undefined);
    // Whoever writes first awaits it and hears of a failure there.
    ready.catch(() => undefined);
    isKept = true;
    return ok({ file, ready });
  } finally {
    if (!isKept) await discard(ops, file, fresh.temporary);
  }
}

async function openFresh(ops: FileOperations, fresh: NewFile): Promise<number> {
  try {
    return await ops.open(fresh.temporary, "wx+");
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    await ops.mkdir(fresh.dir);
    return ops.open(fresh.temporary, "wx+");
  }
}

async function discard(ops: FileOperations, file: OpenFile, temporary: string): Promise<void> {
  await file.close();
  await ops.unlink(temporary);
}

async function syncDirectory(ops: FileOperations, dir: string): Promise<void> {
  // Windows cannot open directories; its file systems order metadata themselves.
  if (process.platform === "win32") return;
  const fd = await ops.open(dir, "r");
  try {
    await ops.fsync(fd);
  } finally {
    await ops.close(fd);
  }
}
