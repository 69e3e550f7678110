import type { EntryId, Result, SessionId } from "../../../base/index.js";
import { err, ok } from "../../../base/index.js";
import type { Diagnostic, OriginEntry } from "../../../schema/index.js";
import { draftOf, FLAG, KINDS } from "../../codec/index.js";
import { readHeader } from "../../header.js";
import type { Damage, Tail } from "../../log/index.js";
import { LogicalFile, OpenFile, readTail, SCATTERED, SEQUENTIAL } from "../../log/index.js";
import { sessionPath } from "../../names.js";
import type { Source } from "../../reader/index.js";
import { momentOf } from "../../reader/index.js";
import type { NewSession } from "../../types.js";
import type { FileBuilder } from "../build/file-builder.js";
import { CopyFold } from "../build/foldable.js";
import { hasSoundPayloads } from "../build/payload-check.js";
import type { RawCommit } from "../build/raw-commit.js";
import { copyCommit } from "../build/raw-commit.js";
import type { RawItem } from "../build/raw-walk.js";
import { RawWalk } from "../build/raw-walk.js";
import { makeSession } from "../build/make-session.js";
import type { MaintenanceContext } from "../context.js";
import { forkDamaged, forkEmpty, forkUnsupported, interrupted } from "../diagnostics.js";
import { copyUnknown } from "../build/unknown-frame.js";
import { ForkSelection } from "./selection.js";
import { copiedStates } from "./states.js";

export interface ForkRequest {
  readonly source: SessionId;
  readonly at?: EntryId;
  readonly id?: SessionId;
  readonly signal?: AbortSignal;
}

/** A source as it is at one moment. */
interface Snapshot extends Source {
  readonly tail: Tail;
}

/**
 * Makes a session of one branch of another and the evidence on it. Reads the source as any observer does, as of the moment it
 * starts; never locks or changes it. A source with damage before the fork point is refused: what would be missing is not known.
 */
export async function forkSession(context: MaintenanceContext, request: ForkRequest): Promise<Result<NewSession, Diagnostic>> {
  const path = sessionPath(context.deps.dir, request.source);
  const file = new OpenFile(context.ops, await context.ops.open(path, "r"));
  try {
    const read = await readHeader(file, path);
    if (!read.ok) return read;
    const { header, seed, writable } = read.value;
    if (!writable) return err(forkUnsupported(header.id));
    const tail = await readTail(new LogicalFile(file, seed, SCATTERED), (await file.facts()).size);
    const source = { ...momentOf({ path, file, header, tail }), tail };
    const at = request.at ?? tail.leaf;
    if (at === undefined) return err(forkEmpty(header.id));
    const fork = await Fork.plan(source, at, request.signal);
    if (!fork.ok) return fork;
    const id = request.id ?? context.deps.ids.next<SessionId>();
    return await makeSession(context, id, (builder) => fork.value.build(builder, context));
  } finally {
    await file.close();
  }
}

class Fork {
  readonly #source: Snapshot;
  readonly #selection: ForkSelection;
  readonly #signal: AbortSignal | undefined;
  /** Newest commit whose evidence is taken, and where reading ends. */
  readonly #seq: number;
  readonly #end: number;
  readonly #file: LogicalFile;
  readonly #chunks: LogicalFile;
  readonly #fold = new CopyFold();
  #leaf: EntryId | undefined;
  #time = 0;
  #entryTime = 0;

  private constructor(
    source: Snapshot,
    selection: ForkSelection,
    bound: { readonly seq: number; readonly end: number; readonly signal: AbortSignal | undefined },
  ) {
    this.#source = source;
    this.#selection = selection;
    this.#signal = bound.signal;
    this.#seq = bound.seq;
    this.#end = bound.end;
    this.#file = new LogicalFile(source.file, source.seed, SEQUENTIAL);
    this.#chunks = new LogicalFile(source.file, source.seed, SEQUENTIAL);
  }

  static async plan(source: Snapshot, at: EntryId, signal: AbortSignal | undefined): Promise<Result<Fork, Diagnostic>> {
    const { tail } = source;
    // Forking where the session stands takes what is known by now; forking further back takes what was known then.
    const isNow = at === tail.leaf;
    const endOf = (commit: { readonly end: number }): number => (isNow ? tail.offset : commit.end);
    let refusal: Diagnostic | undefined;
    const selection = await ForkSelection.create(source, { at, signal }, async ({ commit }) => {
      const file = new LogicalFile(source.file, source.seed, SEQUENTIAL);
      const states = await copiedStates(file, { end: endOf(commit), signal }, (damage) => forkDamaged(source.id, source.path, damage));
      if (!states.ok) refusal = states.error;
      return states.ok ? states.value : new Set();
    });
    if (!selection.ok) return selection;
    if (refusal !== undefined) return err(refusal);
    const { commit, isInherited } = selection.value.point;
    const seq = isNow ? tail.seq : commit.seq;
    // Where inherited entries came from is said behind them.
    const end = isInherited ? tail.offset : endOf(commit);
    return ok(new Fork(source, selection.value, { seq, end, signal }));
  }

  async build(builder: FileBuilder, context: MaintenanceContext): Promise<Result<number, Diagnostic>> {
    const { deps } = context;
    const walk = new RawWalk(this.#file, this.#end);
    for (let item = await walk.next(); item !== undefined; item = await walk.next()) {
      if (this.#signal?.aborted === true) return err(interrupted("fork"));
      const refusal = await this.#take(builder, item);
      if (refusal === "enough") break;
      if (refusal !== undefined) return err(refusal);
    }
    const entries = builder.records;
    const now = Math.floor(deps.clock.now());
    const { id, epoch } = this.#source;
    const { at } = this.#selection.point;
    const origin: OriginEntry = {
      type: "origin",
      id: deps.ids.next<EntryId>(),
      time: now,
      how: "fork",
      session: id,
      epoch,
      seq: this.#seq,
      entry: at,
    };
    const draft = draftOf(origin, this.#entryTime);
    builder.putEntries([draft], { time: Math.max(this.#time, now), leaf: at, entries: [origin] });
    // The history of a source that lost some of it is as incomplete here.
    await builder.finish({ createdAt: now, epoch, origin: { session: id, seq: this.#seq } }, this.#fold.summary);
    return ok(entries);
  }

  async #take(builder: FileBuilder, item: RawItem): Promise<Diagnostic | "enough" | undefined> {
    switch (item.type) {
      case "lost":
        return this.#refuse(item.lost);
      case "gap":
        return undefined;
      case "unknown":
        if (item.frame.offset >= this.#pointEnd) return undefined;
        return (await copyUnknown(builder, this.#file, item.frame)) ? undefined : this.#refuse(spanOf(item.frame));
      case "commit":
        return this.#takeCommit(builder, item.commit);
    }
  }

  /** Unknown frames behind this are of a later time than the fork point. */
  get #pointEnd(): number {
    return this.#seq === this.#source.tail.seq ? this.#source.tail.offset : this.#selection.point.commit.end;
  }

  async #takeCommit(builder: FileBuilder, source: RawCommit): Promise<Diagnostic | "enough" | undefined> {
    const files = { file: this.#file, chunks: this.#chunks };
    const isLater = source.frame.seq > this.#seq;
    if (isLater && !isInheritance(source)) return "enough";
    const records = isLater ? origins(source) : await this.#selection.recordsOf(source, files);
    if (records.length === 0) return undefined;
    if (!(await hasSoundPayloads(source, records, this.#chunks))) return this.#refuse(spanOf(source.frame));
    const entries = await this.#fold.entriesOf(source, records, { ...files, inherits: true });
    const { table } = source;
    const newest = records.findLast((index) => (table.flags(index) & FLAG.history) !== 0);
    if (newest !== undefined) this.#leaf = table.record(newest).id;
    this.#time = table.time;
    this.#entryTime = table.record(records.at(-1) ?? 0).time;
    const copy = { seq: builder.seq + 1, records, isSource: true, leaf: this.#leaf, entries };
    return (await copyCommit(builder, source, copy, this.#chunks)) ? undefined : this.#refuse(spanOf(source.frame));
  }

  #refuse(damage: Damage): Diagnostic {
    return forkDamaged(this.#source.id, this.#source.path, damage);
  }
}

const spanOf = ({ seq, offset, end }: { readonly seq: number; readonly offset: number; readonly end: number }): Damage => ({
  firstSeq: seq,
  lastSeq: seq,
  from: offset,
  to: end,
});

const isOrigin = ({ table }: RawCommit, index: number): boolean => table.kind(index) === KINDS.origin.kind;

/** Whether a commit holds nothing but what came with a fork or an import, and where from. */
function isInheritance(source: RawCommit): boolean {
  for (let index = 0; index < source.table.records; index += 1) {
    if ((source.table.flags(index) & FLAG.source) === 0 && !isOrigin(source, index)) return false;
  }
  return true;
}

const origins = (source: RawCommit): readonly number[] =>
  Array.from({ length: source.table.records }, (_, index) => index).filter((index) => isOrigin(source, index));
