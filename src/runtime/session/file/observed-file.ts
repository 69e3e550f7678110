import type { Result } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { type SessionReader, SessionStorageError } from "../../../session/index.js";
import { type ChangeSource, isReplaced } from "../view/index.js";
import { readAgain } from "./read-again.js";

/** A file that took another one's place under the same name, as a repair does. */
export interface ReplacedFile {
  readonly before: SessionReader;
  readonly after: SessionReader;
}

export interface ObservedFilePorts {
  readonly reader: SessionReader;
  /** Opens the session's file as it is now, for reading. */
  readonly open: () => Promise<Result<SessionReader, Diagnostic>>;
  readonly onReplaced: (files: ReplacedFile) => void;
}

/** A file that this process only reads. When it is replaced, reading goes on in the new one. */
export class ObservedFile implements ChangeSource {
  readonly #ports: ObservedFilePorts;
  #reader: SessionReader;
  #reopening: Promise<void> | undefined;
  #isClosed = false;

  constructor(ports: ObservedFilePorts) {
    this.#ports = ports;
    this.#reader = ports.reader;
  }

  readonly next: ChangeSource["next"] = async (ended, signal) => {
    if (ended !== undefined && ended === this.#reader && !this.#isClosed) await this.#replace();
    return this.#isClosed || signal.aborted || ended === this.#reader ? undefined : this.#reader;
  };

  /** Another process writes it: what can be read is all that is known. */
  readonly acknowledged: ChangeSource["acknowledged"] = async (_, signal) => await Promise.resolve(!signal.aborted && !this.#isClosed);

  reader(): SessionReader {
    return this.#reader;
  }

  async read<Value>(use: (reader: SessionReader) => Promise<Value>): Promise<Value | undefined> {
    for (;;) {
      const before = this.#reader;
      try {
        return await readAgain(async () => await Promise.resolve(this.#isClosed ? undefined : this.#reader), use);
      } catch (error) {
        if (!isReplaced(error)) throw error;
        if (this.#reader === before) await this.#replace();
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#reopening?.catch(() => undefined);
    await this.#reader.close();
  }

  async #replace(): Promise<void> {
    this.#reopening ??= this.#reopen().finally(() => {
      this.#reopening = undefined;
    });
    await this.#reopening;
  }

  async #reopen(): Promise<void> {
    const opened = await this.#ports.open();
    if (!opened.ok) throw new SessionStorageError(opened.error);
    const before = this.#reader;
    const after = opened.value;
    this.#reader = after;
    await before.close();
    if (!this.#isClosed) this.#ports.onReplaced({ before, after });
  }
}
