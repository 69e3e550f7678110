import type { EntryId, JsonObject, Result } from "../../base/index.js";
import { err, isJsonObject, ok } from "../../base/index.js";
import type { Diagnostic, Entry } from "../../schema/index.js";
import { MAX_RECORDS } from "../codec/index.js";
import type { ImportedChange, ImportItem } from "../types.js";
import { dumpCut, dumpFormatUnknown, dumpGap, dumpHeaderInvalid, dumpLineInvalid, dumpLineTooLong } from "./diagnostics.js";
import type { DumpHeader } from "./header.js";
import { DUMP_FORMAT, impliedLeaf } from "./header.js";
import type { EntryLine } from "./line-schemas.js";
import type * as LineSchemas from "./line-schemas.js";

/** Room for the largest entry there can be, 96 MiB of images, and below what a string can hold. */
const MAX_LINE_CHARACTERS = 256 * 1024 * 1024;

export interface ReadDumpOptions {
  readonly maxLineCharacters?: number;
}

export interface OpenedDump {
  readonly header: DumpHeader;
  /** Read once, one change at a time. The first error ends it. Whoever will not read them says so with the iterator's `return`. */
  readonly items: AsyncIterable<Result<ImportItem, Diagnostic>>;
}

type Schemas = typeof LineSchemas;

/**
 * Reads a dump's first line and gives the rest as it is asked for. Whoever does not read `items` to their end, or an error
 * here, leaves `lines` closed. What the lines must be: docs/reference/session-dump.md.
 */
export async function readDump(lines: AsyncIterable<string>, options: ReadDumpOptions = {}): Promise<Result<OpenedDump, Diagnostic>> {
  // Whoever reads no dump does not pay for the schemas.
  const schemas = await import("./line-schemas.js");
  const source = new Lines(lines, options.maxLineCharacters ?? MAX_LINE_CHARACTERS);
  let header: Result<DumpHeader, Diagnostic> | undefined;
  try {
    header = await readHeader(source, schemas);
    return header.ok ? ok({ header: header.value, items: new Items(source, schemas, header.value) }) : header;
  } finally {
    if (header?.ok !== true) await source.close();
  }
}

async function readHeader(source: Lines, schemas: Schemas): Promise<Result<DumpHeader, Diagnostic>> {
  const line = await source.next();
  if (line === undefined) return err(dumpHeaderInvalid(1, "The dump is empty."));
  if (!line.ok) return line;
  const { number, text } = line.value;
  const parsed = parseJson(text);
  if (!parsed.ok) return err(dumpHeaderInvalid(number, parsed.error));
  if (!isJsonObject(parsed.value)) return err(dumpHeaderInvalid(number, NO_OBJECT));
  const { type, format } = parsed.value;
  if (type !== "session") return err(dumpHeaderInvalid(number, `Its type is ${JSON.stringify(type ?? null)}, not "session".`));
  if (format !== DUMP_FORMAT) return err(dumpFormatUnknown(number, JSON.stringify(format ?? null)));
  const header = schemas.readHeaderLine(parsed.value);
  return header.ok ? header : err(dumpHeaderInvalid(number, header.error));
}

type Item = Result<ImportItem, Diagnostic>;

interface Draft {
  readonly seq: number | undefined;
  readonly entries: Entry[];
  last: EntryLine;
}

/** Puts lines together to changes. */
class Items implements AsyncIterable<Item> {
  readonly #source: Lines;
  readonly #schemas: Schemas;
  readonly #header: DumpHeader;
  #draft: Draft | undefined;
  /** Newest change that was met, where changes are counted. */
  #seq = 0;
  #leaf: EntryId | undefined;
  /** Whether the leaf that the first line names is there. */
  #hasLeaf = false;

  constructor(source: Lines, schemas: Schemas, header: DumpHeader) {
    this.#source = source;
    this.#schemas = schemas;
    this.#header = header;
    this.#hasLeaf = header.leaf === undefined;
  }

  /** A generator that was never asked for anything would not close what it reads from. */
  [Symbol.asyncIterator](): AsyncIterator<Item, void, undefined> {
    const items = this.#read();
    return {
      next: () => items.next(),
      return: async () => {
        await this.#source.close();
        return items.return();
      },
    };
  }

  async *#read(): AsyncGenerator<Item, void, undefined> {
    try {
      for (let line = await this.#source.next(); line !== undefined; line = await this.#source.next()) {
        const items = line.ok ? await this.#take(line.value) : [line];
        for (const item of items) {
          yield item;
          if (!item.ok) return;
        }
      }
      yield* this.#finish();
      const { seq, leaf } = this.#header;
      if (this.#seq < seq)
        yield err(dumpCut(this.#source.number, `Its first line promises changes up to ${seq}, the last one here is ${this.#seq}.`));
      else if (!this.#hasLeaf) yield err(dumpLineInvalid(1, `Its "leaf" ${String(leaf)} is no entry of the dump.`));
    } finally {
      await this.#source.close();
    }
  }

  async #take({ number, text }: Line): Promise<readonly Item[]> {
    const parsed = parseJson(text);
    if (!parsed.ok) {
      const isLast = (await this.#source.next()) === undefined;
      return [err(isLast ? dumpCut(number, parsed.error) : dumpLineInvalid(number, parsed.error))];
    }
    if (!isJsonObject(parsed.value)) return [err(dumpLineInvalid(number, NO_OBJECT))];
    const { type } = parsed.value;
    if (type === "frame") return this.#frame(number, parsed.value);
    if (type === "gap") return this.#gap(number, parsed.value);
    const line = this.#schemas.readEntryLine(parsed.value);
    return line.ok ? this.#entry(number, line.value) : [err(dumpLineInvalid(number, line.error))];
  }

  #entry(number: number, line: EntryLine): readonly Item[] {
    const draft = this.#draft;
    const { change } = line;
    this.#hasLeaf ||= line.entry.id === this.#header.leaf;
    if (draft !== undefined && change !== undefined && draft.seq === change) {
      const why = joinFailure(draft);
      if (why !== undefined) return [err(dumpLineInvalid(number, why))];
      draft.entries.push(line.entry);
      draft.last = line;
      return [];
    }
    if (change !== undefined && change <= this.#seq)
      return [err(dumpLineInvalid(number, `Its "change" ${change} does not come after change ${this.#seq}, which is before it.`))];
    const items = this.#finish();
    this.#draft = { seq: change, entries: [line.entry], last: line };
    this.#seq = change ?? this.#seq;
    return items;
  }

  #frame(number: number, value: JsonObject): readonly Item[] {
    const frame = this.#schemas.readFrameLine(value);
    if (!frame.ok) return [err(dumpLineInvalid(number, frame.error))];
    return [...this.#finish(), ok({ type: "frame", frame: frame.value })];
  }

  #gap(number: number, value: JsonObject): readonly Item[] {
    const gap = this.#schemas.readGapLine(value);
    if (!gap.ok) return [err(dumpLineInvalid(number, gap.error))];
    const { firstSeq, lastSeq, repaired } = gap.value;
    const before = this.#finish();
    if (repaired !== true) return [...before, err(dumpGap(number, firstSeq, lastSeq))];
    if (firstSeq <= this.#seq)
      return [
        ...before,
        err(dumpLineInvalid(number, `Its "firstSeq" ${firstSeq} does not come after change ${this.#seq}, which is before it.`)),
      ];
    this.#seq = lastSeq;
    return [...before, ok({ type: "gap", firstSeq, lastSeq })];
  }

  #finish(): readonly Item[] {
    const draft = this.#draft;
    if (draft === undefined) return [];
    this.#draft = undefined;
    const { entries, last } = draft;
    this.#leaf = last.leaf === undefined ? impliedLeaf(entries, this.#leaf) : (last.leaf ?? undefined);
    const change: ImportedChange = { type: "change", entries, time: last.committed ?? last.entry.time, leaf: this.#leaf ?? null };
    return [ok(change)];
  }
}

/** Why no more lines can belong to a change. */
function joinFailure({ seq, entries, last }: Draft): string | undefined {
  if (last.leaf !== undefined || last.committed !== undefined)
    return `The line before it has "leaf" or "committed", which only the last line of change ${String(seq)} may have.`;
  return entries.length < MAX_RECORDS ? undefined : `Change ${String(seq)} has more than ${MAX_RECORDS} entries.`;
}

const NO_OBJECT = "It is JSON, but not an object.";

function parseJson(text: string): Result<unknown, string> {
  try {
    return ok(JSON.parse(text));
  } catch (error) {
    return err(`It is not whole JSON: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/** Numbered lines that are not blank. */
class Lines {
  number = 0;
  readonly #iterator: AsyncIterator<string>;
  readonly #limit: number;

  constructor(lines: AsyncIterable<string>, limit: number) {
    this.#iterator = lines[Symbol.asyncIterator]();
    this.#limit = limit;
  }

  async next(): Promise<Result<Line, Diagnostic> | undefined> {
    for (;;) {
      const step = await this.#iterator.next();
      if (step.done === true) return undefined;
      this.number += 1;
      if (step.value.length > this.#limit) return err(dumpLineTooLong(this.number, this.#limit));
      const text = this.number === 1 ? step.value.replace(/^\ufeff/u, "") : step.value;
      if (/\S/u.test(text)) return ok({ number: this.number, text });
    }
  }

  async close(): Promise<void> {
    await this.#iterator.return?.();
  }
}
