import type { FileFacts, FileOperations } from "./file-operations.js";

/** Rejection of a read on a file that its owner has closed. */
export class ClosedError extends Error {
  override readonly name = "ClosedError";
}

/** One open descriptor for reading. Closing waits for the reads under way, so a descriptor is never read after its reuse. */
export class OpenFile {
  readonly fd: number;
  readonly #ops: FileOperations;
  #closed = false;
  #running = 0;
  #idle: (() => void) | undefined;

  constructor(ops: FileOperations, fd: number) {
    this.#ops = ops;
    this.fd = fd;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  read(into: Uint8Array, position: number): Promise<number> {
    return this.#guard(() => this.#ops.read(this.fd, into, position));
  }

  facts(): Promise<FileFacts> {
    return this.#guard(() => this.#ops.facts(this.fd));
  }

  /** Facts of whatever file is at `path` by now. */
  factsAt(path: string): Promise<FileFacts> {
    return this.#guard(() => this.#ops.stat(path));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    await this.#ops.close(this.fd);
  }

  async #guard<Value>(run: () => Promise<Value>): Promise<Value> {
    if (this.#closed) throw new ClosedError("the session was closed while it was being read");
    this.#running += 1;
    try {
      return await run();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#idle?.();
    }
  }
}
