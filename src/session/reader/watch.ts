import * as fs from "node:fs";
import type { OpenFile } from "../log/index.js";
import type { GrowthWatch } from "./source.js";

/** Network file systems and container mounts do not report another machine's writes, so size is also looked at. */
const POLL_MS = 250;

/** Watches a file that another process writes. Neither the watcher nor the timer keeps the process alive. */
export class FileWatch implements GrowthWatch {
  readonly #file: OpenFile;
  readonly #watcher: fs.FSWatcher | undefined;
  readonly #timer: NodeJS.Timeout;
  #size = -1;
  #hasNews = false;
  #wake: (() => void) | undefined;

  constructor(path: string, file: OpenFile) {
    this.#file = file;
    this.#watcher = watchQuietly(path, () => {
      this.#tell();
    });
    this.#timer = setInterval(() => {
      this.#poll();
    }, POLL_MS).unref();
  }

  async grown(signal: AbortSignal | undefined): Promise<void> {
    if (this.#hasNews || signal?.aborted === true) {
      this.#hasNews = false;
      return;
    }
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        signal?.removeEventListener("abort", wake);
        this.#wake = undefined;
        resolve();
      };
      this.#wake = wake;
      signal?.addEventListener("abort", wake);
    });
    this.#hasNews = false;
  }

  close(): void {
    this.#watcher?.close();
    clearInterval(this.#timer);
    this.#wake?.();
  }

  #tell(): void {
    this.#hasNews = true;
    this.#wake?.();
  }

  #poll(): void {
    this.#file.facts().then(
      ({ size }) => {
        if (size !== this.#size) this.#tell();
        this.#size = size;
      },
      // A file that cannot be asked any more is closed or gone: the reader must look and find out.
      () => {
        this.#tell();
      },
    );
  }
}

/** Watching is a convenience: where the system refuses it, polling alone does. */
function watchQuietly(path: string, changed: () => void): fs.FSWatcher | undefined {
  try {
    const watcher = fs.watch(path, { persistent: false }, changed);
    watcher.on("error", () => {
      watcher.close();
    });
    return watcher;
  } catch {
    return undefined;
  }
}
