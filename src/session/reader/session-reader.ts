import type { EntryId, SessionId, SubmissionId } from "../../base/index.js";
import type { EntryType, Position } from "../../schema/index.js";
import { generationSeed, logicalSize } from "../codec/index.js";
import type { OpenFile, Tail } from "../log/index.js";
import { judgeTail, LogicalFile, readTail, SCATTERED } from "../log/index.js";
import type { LiveState } from "../live/index.js";
import type { SessionReader } from "../types.js";
import { resolveEntryName } from "./entry-name.js";
import { LiveCursor } from "./live.js";
import { findAdmission, findBranchState, findReceipt, findState } from "./lookup.js";
import type { GrowthWatch, ReaderParts, Source } from "./source.js";
import { DamageLog, identityOf, Places, positionOf } from "./source.js";
import type { ChangesOptions } from "./traverse.js";
import { getEntry, readBranch, readChanges, scanEntries } from "./traverse.js";
import { readUnknownFrames } from "./unknown-frames.js";
import { FileWatch } from "./watch.js";

/** Growth up to this is judged from the last boundary; beyond it the tail is found anew. */
const JUDGE_BYTES = 8 * 1024 * 1024;

/** An observer of a file that this process does not write. Never locks, writes or truncates. */
class Observer implements Source {
  readonly id: SessionId;
  readonly path: string;
  readonly epoch: number;
  readonly seed: number;
  readonly file: OpenFile;
  readonly places = new Places();
  readonly damage = new DamageLog();
  readonly #logical: LogicalFile;
  #tail: Tail;
  #refreshing: Promise<Tail> | undefined;

  constructor(parts: ReaderParts, tail: Tail) {
    this.id = parts.header.id;
    this.path = parts.path;
    this.epoch = parts.header.epoch;
    this.seed = generationSeed(parts.header.generation);
    this.file = parts.file;
    this.#logical = new LogicalFile(parts.file, this.seed, SCATTERED);
    this.#tail = tail;
    for (const damage of tail.damage) this.damage.add(damage);
  }

  get tail(): Tail {
    return this.#tail;
  }

  refresh(): Promise<Tail> {
    this.#refreshing ??= this.#look().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  watch(): GrowthWatch {
    return new FileWatch(this);
  }

  async #look(): Promise<Tail> {
    const { size } = await this.file.facts();
    const end = logicalSize(size);
    const known = this.#tail;
    if (end <= known.offset) return known;
    this.#logical.forgetFrom(known.offset);
    const isNear = end - known.offset <= JUDGE_BYTES;
    const tail = isNear ? await judgeTail(this.#logical, known, end) : await readTail(this.#logical, size);
    if (tail.offset > known.offset) {
      this.#tail = tail;
      for (const damage of tail.damage) this.damage.add(damage);
    }
    return this.#tail;
  }
}

/** Reads an open file's tail and makes a reader of it. */
export async function createReader(parts: ReaderParts): Promise<SessionReader> {
  const { size } = await parts.file.facts();
  const tail = await readTail(new LogicalFile(parts.file, generationSeed(parts.header.generation), SCATTERED), size);
  return readerOf(parts, tail);
}

/** A reader whose tail was judged already. */
export function readerOf(parts: ReaderParts, tail: Tail): SessionReader {
  const source = new Observer(parts, tail);
  return {
    access: "read",
    ...identityOf(parts),
    leaf: () => source.tail.leaf,
    position: () => positionOf(source, source.tail.seq),
    ...readingOf(source),
    close: () => parts.file.close(),
  };
}

/** What a session says of its content. */
export type Reading = Omit<
  SessionReader,
  "access" | "id" | "path" | "createdAt" | "owner" | "epoch" | "origin" | "leaf" | "position" | "close"
>;

/** The reading half of a session, the same for observers and the writer. `live` is given by whoever keeps live state already. */
export function readingOf(source: Source, live: () => Promise<LiveState> = observedLive(source)): Reading {
  return {
    damage: () => source.damage.diagnostics(source.id, source.path),
    damagedChanges: () => source.damage.changes(),
    branch: (options?: { readonly leaf?: EntryId }) => readBranch(source, options?.leaf),
    changes: (options?: ChangesOptions) => readChanges(source, options ?? {}),
    scan: (types: ReadonlySet<EntryType>, options?: { readonly since?: number; readonly until?: number }) =>
      scanEntries(source, types, options),
    get: (id: EntryId) => getEntry(source, id),
    resolveEntry: (name: string) => resolveEntryName(source, name),
    live,
    admission: (key: string) => findAdmission(source, key),
    receipt: (submission: SubmissionId) => findReceipt(source, submission, live),
    sessionState: (owner: string, key: string, at?: Position) => findState(source, { owner, key, at }, live),
    branchState: (owner: string, key: string, leaf?: EntryId) => findBranchState(source, owner, key, leaf),
    unknownFrames: () => readUnknownFrames(source),
  };
}

function observedLive(source: Source): () => Promise<LiveState> {
  const cursor = new LiveCursor(source);
  return async () => cursor.at(await source.refresh());
}
