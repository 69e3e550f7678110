import { join } from "node:path";
import type { EntryId, Result, SessionId } from "../base/index.js";
import { err, ok } from "../base/index.js";
import type { Diagnostic, OwnerInfo, SessionSummary } from "../schema/index.js";
import type { FileHeader } from "./codec/index.js";
import { sessionBusy, sessionUnknown, storageFailure } from "./diagnostics.js";
import type { GrepFinding } from "./grep/index.js";
import { readHeader } from "./header.js";
import { CheckpointLog } from "./live/index.js";
import type { Locker } from "./lock.js";
import { createLocker } from "./lock.js";
import type { FileOperations, Tail } from "./log/index.js";
import { errorCode, nodeFileOperations, OpenFile } from "./log/index.js";
import type { MaintenanceContext } from "./maintenance/index.js";
import { resolveName, sessionIds, sessionPath } from "./names.js";
import { mayRun, readOwner, removeOwner, writeOwner } from "./owner.js";
import type {
  Finding,
  GrepOptions,
  ListOptions,
  NewSession,
  RepairReport,
  SessionReader,
  SessionStore,
  SessionStoreDeps,
  SessionWriter,
  VerifyReport,
} from "./types.js";
import { SessionStorageError } from "./types.js";
import { createFile, openLocked, Writer } from "./writer/index.js";

const GENERATION_BYTES = 16;
/** What recovery and repair put beside a session and remove goes with. */
const SIDECARS = ["tail", "before-repair"];
/** How often, and after how many milliseconds again, the name of a writer that holds the lock is looked for. */
const NAME_LOOKS = 5;
const NAME_LOOK_MS = 10;
type VerifyStep = IteratorResult<Result<Finding | VerifyReport, Diagnostic>, void>;
const EMPTY_TAIL: Tail = {
  offset: 0,
  seq: 0,
  commit: undefined,
  leaf: undefined,
  time: 0,
  ackedSeq: 0,
  damage: [],
  summary: undefined,
  obstacle: undefined,
  hasTornFrame: false,
  hasOnlyDerived: false,
};

/** The store of one directory, on the real file system. */
export const createSessionStore = (deps: SessionStoreDeps): SessionStore => new Store(deps, nodeFileOperations, createLocker());

/** The same over other file operations: for tests that fail the n-th call. */
export const createStoreOn = (deps: SessionStoreDeps, ops: FileOperations, locker: Locker): SessionStore => new Store(deps, ops, locker);

/** What works on files as a whole, and searches them, is loaded by who asks for it: most processes append to one file. */
const loadMaintenance = async () => await import("./maintenance/index.js");

class Store implements SessionStore {
  readonly #deps: SessionStoreDeps;
  readonly #ops: FileOperations;
  readonly #locker: Locker;
  /** Names of this store's own writers on their way to the disk: by them a second opener here learns who writes. */
  readonly #names = new Map<string, Promise<void>>();

  constructor(deps: SessionStoreDeps, ops: FileOperations, locker: Locker) {
    this.#deps = deps;
    this.#ops = ops;
    this.#locker = locker;
  }

  async create(options: { readonly id?: SessionId }): Promise<Result<SessionWriter, Diagnostic>> {
    const { dir, ids, clock } = this.#deps;
    const id = options.id ?? ids.next<SessionId>();
    const path = sessionPath(dir, id);
    const generation = new Uint8Array(GENERATION_BYTES);
    this.#deps.random(generation);
    const header: FileHeader = { id, createdAt: Math.floor(clock.now()), generation, epoch: 0 };
    const temporary = join(dir, `${id}.${this.#deps.process.pid}.tmp`);
    return this.#guard(path, async () => {
      const made = await createFile({ ops: this.#ops, locker: this.#locker, path }, { id, dir, temporary, header });
      if (!made.ok) return made;
      return ok(this.#writer({ path, header, ...made.value, tail: EMPTY_TAIL, log: new CheckpointLog(), dropped: undefined }));
    });
  }

  async open(id: SessionId, want: "write" | "read"): Promise<Result<SessionWriter | SessionReader, Diagnostic>> {
    const path = sessionPath(this.#deps.dir, id);
    return this.#guard<SessionWriter | SessionReader>(path, async () => {
      if (want === "read") return this.#openReader(path, await this.#runningOwner(path));
      const { acquire } = await import("./writer/acquire.js");
      const acquisition = await acquire({ ops: this.#ops, locker: this.#locker, path }, () => Math.floor(this.#deps.clock.now()));
      if (!acquisition.ok) return acquisition;
      switch (acquisition.value.type) {
        case "writable":
          return ok(this.#writer({ path, ...acquisition.value.acquired, ready: Promise.resolve() }));
        case "busy":
          return this.#openReader(path, await this.#ownerOrUnknown(path));
        case "not-writable":
          return this.#openReader(path, undefined);
      }
    });
  }

  async *list(options: ListOptions = {}): AsyncGenerator<SessionSummary, void, undefined> {
    const { listSessions } = await import("./listing.js");
    yield* listSessions({ ops: this.#ops, clock: this.#deps.clock, dir: this.#deps.dir, host: this.#deps.process.host, options });
  }

  async resolve(name: string): Promise<Result<SessionId, Diagnostic>> {
    return this.#guard(this.#deps.dir, async () => resolveName(name, await sessionIds(this.#ops, this.#deps.dir), this.#deps.dir));
  }

  async *grep(pattern: RegExp, options: GrepOptions = {}): AsyncGenerator<GrepFinding, void, undefined> {
    const { grepSessions } = await import("./grep/index.js");
    yield* grepSessions({ ops: this.#ops, dir: this.#deps.dir, pattern, options });
  }

  fork(
    source: SessionId,
    options?: { readonly at?: EntryId; readonly id?: SessionId; readonly signal?: AbortSignal },
  ): Promise<Result<NewSession, Diagnostic>> {
    return this.#guard(sessionPath(this.#deps.dir, source), async () => {
      const { forkSession } = await loadMaintenance();
      return await forkSession(this.#maintenance(), { ...options, source });
    });
  }

  import(
    items: Parameters<SessionStore["import"]>[0],
    options: Parameters<SessionStore["import"]>[1],
  ): Promise<Result<NewSession, Diagnostic>> {
    return this.#guard(sessionPath(this.#deps.dir, options.id), async () => {
      const { importSession } = await loadMaintenance();
      return await importSession(this.#maintenance(), items, options);
    });
  }

  async *verify(
    id: SessionId,
    options?: { readonly signal?: AbortSignal },
  ): AsyncGenerator<Result<Finding | VerifyReport, Diagnostic>, void, undefined> {
    const { verifySession } = await loadMaintenance();
    const steps = verifySession(this.#maintenance(), id, options?.signal);
    try {
      for (;;) {
        const next = await this.#guard<VerifyStep>(sessionPath(this.#deps.dir, id), async () => ok(await steps.next()));
        if (!next.ok) yield next;
        if (!next.ok || next.value.done === true) return;
        yield next.value.value;
      }
    } finally {
      await steps.return();
    }
  }

  repair(id: SessionId, options?: { readonly signal?: AbortSignal }): Promise<Result<RepairReport, Diagnostic>> {
    return this.#guard(sessionPath(this.#deps.dir, id), async () => {
      const { repairSession } = await loadMaintenance();
      return await repairSession(this.#maintenance(), id, options?.signal);
    });
  }

  async remove(id: SessionId): Promise<Result<void, Diagnostic>> {
    const path = sessionPath(this.#deps.dir, id);
    return this.#guard(path, async () => {
      const locked = await openLocked({ ops: this.#ops, locker: this.#locker, path });
      if (!locked.ok) return locked;
      const file = locked.value;
      if (file === undefined) return err(sessionBusy(id, await readOwner(this.#ops, path)));
      try {
        await this.#ops.unlink(path);
      } finally {
        await file.close();
      }
      await this.#removeSidecars(id, path);
      return ok(undefined);
    });
  }

  #maintenance(): MaintenanceContext {
    return { deps: this.#deps, ops: this.#ops, locker: this.#locker };
  }

  async #removeSidecars(id: SessionId, path: string): Promise<void> {
    await removeOwner(this.#ops, path);
    for (const name of await this.#ops.readdir(this.#deps.dir)) {
      if (SIDECARS.some((kind) => name.startsWith(`${id}.${kind}-`))) await this.#ops.unlink(join(this.#deps.dir, name));
    }
  }

  #writer(parts: {
    readonly path: string;
    readonly header: FileHeader;
    readonly file: OpenFile;
    readonly tail: Tail;
    readonly log: CheckpointLog;
    readonly dropped: SessionWriter["dropped"];
    readonly ready: Promise<void>;
  }): SessionWriter {
    const { clock, process: self, version } = this.#deps;
    const written = writeOwner(this.#ops, parts.path, { pid: self.pid, host: self.host, startedAt: Math.floor(clock.now()), version });
    this.#names.set(parts.path, written);
    const writer = new Writer({
      ...parts,
      owner: undefined,
      ops: this.#ops,
      clock,
      beforeUnlock: async () => {
        await written;
        this.#names.delete(parts.path);
        await removeOwner(this.#ops, parts.path);
      },
    });
    return writer.facade();
  }

  async #openReader(path: string, owner: OwnerInfo | undefined): Promise<Result<SessionReader, Diagnostic>> {
    const file = new OpenFile(this.#ops, await this.#ops.open(path, "r"));
    let isKept = false;
    try {
      const read = await readHeader(file, path);
      if (!read.ok) return read;
      const { createReader } = await import("./reader/index.js");
      const reader = await createReader({ path, file, header: read.value.header, owner });
      isKept = true;
      return ok(reader);
    } finally {
      if (!isKept) await file.close();
    }
  }

  async #runningOwner(path: string): Promise<OwnerInfo | undefined> {
    const owner = await readOwner(this.#ops, path);
    return owner !== undefined && mayRun(owner, this.#deps.process.host) ? owner : undefined;
  }

  /**
   * The lock is held, so someone writes, whether or not they could leave their name. It is left just after the lock is taken:
   * what is not there yet is looked for a little longer.
   */
  async #ownerOrUnknown(path: string): Promise<OwnerInfo> {
    await this.#names.get(path);
    for (let look = 1; look < NAME_LOOKS; look += 1) {
      const owner = await readOwner(this.#ops, path);
      if (owner !== undefined) return owner;
      await this.#deps.clock.sleep(NAME_LOOK_MS);
    }
    return (await readOwner(this.#ops, path)) ?? { pid: 0, host: "unknown", startedAt: 0, version: "unknown" };
  }

  async #guard<Value>(path: string, run: () => Promise<Result<Value, Diagnostic>>): Promise<Result<Value, Diagnostic>> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof SessionStorageError) return err(error.diagnostic);
      const code = errorCode(error);
      if (code === undefined) throw error;
      return err(
        code === "ENOENT"
          ? sessionUnknown(path.slice(this.#deps.dir.length + 1).replace(/\.smith$/u, ""), this.#deps.dir)
          : storageFailure(path, error),
      );
    }
  }
}
