import type { Diagnostic } from "../../schema/index.js";
import type { CommitTable } from "../codec/index.js";
import { FLAG, typeOfKind } from "../codec/index.js";
import { sessionDamaged } from "../diagnostics.js";
import type { Damage, OpenFile, Tail } from "../log/index.js";
import { LogicalFile, SEQUENTIAL } from "../log/index.js";
import { CommitWalk } from "../reader/index.js";
import type { GrepMatch, GrepOptions } from "../types.js";
import type { BranchScope } from "./branch.js";
import { patternSlow } from "./diagnostics.js";
import { linesAfter, linesBefore, textOf } from "./lines.js";
import type { Matched, Matcher } from "./matcher.js";
import type { LinePattern } from "./pattern.js";
import type { FoundText, PlacedText } from "./texts.js";
import { TextSource } from "./texts.js";

export type GrepFinding = GrepMatch | { readonly damage: Diagnostic };

/** Bytes of texts that are searched together. */
const BATCH_BYTES = 1024 * 1024;

export interface FileSearchParts {
  readonly file: OpenFile;
  readonly path: string;
  readonly session: GrepMatch["session"];
  readonly seed: number;
  readonly tail: Tail;
  readonly pattern: LinePattern;
  readonly matcher: Matcher;
  /** Absent: everything recorded. */
  readonly scope: BranchScope | undefined;
  readonly options: Pick<GrepOptions, "types" | "before" | "after" | "maxPerSession">;
}

/** One search through one file, front to back. */
export class FileSearch {
  readonly #parts: FileSearchParts;
  readonly #walk: CommitWalk;
  readonly #source: TextSource;
  readonly #damage = new Map<number, Damage>();
  #batch: PlacedText[] = [];
  #batchBytes = 0;
  #found = 0;

  constructor(parts: FileSearchParts) {
    this.#parts = parts;
    const file = new LogicalFile(parts.file, parts.seed, SEQUENTIAL);
    this.#walk = new CommitWalk(file, { offset: 0, seq: 0 }, parts.tail.offset, (damage) => {
      this.#lose(damage);
    });
    this.#source = new TextSource(file, parts.pattern.required);
    for (const damage of parts.tail.damage) this.#lose(damage);
  }

  /** Matches as they are found, then what could not be read. */
  async *findings(): AsyncGenerator<GrepFinding, void, undefined> {
    yield* this.#matches();
    if (this.#parts.matcher.isStopped) return;
    for (const damage of [...this.#damage.values()].sort((left, right) => left.firstSeq - right.firstSeq)) {
      yield { damage: sessionDamaged(this.#parts.session, this.#parts.path, damage) };
    }
  }

  get #isOver(): boolean {
    return this.#parts.matcher.isStopped || this.#found >= (this.#parts.options.maxPerSession ?? Number.POSITIVE_INFINITY);
  }

  async *#matches(): AsyncGenerator<GrepFinding, void, undefined> {
    while (!this.#isOver) {
      const table = this.#walk.peek();
      if (table !== undefined) {
        const found = this.#search(table);
        if (found !== undefined) yield* found;
        continue;
      }
      // What is in the batch is borrowed until the next read.
      if (this.#batch.length > 0) yield* this.#flush();
      const next = await this.#walk.next();
      if (next === undefined) return;
      yield* this.#search(next) ?? [];
    }
  }

  /** Takes what is at hand without waiting, or tells how to go on. */
  #search(table: CommitTable): AsyncIterable<GrepFinding> | undefined {
    for (let index = 0; index < table.records; index += 1) {
      if (!this.#wants(table, index)) continue;
      const texts = this.#source.peek(table, index);
      if (texts === "away") return this.#searchAway(table, index);
      if (texts === "damaged") this.#loseCommit(table);
      else this.#add(table, index, texts);
    }
    return this.#batchBytes < BATCH_BYTES ? undefined : this.#flush();
  }

  /** The records of a commit from `from` on. `has` of a scope was asked for that one already. */
  async *#searchAway(table: CommitTable, from: number): AsyncGenerator<GrepFinding, void, undefined> {
    yield* this.#flush();
    for (let index = from; index < table.records && !this.#isOver; index += 1) {
      if (index > from && !this.#wants(table, index)) continue;
      const texts = await this.#source.read(table, index);
      if (texts === "damaged") this.#loseCommit(table);
      else this.#add(table, index, texts);
      yield* this.#flush();
    }
  }

  #wants(table: CommitTable, index: number): boolean {
    const { scope, options } = this.#parts;
    const type = typeOfKind(table.kind(index));
    // What the model is told by smith itself is in every session: it would answer every search.
    const isWanted = options.types === undefined ? (table.flags(index) & FLAG.history) !== 0 && type !== "prompt" : options.types.has(type);
    return isWanted && (scope === undefined || scope.has(table.frame.offset, index));
  }

  #add(table: CommitTable, index: number, texts: readonly FoundText[]): void {
    if (texts.length === 0) return;
    const record = table.record(index);
    for (const { part, raw } of texts) {
      this.#batch.push({ part, raw, record });
      this.#batchBytes += raw.length;
    }
  }

  async *#flush(): AsyncGenerator<GrepFinding, void, undefined> {
    const batch = this.#batch;
    this.#batch = [];
    this.#batchBytes = 0;
    if (batch.length === 0) return;
    for await (const matched of this.#parts.matcher.match(batch)) {
      yield this.#told(matched);
      if (matched.hit === undefined) continue;
      this.#found += 1;
      if (this.#isOver) return;
    }
  }

  #told({ text, hit }: Matched): GrepFinding {
    const { session, matcher, options } = this.#parts;
    const { id, time, kind } = text.record;
    if (hit === undefined) return { damage: patternSlow({ session, entry: id, part: text.part, isLast: matcher.isExhausted }) };
    const { before, after } = options;
    return {
      session,
      entry: id,
      type: typeOfKind(kind),
      time,
      part: text.part,
      line: hit.line,
      text: textOf(text.raw, hit.start, hit.end),
      ...(before === undefined || before === 0 ? {} : { before: linesBefore(text.raw, hit.start, before) }),
      ...(after === undefined || after === 0 ? {} : { after: linesAfter(text.raw, hit.end, after) }),
    };
  }

  #loseCommit({ frame }: CommitTable): void {
    this.#lose({ firstSeq: frame.seq, lastSeq: frame.seq, from: frame.offset, to: frame.end });
  }

  #lose(damage: Damage): void {
    this.#damage.set(damage.firstSeq, damage);
  }
}
