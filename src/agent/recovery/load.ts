import { type EntryId, err, ok, type Result } from "../../base/index.js";
import { type Diagnostic, type Entry, type HistoryEntry, isHistoryEntry, type PromptEntry } from "../../schema/index.js";
import { type SessionReader, SessionStorageError } from "../../session/index.js";
import { damagedHistory, unknownLeaf, unknownSemantics } from "../diagnostics.js";
import type { Recovered } from "../facts.js";
import { type AgentState, emptyState } from "../state.js";
import { openCalls } from "./open-calls.js";

/** Flag of a record whose meaning has to be known before a request is made from its branch (session format, section 5). */
const PROJECTION_CRITICAL = 4;

/**
 * The branch that ends at `leaf` back to its newest compaction, oldest first. Refused when a record of a later version
 * decides what the model may see of it, or when the branch cannot be read.
 */
export async function loadBranch(reader: SessionReader, leaf: EntryId): Promise<Result<readonly HistoryEntry[], Diagnostic>> {
  const newestFirst: HistoryEntry[] = [];
  let firstKept: EntryId | undefined;
  try {
    for await (const entry of reader.branch({ leaf })) {
      if (isUnknownSemantics(entry)) return err(unknownSemantics(reader.id, entry));
      if (isHistoryEntry(entry)) newestFirst.push(entry);
      if (entry.type === "compaction") firstKept ??= entry.firstKept;
      if (entry.id === firstKept) break;
    }
  } catch (error) {
    if (error instanceof SessionStorageError) return err(error.diagnostic);
    throw error;
  }
  return ok(newestFirst.reverse());
}

const isUnknownSemantics = (entry: Entry): entry is Extract<Entry, { readonly type: "unknown" }> =>
  entry.type === "unknown" && (entry.flags & PROJECTION_CRITICAL) !== 0;

/**
 * State of the branch that ends at `leaf` (default: the selected one). What `recovered` holds as open is in it, so that
 * the next input settles it or a resumption goes on with it. Refused while what a repair could save of it is not saved.
 */
export async function loadState(reader: SessionReader, recovered: Recovered, leaf?: EntryId): Promise<Result<AgentState, Diagnostic>> {
  const end = leaf ?? reader.leaf();
  if (leaf !== undefined && (await reader.get(leaf)) === undefined) return err(unknownLeaf(reader.id, leaf));
  const branch = end === undefined ? ok([]) : await loadBranch(reader, end);
  if (!branch.ok) return branch;
  const history = branch.value;
  const damaged = history.find((entry) => entry.type === "lost" && entry.unrepaired === true);
  if (damaged !== undefined) return err(damagedHistory(reader.id, damaged.id));
  const prompt = history.findLast((entry): entry is PromptEntry => entry.type === "prompt");
  const isOpen = recovered.pendingEffects.length > 0 || recovered.unsettled.length > 0 || openCalls(history).length > 0;
  return ok({ ...emptyState, leaf: end, history, prompt, queue: recovered.queue, interrupted: isOpen ? recovered : undefined });
}
