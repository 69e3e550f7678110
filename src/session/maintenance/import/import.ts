import type { EntryId, Result, SessionId } from "../../../base/index.js";
import { err, isUuid, ok } from "../../../base/index.js";
import type { Diagnostic, Entry, OriginEntry } from "../../../schema/index.js";
import { isHistoryEntry } from "../../../schema/index.js";
import { BoundError, crc32 } from "../../bytes/index.js";
import type { RecordDraft } from "../../codec/index.js";
import { draftOf, ENCODING, entryFromRecord, FLAG, MAX_BODY_BYTES, typeOfKind } from "../../codec/index.js";
import type { FileOrigin, Foldable } from "../../live/index.js";
import { foldableOf, foldingOf } from "../../live/index.js";
import type { ChangeSpan, ImportedChange, ImportedGap, ImportItem, NewSession, UnknownFrame } from "../../types.js";
import type { FileBuilder } from "../build/file-builder.js";
import { CopyFold } from "../build/foldable.js";
import { IdSet } from "../build/id-set.js";
import { makeSession } from "../build/make-session.js";
import { isUnknownFrame } from "../build/raw-walk.js";
import type { MaintenanceContext } from "../context.js";
import { importRefused, interrupted } from "../diagnostics.js";

export interface ImportRequest {
  readonly id: SessionId;
  readonly createdAt: number;
  readonly source: FileOrigin & { readonly epoch: number };
  readonly signal?: AbortSignal;
}

/**
 * Makes a session of entries that were made elsewhere, in their order, with their ids and times. All become inherited ones:
 * nothing in them is continued or run. Holds one change at a time and 32 bytes for each entry.
 */
export async function importSession(
  context: MaintenanceContext,
  items: AsyncIterable<Result<ImportItem, Diagnostic>>,
  request: ImportRequest,
): Promise<Result<NewSession, Diagnostic>> {
  const { deps } = context;
  const iterator = items[Symbol.asyncIterator]();
  try {
    const missing: ChangeSpan[] = [];
    const made = await makeSession(context, request.id, async (builder) => {
      const intake = new Intake(builder, request);
      for (let step = await iterator.next(); step.done !== true; step = await iterator.next()) {
        const item = step.value;
        if (request.signal?.aborted === true) return err(interrupted("import"));
        if (!item.ok) return item;
        if (item.value.type === "gap") {
          missing.push({ firstSeq: item.value.firstSeq, lastSeq: item.value.lastSeq });
          continue;
        }
        const refusal = intake.take(item.value);
        if (refusal !== undefined) return err(refusal);
        if (builder.isHeavy) await builder.drain();
      }
      const entries = builder.records;
      await intake.finish(Math.floor(deps.clock.now()), deps.ids.next<EntryId>());
      return ok(entries);
    });
    return made.ok && missing.length > 0 ? ok({ ...made.value, missing }) : made;
  } finally {
    // Also when none was asked for: they come from an open file.
    await iterator.return?.();
  }
}

class Intake {
  readonly #builder: FileBuilder;
  readonly #request: ImportRequest;
  readonly #ids = new IdSet();
  /** Entries that can be parents and leaves. */
  readonly #history = new IdSet();
  readonly #fold = new CopyFold();
  #leaf: EntryId | undefined;
  #time = 0;
  #entryTime = 0;

  constructor(builder: FileBuilder, request: ImportRequest) {
    this.#builder = builder;
    this.#request = request;
  }

  /** Puts one item; the reason when it cannot be. */
  take(item: Exclude<ImportItem, ImportedGap>): Diagnostic | undefined {
    return item.type === "frame" ? this.#takeFrame(item.frame) : this.#takeChange(item);
  }

  async finish(now: number, id: EntryId): Promise<void> {
    const { session, seq, epoch } = this.#request.source;
    const origin: OriginEntry = { type: "origin", id, time: now, how: "import", session, epoch, seq };
    const time = Math.max(this.#time, now);
    this.#builder.putEntries([draftOf(origin, this.#entryTime)], { time, leaf: this.#leaf, entries: [origin] });
    const { createdAt } = this.#request;
    await this.#builder.finish({ createdAt: Math.floor(createdAt), epoch, origin: { session, seq } }, this.#fold.summary);
  }

  #takeFrame({ type, flags, seq, tableLen, body }: UnknownFrame): Diagnostic | undefined {
    const isWithin =
      isU16(type) && isU16(flags) && isU32(tableLen) && Number.isSafeInteger(seq) && seq >= 0 && body.length <= MAX_BODY_BYTES;
    if (!isUnknownFrame(type) || !isWithin) {
      return importRefused(`a frame of type ${type}`, "It is not a frame of a later version within the bounds of the format.");
    }
    this.#builder.putFrame({ type, flags, seq, tableLen, tableCrc: crc32(body, 0, body.length) }, body);
    return undefined;
  }

  #takeChange(change: ImportedChange): Diagnostic | undefined {
    const drafts: RecordDraft[] = [];
    const entries: Entry[] = [];
    const first = this.#builder.records;
    for (const [index, given] of change.entries.entries()) {
      const entry = { ...given, inherited: true as const };
      const why = this.#objection(entry);
      if (why !== undefined) return importRefused(nameOf(first + index, given), why);
      const draft = draftOf(entry, this.#entryTime);
      this.#entryTime = draft.time;
      if ((draft.flags & FLAG.history) !== 0) this.#history.addId(entry.id);
      drafts.push(draft);
      entries.push(entry);
    }
    const { leaf } = change;
    if (typeof leaf === "string" && !(isUuid(leaf) && this.#history.hasId(leaf))) {
      return importRefused(
        `the change that ends with ${this.#endName(change)}`,
        `It selects ${leaf}, which is no entry of the history before it.`,
      );
    }
    if (leaf !== undefined) this.#leaf = leaf ?? undefined;
    if (isTime(change.time)) this.#time = Math.max(this.#time, Math.floor(change.time));
    return this.#put(change, drafts, entries);
  }

  #put(change: ImportedChange, drafts: readonly RecordDraft[], entries: readonly Entry[]): Diagnostic | undefined {
    const name = nameOf(this.#builder.records, change.entries[0]);
    try {
      this.#builder.putEntries(drafts, { time: this.#time, leaf: this.#leaf, entries: foldedOf(drafts, entries) });
    } catch (error) {
      if (!(error instanceof BoundError)) throw error;
      return importRefused(`the change that begins with ${name}`, `It breaks a bound of the session format: it has ${error.message}.`);
    }
    for (const entry of entries) this.#fold.add(entry);
    return undefined;
  }

  #objection(entry: Entry): string | undefined {
    const shape = malformed(entry);
    if (shape !== undefined) return shape;
    const { id, parent } = entry;
    if (!this.#ids.addId(id)) return "An entry before it has the same id.";
    // Where a repair lost history, the rest of it begins with an entry whose parent is gone.
    const mayLackParent = this.#request.source.epoch > 0 || !isHistory(entry);
    if (parent === undefined || mayLackParent || this.#history.hasId(parent)) return undefined;
    return `Its parent ${parent} is not an entry of the history before it.`;
  }

  #endName(change: ImportedChange): string {
    return nameOf(this.#builder.records + change.entries.length - 1, change.entries.at(-1));
  }
}

/** As much of the entries as checkpoints fold: what readers of the file will see, also where a record is given as an unknown one. */
function foldedOf(drafts: readonly RecordDraft[], entries: readonly Entry[]): readonly Foldable[] {
  return drafts.flatMap((draft, index) => {
    const folding = foldingOf(typeOfKind(draft.kind), () => draft.sub);
    if (folding === "nothing") return [];
    const entry = entries[index];
    const folded = folding === "record" ? foldableOf(draft) : entry?.type === "unknown" ? readBack(draft) : entry;
    return folded === undefined ? [] : [folded];
  });
}

function readBack(draft: RecordDraft): Entry {
  const views = draft.payloads.flatMap(({ role, encoding, data }) =>
    data instanceof Uint8Array ? [{ role, encoding, bytes: Buffer.from(data) }] : [],
  );
  return entryFromRecord({ ...draft, parentBack: 0, firstDescriptor: 0, descriptorCount: views.length }, views);
}

/** The largest time a record can hold and a Date can show. */
const MAX_TIME = 8_640_000_000_000_000;
const isTime = (time: number): boolean => time >= 0 && time <= MAX_TIME;
const isU16 = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= 0xffff;
const isU32 = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff;

function malformed({ id, parent, time, ...entry }: Entry): string | undefined {
  if (!isUuid(id)) return "Its id is not a UUID.";
  if (parent !== undefined && !isUuid(parent)) return "The id of its parent is not a UUID.";
  if (!isTime(time)) return "Its time is not a number of ms since the epoch.";
  if (entry.type !== "unknown") return undefined;
  if (entry.raw === undefined) return "It is of a kind this version does not know, and what it holds is not given.";
  const isStorable = entry.raw.payloads.every(({ encoding }) => encoding <= ENCODING.cbor);
  return isStorable ? undefined : "It has a payload in an encoding that the session format does not have.";
}

/** By the flags of its record, so that it holds for kinds of later versions too. */
const isHistory = (entry: Entry): boolean => (entry.type === "unknown" ? (entry.flags & FLAG.history) !== 0 : isHistoryEntry(entry));

/** Entries are counted from 1, as people count lines. */
const nameOf = (index: number, entry: Entry | undefined): string => `entry ${index + 1} (${entry?.id ?? "none"})`;
