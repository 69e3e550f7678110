import { err, ok, type Result, type SessionId } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import {
  type Change,
  type CommitTicket,
  sessionClosed,
  type SessionReader,
  SessionStorageError,
  type SessionStore,
  type SessionWriter,
} from "../../../session/index.js";
import { isWriter, unwritable } from "../../records/stored.js";
import type { ChangeSource } from "../view/index.js";
import { readAgain } from "./read-again.js";
import { createRevisions, type Revision } from "./revisions.js";

/** A session to be made, or one that is there. */
export type SessionTarget = { readonly store: SessionStore } & (
  | {
      readonly type: "new";
      readonly id: SessionId;
      readonly path: string;
      /** Removed at a clean end. */
      readonly temporary: boolean;
      readonly name: string | undefined;
    }
  | { readonly type: "resumed"; readonly writer: SessionWriter }
);

/** The file of a live session: made at the first input, opened again after storage failed. */
export interface SessionFile extends ChangeSource {
  /** Makes the file at the first call. Throws SessionStorageError when that fails. */
  writer(): Promise<SessionWriter>;
  /** To the writer, once it is there; only called after `writer`. */
  commit(change: Change): CommitTicket;
  reader(): SessionReader | undefined;
  /** Reads; waits while the file is opened anew, and reads again when it was meanwhile. Undefined when there is no file, or no more. */
  read<Value>(use: (reader: SessionReader) => Promise<Value>): Promise<Value | undefined>;
  /** Newest acknowledged change and the leaf as of it; undefined when there is no file. */
  revision(): Revision | undefined;
  /** Bytes that were cut off when the file was opened for writing. */
  dropped(): SessionWriter["dropped"];
  /** Storage failed: nothing can be written before `recover`. */
  hasFailed(): boolean;
  /** Why; undefined when it did not. */
  failure(): Promise<SessionStorageError | undefined>;
  /** Lets go of a failed writer and opens the file again at its newest whole change. Commits nothing. */
  recover(): Promise<Result<void, Diagnostic>>;
  close(clean: boolean): Promise<void>;
}

export const openSession = (target: SessionTarget): SessionFile => new LiveFile(target);

class LiveFile implements SessionFile {
  readonly #target: SessionTarget;
  readonly #revisions = createRevisions();
  #writer: SessionWriter | undefined;
  #creating: Promise<SessionWriter> | undefined;
  #recovering: Promise<Result<void, Diagnostic>> | undefined;
  /** For reading on while the file cannot be written. */
  #fallback: SessionReader | undefined;

  constructor(target: SessionTarget) {
    this.#target = target;
    if (target.type === "resumed") this.#adopt(target.writer);
  }

  readonly next: ChangeSource["next"] = async (ended, signal) => {
    await this.#revisions.opened(signal);
    const recovered = await this.#lastRecovery();
    if (signal.aborted || this.#revisions.isClosed()) return undefined;
    const reader = this.reader();
    if (reader === undefined && recovered?.ok === false) throw new SessionStorageError(recovered.error);
    return reader === ended ? undefined : reader;
  };

  readonly acknowledged: ChangeSource["acknowledged"] = async ({ seq }, signal) => await this.#revisions.reached(seq, signal);

  async writer(): Promise<SessionWriter> {
    if (this.#writer !== undefined) return this.#writer;
    this.#creating ??= this.#create().finally(() => {
      this.#creating = undefined;
    });
    return await this.#creating;
  }

  commit(change: Change): CommitTicket {
    const writer = this.#writer;
    if (writer === undefined) throw new TypeError("the session file is used before it was made");
    const ticket = writer.commit(change);
    const revision = { position: ticket.position, leaf: writer.leaf() };
    ticket.durable.then(
      () => {
        this.#revisions.advance(revision);
      },
      // Whoever committed hears of it.
      () => undefined,
    );
    return ticket;
  }

  reader(): SessionReader | undefined {
    if (this.#fallback !== undefined) return this.#fallback;
    return this.#writer?.state() === "closed" ? undefined : this.#writer;
  }

  async read<Value>(use: (reader: SessionReader) => Promise<Value>): Promise<Value | undefined> {
    return await readAgain(async () => {
      await this.#lastRecovery();
      return this.reader();
    }, use);
  }

  revision(): Revision | undefined {
    return this.#revisions.newest();
  }

  dropped(): SessionWriter["dropped"] {
    return this.#writer?.dropped;
  }

  hasFailed(): boolean {
    return !this.#revisions.isClosed() && this.#writer !== undefined && this.#writer.state() !== "open";
  }

  async failure(): Promise<SessionStorageError | undefined> {
    if (!this.hasFailed()) return undefined;
    try {
      // A writer that failed takes nothing in and says why.
      await this.#writer?.commit({ entries: [] }).durable;
    } catch (error) {
      if (error instanceof SessionStorageError) return error;
      throw error;
    }
    return undefined;
  }

  async recover(): Promise<Result<void, Diagnostic>> {
    this.#recovering = this.#recover();
    return await this.#recovering;
  }

  /** The end of the newest recovery, also of one that begins while an earlier one is waited for. */
  async #lastRecovery(): Promise<Result<void, Diagnostic> | undefined> {
    for (;;) {
      const recovering = this.#recovering;
      const ended = await recovering;
      if (recovering === this.#recovering) return ended;
    }
  }

  async #recover(): Promise<Result<void, Diagnostic>> {
    const failed = this.#writer;
    if (failed === undefined) return ok(undefined);
    if (this.#revisions.isClosed()) return err(sessionClosed(failed.id));
    // What it could not write it cannot write now either.
    await failed.close().catch(() => undefined);
    await this.#fallback?.close();
    this.#fallback = undefined;
    const { store } = this.#target;
    const opened = await store.open(failed.id, "write");
    if (opened.ok && isWriter(opened.value)) {
      this.#adopt(opened.value);
      return ok(undefined);
    }
    const readable = opened.ok ? opened : await store.open(failed.id, "read");
    if (readable.ok) this.#fallback = readable.value;
    return opened.ok ? err(unwritable(opened.value)) : opened;
  }

  async close(clean: boolean): Promise<void> {
    // A file that is just being made would keep its lock for ever.
    await this.#creating?.catch(() => undefined);
    this.#revisions.close();
    await this.#lastRecovery();
    await this.#fallback?.close();
    this.#fallback = undefined;
    await this.#writer?.close();
    const target = this.#target;
    if (this.#writer !== undefined && target.type === "new" && target.temporary && clean) await target.store.remove(target.id);
  }

  async #create(): Promise<SessionWriter> {
    const target = this.#target;
    if (target.type === "resumed") return target.writer;
    const created = await target.store.create({ id: target.id });
    if (!created.ok) throw new SessionStorageError(created.error);
    this.#adopt(created.value);
    return created.value;
  }

  /** Opening for writing makes sure that what the file holds is on the disk. */
  #adopt(writer: SessionWriter): void {
    this.#writer = writer;
    this.#revisions.open({ position: writer.position(), leaf: writer.leaf() });
  }
}
