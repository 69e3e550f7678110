import type { Entry, EntryType } from "../../../schema/index.js";
import type { SummaryFields } from "../../codec/index.js";
import { FLAG, foldSummary, KINDS, typeOfKind } from "../../codec/index.js";
import type { Foldable } from "../../live/index.js";
import type { LogicalFile } from "../../log/index.js";
import { peekEntry, readEntry } from "../../log/index.js";
import type { RawCommit } from "./raw-commit.js";

/** Entries that checkpoints and summaries fold whole. Inherited ones of the second set have nothing to say any more. */
const TOLD: ReadonlySet<EntryType> = new Set<EntryType>(["assistant", "session-info", "origin", "state"]);
const OPEN: ReadonlySet<EntryType> = new Set<EntryType>([
  "submission",
  "queue",
  "work",
  "receipt",
  "effect-intent",
  "effect-done",
  "reconciled",
]);
const SUB_PROMPT = 1;

/** What copied commits add up to: as much of their entries as checkpoints fold, and the summary that listing shows. */
export class CopyFold {
  #summary: SummaryFields = {};

  get summary(): SummaryFields {
    return this.#summary;
  }

  add(entry: Entry): void {
    this.#summary = foldSummary(this.#summary, entry);
  }

  /**
   * Entries of the given records; payloads only where they are needed. `inherits`: the copies become inherited ones. `chunks`
   * must not be the file the commit is borrowed from.
   */
  async entriesOf(
    source: RawCommit,
    records: readonly number[],
    files: { readonly file: LogicalFile; readonly chunks: LogicalFile; readonly inherits: boolean },
  ): Promise<readonly Foldable[]> {
    const entries: Foldable[] = [];
    for (const index of records) {
      const inherited = files.inherits || (source.table.flags(index) & FLAG.source) !== 0;
      const short = inherited ? this.#short(source, index) : undefined;
      if (short !== undefined) {
        entries.push(short);
        continue;
      }
      const entry = await this.#entry(source, index, { ...files, inherited });
      if (entry !== undefined) entries.push(inherited ? { ...entry, inherited: true } : entry);
    }
    return entries;
  }

  /** Inherited inputs and results count; what they say does not matter once there is a first prompt. */
  #short({ table }: RawCommit, index: number): Foldable | undefined {
    if (table.kind(index) !== KINDS["user-message"].kind || this.#summary.firstPrompt === undefined) return undefined;
    const isPrompt = table.record(index).sub === SUB_PROMPT;
    if (isPrompt) this.#summary = { ...this.#summary, turns: (this.#summary.turns ?? 0) + 1 };
    return { type: "user-message", source: isPrompt ? "prompt" : "notice", inherited: true };
  }

  async #entry(
    { table }: RawCommit,
    index: number,
    { file, chunks, inherited }: { readonly file: LogicalFile; readonly chunks: LogicalFile; readonly inherited: boolean },
  ): Promise<Entry | undefined> {
    const type = typeOfKind(table.kind(index));
    const isNeeded = TOLD.has(type) || type === "user-message" || (!inherited && (OPEN.has(type) || type === "tool-result"));
    if (!isNeeded) return undefined;
    const entry = peekEntry(file, table, index) ?? (await readEntry(chunks, table, index));
    if (entry === "damaged") return undefined;
    this.add(entry);
    return entry;
  }
}
