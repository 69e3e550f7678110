import { cleared, type Draft, withText } from "./model.js";

/** Prompts of this session, oldest first. While browsing, `index` points into `entries` and `stash` holds the unsent draft. */
export interface PromptHistory {
  readonly entries: readonly string[];
  readonly browsing?: { readonly index: number; readonly stash: string };
}

export const EMPTY_HISTORY: PromptHistory = { entries: [] };
const MAX_ENTRIES = 500;

/** Remembers a prompt unless it repeats the last one, and ends browsing. */
export function remember(history: PromptHistory, text: string): PromptHistory {
  if (text.trim() === "" || history.entries.at(-1) === text) return { entries: history.entries };
  return { entries: [...history.entries, text].slice(-MAX_ENTRIES) };
}

/** One prompt back (`-1`) or forth; the same values when there is none. Going forth past the newest returns the stashed draft. */
export function browse(history: PromptHistory, draft: Draft, by: -1 | 1): { readonly history: PromptHistory; readonly draft: Draft } {
  const { entries } = history;
  const { index: from, stash } = history.browsing ?? { index: entries.length, stash: draft.text };
  const index = from + by;
  if (index < 0 || index > entries.length) return { history, draft };
  const isNewest = index === entries.length;
  const text = isNewest ? stash : (entries[index] ?? "");
  const next = text === "" ? cleared(draft) : withText(draft, text);
  // Going up lands on the first row, so that the next Up goes further back.
  const placed = by < 0 ? { ...next, cursor: 0 } : next;
  return { draft: placed, history: isNewest ? { entries } : { entries, browsing: { index, stash } } };
}
