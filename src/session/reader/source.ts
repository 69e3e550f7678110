import type { EntryId, SessionId } from "../../base/index.js";
import type { Diagnostic, OwnerInfo, Position } from "../../schema/index.js";
import type { FileHeader } from "../codec/index.js";
import { generationSeed } from "../codec/index.js";
import { sessionDamaged } from "../diagnostics.js";
import type { CheckpointLog } from "../live/index.js";
import type { Damage, OpenFile, Tail } from "../log/index.js";
import type { ChangeSpan, SessionReader } from "../types.js";
import type { Fences } from "./fences.js";

export interface ReaderParts {
  readonly path: string;
  readonly file: OpenFile;
  readonly header: FileHeader;
  readonly owner: OwnerInfo | undefined;
}

/** What reading needs of an open session, whoever writes it. */
export interface Source {
  readonly id: SessionId;
  readonly path: string;
  readonly epoch: number;
  readonly seed: number;
  readonly file: OpenFile;
  readonly places: Places;
  readonly damage: DamageLog;
  /** What the writer knows by heart of the records after the newest checkpoint. */
  readonly recent?: Pick<CheckpointLog, "newest" | "keyed" | "commitOf">;
  /** The newest boundary; looks at the file again when another process writes it. */
  refresh(): Promise<Tail>;
  /** Watches for growth. Whoever opens a watch closes it. */
  watch(): GrowthWatch;
}

export interface GrowthWatch {
  /** Resolves when the file may have grown since the last call, when it was replaced, or when `signal` aborts. Never rejects. */
  grown(signal: AbortSignal | undefined): Promise<void>;
  /** Why the file will not grow any more: another one is in its place, or none. */
  fate?(): Diagnostic | undefined;
  close(): void;
}

const MAX_PLACES = 8192;

/** Which COMMIT holds an entry: by heart for the entries met lately, and what checkpoints know of all others. Bounded. */
export class Places {
  /** What checkpoints cover; read with the first search. */
  fences: Fences | undefined;
  readonly #offsets = new Map<EntryId, number>();

  get(id: EntryId): number | undefined {
    return this.#offsets.get(id);
  }

  set(id: EntryId, commit: number): void {
    if (this.#offsets.size >= MAX_PLACES) {
      const oldest = this.#offsets.keys().next();
      if (oldest.done !== true) this.#offsets.delete(oldest.value);
    }
    this.#offsets.set(id, commit);
  }
}

/** Damaged spans met so far, each once, in file order. */
export class DamageLog {
  readonly #spans = new Map<number, Damage>();

  add(damage: Damage): void {
    this.#spans.set(damage.firstSeq, damage);
  }

  /** In no order. */
  changes(): readonly ChangeSpan[] {
    return [...this.#spans.values()];
  }

  diagnostics(id: SessionId, path: string): readonly Diagnostic[] {
    const spans = [...this.#spans.values()].sort((left, right) => left.firstSeq - right.firstSeq);
    return spans.map((span) => sessionDamaged(id, path, span));
  }
}

/** A file as it is at one moment: what is appended later is not seen. */
export const momentOf = ({
  path,
  file,
  header,
  tail,
}: {
  readonly path: string;
  readonly file: OpenFile;
  readonly header: FileHeader;
  readonly tail: Tail;
}): Source => ({
  id: header.id,
  path,
  epoch: header.epoch,
  seed: generationSeed(header.generation),
  file,
  places: new Places(),
  damage: new DamageLog(),
  refresh: () => Promise.resolve(tail),
  watch: () => ({ grown: () => Promise.resolve(), fate: () => undefined, close: () => undefined }),
});

export const identityOf = (parts: ReaderParts): Pick<SessionReader, "id" | "path" | "createdAt" | "owner" | "epoch" | "origin"> => ({
  id: parts.header.id,
  path: parts.path,
  createdAt: parts.header.createdAt,
  owner: parts.owner,
  epoch: parts.header.epoch,
  origin: parts.header.origin,
});

export const positionOf = (source: { readonly id: SessionId; readonly epoch: number }, seq: number): Position => ({
  session: source.id,
  epoch: source.epoch,
  seq,
});
