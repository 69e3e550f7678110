import type { CallId } from "../../base/index.js";
import { type Entry, type HistoryEntry, isHistoryEntry, type ToolCallEntry } from "../../schema/index.js";
import { endsBatch } from "../context/index.js";

/** The batch a branch ends in, fed from its leaf backwards. */
export class CallWindow {
  readonly #calls: ToolCallEntry[] = [];
  readonly #settled = new Set<CallId>();

  /** False when the beginning of the batch is reached, or the branch does not end in one. */
  addOlder(entry: Entry): boolean {
    if (entry.type === "tool-call") this.#calls.push(entry);
    if (entry.type === "tool-result") this.#settled.add(entry.call);
    return !isHistoryEntry(entry) || !endsBatch(entry);
  }

  /** Calls without a result, in call order. */
  open(): readonly ToolCallEntry[] {
    return this.#calls.filter(({ call }) => !this.#settled.has(call)).reverse();
  }
}

/**
 * Calls of the batch the branch ends in that have no result. Those of earlier batches are not open any more: a result that
 * came now would not follow its call, and the projection says so in its place.
 */
export function openCalls(history: readonly HistoryEntry[]): readonly ToolCallEntry[] {
  const window = new CallWindow();
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const entry = history[index];
    if (entry !== undefined && !window.addOlder(entry)) break;
  }
  return window.open();
}
