import type { Result, SessionId } from "../../base/index.js";
import { err, ok } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { FileHeader } from "../codec/index.js";
import { encodeFileHeader } from "../codec/index.js";
import { newFileFailed, sessionExists } from "../diagnostics.js";
import type { FileOperations } from "../log/index.js";
import { errorCode, OpenFile, syncDirectory } from "../log/index.js";
import type { FileContext } from "./locked-file.js";
import { tryLock } from "./locked-file.js";

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
export async function createFile(context: FileContext, fresh: NewFile): Promise<Result<Created, Diagnostic>> {
  try {
    return await makeFile(context, fresh);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    // The other one may be just being made: its temporary name is still there.
    return err(errorCode(error) === "EEXIST" ? sessionExists(fresh.id) : newFileFailed(context.path, error));
  }
}

interface Created {
  readonly file: OpenFile;
  readonly ready: Promise<void>;
}

async function makeFile(context: FileContext, fresh: NewFile): Promise<Result<Created, Diagnostic>> {
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
    if (written !== bytes.length) return err(newFileFailed(path, new Error(`only ${written} of ${bytes.length} bytes were written`)));
    await ops.fsync(file.fd);
    if (!(await takeName(ops, fresh.temporary, path))) return err(sessionExists(fresh.id));
    const ready = Promise.all([ops.unlink(fresh.temporary), syncDirectory(ops, fresh.dir)]).then(() => undefined);
    // Whoever writes first awaits it and hears of a failure there.
    ready.catch(() => undefined);
    isKept = true;
    return ok({ file, ready });
  } finally {
    if (!isKept) await discard(ops, file, fresh.temporary);
  }
}

/** False when another file has the name. */
async function takeName(ops: FileOperations, temporary: string, path: string): Promise<boolean> {
  try {
    await ops.link(temporary, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
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
