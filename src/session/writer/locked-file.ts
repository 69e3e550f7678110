import type { Result } from "../../base/index.js";
import { err, ok } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { lockUnavailable, sessionUnreadable } from "../diagnostics.js";
import type { Locker } from "../lock.js";
import type { FileOperations } from "../log/index.js";
import { OpenFile } from "../log/index.js";

export interface FileContext {
  readonly ops: FileOperations;
  readonly locker: Locker;
  readonly path: string;
}

/** A repair may rename a new file over the one just opened; its lock would guard nothing. */
const MAX_REOPENS = 8;

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

export function tryLock(locker: Locker, fd: number, path: string): Result<boolean, Diagnostic> {
  try {
    return ok(locker.tryLock(fd));
  } catch (error) {
    return err(lockUnavailable(path, error));
  }
}
