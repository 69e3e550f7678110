import type { CompactionEntry, HistoryEntry } from "../../schema/index.js";

/** What of a branch contributes to requests: everything from the first kept entry of its newest compaction. */
export interface Retained {
  /** Index of its first entry; the length of the history when none is. */
  readonly start: number;
  /** What stands for the entries before. */
  readonly compaction: CompactionEntry | undefined;
}

export function retained(history: readonly HistoryEntry[]): Retained {
  const compaction = newestCompaction(history);
  if (compaction === undefined) return { start: 0, compaction };
  const first = history.findIndex((entry) => entry.id === compaction.firstKept);
  return { start: first === -1 ? history.length : first, compaction };
}

export const newestCompaction = (history: readonly HistoryEntry[]): CompactionEntry | undefined =>
  history.findLast((entry): entry is CompactionEntry => entry.type === "compaction");
