import type { EntryId, SessionId } from "../../base/index.js";
import type { Entry } from "../../schema/index.js";
import { isHistoryEntry } from "../../schema/index.js";
import type { FileOrigin } from "../live/index.js";

export const DUMP_FORMAT = 1;

/** First line of a dump. */
export interface DumpHeader {
  readonly session: SessionId;
  /** ms since the epoch. */
  readonly created: number;
  readonly epoch: number;
  /** Newest change in the dump; 0 when its writer did not count changes. */
  readonly seq: number;
  readonly origin?: FileOrigin;
  /** Selected leaf at the end. */
  readonly leaf?: EntryId;
}

const HISTORY_FLAG = 1;

const isNode = (entry: Entry): boolean => isHistoryEntry(entry) || (entry.type === "unknown" && (entry.flags & HISTORY_FLAG) !== 0);

/** The leaf after a change that does not say: its last history entry, or what was selected before it. */
export const impliedLeaf = (entries: readonly Entry[], before: EntryId | undefined): EntryId | undefined =>
  entries.findLast(isNode)?.id ?? before;
