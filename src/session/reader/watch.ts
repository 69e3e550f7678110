import * as fs from "node:fs";
import type { SessionId } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { OpenFile } from "../log/index.js";
import { errorCode } from "../log/index.js";
import { sessionRemoved, sessionReplaced } from "./diagnostics.js";
import type { GrowthWatch } from "./source.js";

/** Network file systems and container mounts do not report another machine's writes, so size and place are also looked at. */
const POLL_MS = 250;

/** A file that is followed. */
export interface Watched {
  readonly id: SessionId;
  readonly path: string;
  readonly file: OpenFile;
}

/** Watches a file that another process writes. Neither the watcher nor the timer keeps the process alive. */
export class FileWatch implements GrowthWatch {
  readonly #watched: Watched;
  readonly #watcher: fs.FSWatcher | undefined;
  readonly #timer: NodeJS.Timeout;
  #size = -1;
  readonly #news = new News();
  #fate: Diagnostic | undefined;

  constructor(watched: Watched) {
    this.#watched = watched;
    this.#watcher = watchQuietly(watched.path, (event) => {
      if (event === "rename") this.#poll();
      else this.#news.tell();
    });
    this.#timer = setInterval(() => {
      this.#poll();
    }, POLL_MS).unref();
  }

  async grown(signal: AbortSignal | undefined): Promise<void> {
    // A file that will not grow any more is no news to wait for.
    if (this.#fate === undefined) await this.#news.heard(signal);
  }

  fate(): Diagnostic | undefined {
    return this.#fate;
  }

  close(): void {
    this.#watcher?.close();
    clearInterval(this.#timer);
    this.#news.release();
  }

  #poll(): void {
    this.#look().then(
      (hasNews) => {
        if (hasNews) this.#news.tell();
      },
      // A file that cannot be asked any more is closed or gone: the reader must look and find out.
      () => {
        this.#news.tell();
      },
    );
  }

  async #look(): Promise<boolean> {
    const { file } = this.#watched;
    const { size, inode } = await file.facts();
    this.#fate ??= await this.#fateOf(inode);
    const hasNews = size !== this.#size || this.#fate !== undefined;
    this.#size = size;
    return hasNews;
  }

  async #fateOf(inode: number): Promise<Diagnostic | undefined> {
    const { id, path, file } = this.#watched;
    try {
      const there = await file.factsAt(path);
      return there.inode === inode ? undefined : sessionReplaced(id);
    } catch (error) {
      // Any other refusal says nothing about this file, which is open and readable.
      return errorCode(error) === "ENOENT" ? sessionRemoved(id) : undefined;
    }
  }
}

/** Watching is a convenience: where the system refuses it, polling alone does. */
function watchQuietly(path: string, changed: (event: fs.WatchEventType) => void): fs.FSWatcher | undefined {
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

/** A flag that can be waited for: raised by whoever has news, lowered by whoever hears of them. For one listener. */
export class News {
  #hasNews = false;
  #wake: (() => void) | undefined;

  tell(): void {
    this.#hasNews = true;
    this.#wake?.();
  }

  /** Lets the listener go without news. */
  release(): void {
    this.#wake?.();
  }

  /** Resolves when there are news since the last call, when `signal` aborts, or at `release`. */
  async heard(signal: AbortSignal | undefined): Promise<void> {
    if (!this.#hasNews && signal?.aborted !== true) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          signal?.removeEventListener("abort", wake);
          this.#wake = undefined;
          resolve();
        };
        this.#wake = wake;
        signal?.addEventListener("abort", wake);
      });
    }
    this.#hasNews = false;
  }
}
