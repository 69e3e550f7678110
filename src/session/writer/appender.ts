import type { Clock } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { storageFailure, storageFull } from "../diagnostics.js";
import type { FileOperations, Mark } from "../log/index.js";
import { SessionStorageError } from "../types.js";
import { Deferred, Group, layOut } from "./group.js";

export interface AppenderParts {
  readonly ops: FileOperations;
  readonly clock: Clock;
  readonly fd: number;
  readonly path: string;
  readonly seed: number;
  readonly start: Mark;
  /** Awaited before the first acknowledgement: what makes the file itself durable. */
  readonly ready: Promise<void>;
  /** Called after every write, with new frames visible to readers. */
  readonly onPublished: () => void;
  /** Called when nothing is left to write. */
  readonly onDrained: () => void;
}

/** Groups up to this size are written on this thread: it takes less than handing them to another one. */
const QUICK_BYTES = 64 * 1024;
/** A write on this thread that took longer is the last one of this file. */
const SLOW_MS = 10;

/**
 * The group commit loop: everything queued goes to the file in one write, then one fdatasync, then it is acknowledged. At
 * most one group is unacknowledged in the file. The first failure ends it for good: a failed sync must not be tried again.
 */
export class Appender {
  readonly #parts: AppenderParts;
  #queue: Group[] = [];
  #writing: Group | undefined;
  #run: Promise<void> | undefined;
  #failure: Diagnostic | undefined;
  #spare: Group["run"] | undefined;
  /** A write on this thread had to wait for the disk. */
  #isSlow = false;
  #end: number;
  #written: Mark;

  constructor(parts: AppenderParts) {
    this.#parts = parts;
    this.#end = parts.start.offset;
    this.#written = parts.start;
  }

  get failure(): Diagnostic | undefined {
    return this.#failure;
  }

  /** State as of the last commit in the file. */
  get written(): Mark {
    return this.#written;
  }

  get isIdle(): boolean {
    return this.#run === undefined && this.#newest === undefined;
  }

  /** The group that takes the next frames. What is put into it goes to the file after `submit`. */
  open(): Group {
    const current = this.#queue.at(-1);
    if (current !== undefined && !current.isFull) return current;
    const group = new Group(current?.end ?? this.#writing?.end ?? this.#end, this.#spare);
    this.#spare = undefined;
    this.#queue.push(group);
    return group;
  }

  /** Starts the loop unless it runs. Changes of one turn of the event loop share a group. */
  submit(): void {
    this.#run ??= Promise.resolve()
      .then(() => this.#drain())
      .catch((error: unknown) => {
        this.#fail(storageFailure(this.#parts.path, error));
      })
      .then(() => {
        this.#run = undefined;
        if (this.#newest !== undefined && this.#failure === undefined) this.submit();
        else this.#parts.onDrained();
      });
  }

  /** The last group that holds anything. A refused change can leave an empty one behind. */
  get #newest(): Group | undefined {
    return this.#queue.findLast((group) => group.run.length > 0) ?? this.#writing;
  }

  /** Resolves when everything queued so far is visible in the file, or will never be. */
  async published(): Promise<void> {
    await this.#newest?.published.promise.catch(() => undefined);
  }

  /** Resolves when the loop has nothing left to do. */
  async settled(): Promise<void> {
    while (this.#run !== undefined) await this.#run;
  }

  async #drain(): Promise<void> {
    for (let group = this.#queue.shift(); group !== undefined && this.#failure === undefined; group = this.#queue.shift()) {
      if (group.run.length === 0) continue;
      this.#writing = group;
      await this.#flush(group);
      this.#writing = undefined;
      this.#spare = group.reusable;
    }
  }

  async #flush(group: Group): Promise<void> {
    const { path, seed } = this.#parts;
    const { seq, ackedSeq } = this.#written;
    const { bytes, position } = layOut(group, { seed, lastSeq: seq, durableSeq: ackedSeq });
    let written: number;
    try {
      written = await this.#write(bytes, position);
    } catch (error) {
      this.#fail(storageFailure(path, error));
      return;
    }
    if (written !== bytes.length) {
      this.#fail(storageFull(path, `only ${written} of ${bytes.length} bytes were written`));
      return;
    }
    this.#end = group.end;
    this.#written = { ...(group.last ?? this.#written), offset: group.end, ackedSeq };
    group.published.resolve();
    this.#parts.onPublished();
    if (group.last !== undefined) await this.#acknowledge(group);
  }

  #write(bytes: Uint8Array, position: number): Promise<number> {
    const { ops, clock, fd } = this.#parts;
    if (this.#isSlow || bytes.length > QUICK_BYTES) return ops.write(fd, bytes, position, "pool");
    const started = clock.monotonic();
    const writing = ops.write(fd, bytes, position, "here");
    this.#isSlow = clock.monotonic() - started > SLOW_MS;
    return writing;
  }

  async #acknowledge(group: Group): Promise<void> {
    const { ops, fd, path, ready } = this.#parts;
    try {
      await ready;
      await ops.fdatasync(fd);
    } catch (error) {
      this.#fail(storageFailure(path, error));
      return;
    }
    this.#written = { ...this.#written, ackedSeq: this.#written.seq };
    for (const ticket of group.durable) ticket.resolve();
  }

  #fail(failure: Diagnostic): void {
    this.#failure ??= failure;
    const error = new SessionStorageError(this.#failure);
    for (const group of [this.#writing, ...this.#queue]) {
      group?.published.reject(error);
      for (const ticket of group?.durable ?? []) ticket.reject(error);
    }
    this.#writing = undefined;
    this.#queue = [];
  }
}

export const rejected = (failure: Diagnostic): Promise<void> => {
  const deferred = new Deferred();
  deferred.reject(new SessionStorageError(failure));
  return deferred.promise;
};
