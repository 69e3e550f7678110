import { join } from "node:path";
import type { Result, SessionId } from "../../../base/index.js";
import { err, ok } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { lockUnavailable, newFileFailed, sessionExists, storageFull } from "../../diagnostics.js";
import { errorCode, syncDirectory } from "../../log/index.js";
import { sessionPath } from "../../names.js";
import { isRunning } from "../../owner.js";
import { SessionStorageError } from "../../types.js";
import type { MaintenanceContext } from "../context.js";

/** Names of files that are being made: id, process, and a number so that two of one process do not meet. */
const TEMPORARY = /^[0-9a-f-]{36}\.(\d+)(?:\.[0-9a-f]+)?\.tmp$/u;
const MARK_BYTES = 4;

/** A file being made: locked, invisible to listing, gone with `discard` unless it was given its name. */
export class TemporaryFile {
  readonly #context: MaintenanceContext;
  readonly #path: string;
  /** Where it is to be. */
  readonly #target: string;
  readonly #fd: number;
  #isNamed = false;

  private constructor(context: MaintenanceContext, { path, target }: { readonly path: string; readonly target: string }, fd: number) {
    this.#context = context;
    this.#path = path;
    this.#target = target;
    this.#fd = fd;
  }

  static async create(context: MaintenanceContext, id: SessionId): Promise<Result<TemporaryFile, Diagnostic>> {
    const { ops, locker, deps } = context;
    const mark = new Uint8Array(MARK_BYTES);
    deps.random(mark);
    const path = join(deps.dir, `${id}.${deps.process.pid}.${Buffer.from(mark).toString("hex")}.tmp`);
    const target = sessionPath(deps.dir, id);
    const fd = await making(target, async () => {
      await ops.mkdir(deps.dir);
      await removeAbandoned(context);
      return await ops.open(path, "wx+");
    });
    const file = new TemporaryFile(context, { path, target }, fd);
    try {
      if (locker.tryLock(file.#fd)) return ok(file);
    } catch (error) {
      await file.discard();
      return err(lockUnavailable(path, error));
    }
    await file.discard();
    return err(lockUnavailable(path, new Error("another process holds the lock of a file that was just made")));
  }

  async write(bytes: Uint8Array, position: number): Promise<void> {
    const written = await making(this.#target, () => this.#context.ops.write(this.#fd, bytes, position));
    if (written !== bytes.length) {
      throw new SessionStorageError(storageFull(this.#target, `only ${written} of ${bytes.length} bytes were written`));
    }
  }

  sync(): Promise<void> {
    return making(this.#target, () => this.#context.ops.fsync(this.#fd));
  }

  /** Gives the finished file the name of a new session. Fails, with nothing changed, when that is taken. */
  publish(path: string, id: SessionId): Promise<Result<void, Diagnostic>> {
    return making(path, () => this.#takeName(path, id));
  }

  async #takeName(path: string, id: SessionId): Promise<Result<void, Diagnostic>> {
    const { ops, deps } = this.#context;
    try {
      await ops.link(this.#path, path);
    } catch (error) {
      if (errorCode(error) === "EEXIST") return err(sessionExists(id));
      throw error;
    }
    try {
      await syncDirectory(ops, deps.dir);
    } catch (error) {
      // Nobody was told of it, and whether its name lasts is not known.
      await ops.unlink(path);
      throw error;
    }
    return ok(undefined);
  }

  /** Puts the finished file in the place of another one, which stays as `backup`. */
  async replace(path: string, backup: string): Promise<void> {
    const { ops, deps } = this.#context;
    await ops.link(path, backup);
    try {
      await ops.rename(this.#path, path);
    } catch (error) {
      await ops.unlink(backup);
      throw error;
    }
    this.#isNamed = true;
    await syncDirectory(ops, deps.dir);
  }

  /** Closes the file, which gives its lock back, and removes its temporary name. What was published stays. */
  async discard(): Promise<void> {
    const { ops } = this.#context;
    await ops.close(this.#fd);
    if (this.#isNamed) return;
    try {
      await ops.unlink(this.#path);
    } catch {
      // The next one who makes a file here removes it.
    }
  }
}

/** What the system refuses is told of the file that was to be made, not of the one it is made from. */
async function making<Value>(target: string, run: () => Promise<Value>): Promise<Value> {
  try {
    return await run();
  } catch (error) {
    throw errorCode(error) === undefined ? error : new SessionStorageError(newFileFailed(target, error));
  }
}

/** Removes what processes that are gone left half made. Whatever stands in the way is left for the next time. */
async function removeAbandoned({ ops, locker, deps }: MaintenanceContext): Promise<void> {
  for (const name of await ops.readdir(deps.dir)) {
    const pid = TEMPORARY.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    const path = join(deps.dir, name);
    try {
      const fd = await ops.open(path, "r+");
      try {
        if (locker.tryLock(fd)) await ops.unlink(path);
      } finally {
        await ops.close(fd);
      }
    } catch {
      // Cleaning is a courtesy.
    }
  }
}
