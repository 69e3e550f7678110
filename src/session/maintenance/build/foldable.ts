import type { Entry, EntryType } from "../../../schema/index.js";
import type { SummaryFields } from "../../codec/index.js";
import { FLAG, foldSummary, INPUT_SOURCE, typeOfKind } from "../../codec/index.js";
import type { Foldable } from "../../live/index.js";
import { foldableOf, foldingOf } from "../../live/index.js";
import type { LogicalFile } from "../../log/index.js";
import { peekEntry, readEntry } from "../../log/index.js";
import type { RawCommit } from "./raw-commit.js";

/** Inherited entries that checkpoints and summaries have something of. All others are another session's history. */
const TOLD: ReadonlySet<EntryType> = new Set<EntryType>(["user-message", "assistant", "session-info", "origin", "state"]);

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
      const { table } = source;
      const type = typeOfKind(table.kind(index));
      const inherited = files.inherits || (table.flags(index) & FLAG.source) !== 0;
      const folding = foldingOf(type, () => table.record(index).sub);
      if (folding === "nothing" || (inherited && !TOLD.has(type))) continue;
      const entry = await this.#tell(source, index, { ...files, folding });
      const isAlone = folding === "record" || (entry === undefined && type === "tool-result");
      const folded = isAlone ? foldableOf(table.record(index)) : entry;
      if (folded !== undefined) entries.push(inherited ? { ...folded, inherited: true } : folded);
    }
    return entries;
  }

  /** Adds a record to the summary; its entry when it was read for that or is folded. */
  async #tell(
    { table }: RawCommit,
    index: number,
    { file, chunks, folding }: { readonly file: LogicalFile; readonly chunks: LogicalFile; readonly folding: "entry" | "record" },
  ): Promise<Entry | undefined> {
    if (folding === "record") {
      if (typeOfKind(table.kind(index)) !== "user-message") return undefined;
      // What an input says does not matter once there is a first prompt.
      if (this.#summary.firstPrompt !== undefined) {
        if (INPUT_SOURCE.decode(table.record(index).sub) === "prompt") {
          this.#summary = { ...this.#summary, turns: (this.#summary.turns ?? 0) + 1 };
        }
        return undefined;
      }
    }
    const entry = peekEntry(file, table, index) ?? (await readEntry(chunks, table, index));
    if (entry === "damaged") return undefined;
    this.add(entry);
    return entry;
  }
}
