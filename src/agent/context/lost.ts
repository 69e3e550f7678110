import type { HistoryEntry } from "../../schema/index.js";

/** Kind numbers of inputs and answers (session format, section 7). */
const USER_MESSAGE = 1;
const ASSISTANT = 2;

/**
 * Whether calls and results before an entry do not belong together with those after it: it is an input or an answer, or was one.
 * Of what went with a whole change that is not known; its calls went with their answer.
 */
export function endsBatch(entry: HistoryEntry): boolean {
  if (entry.type === "lost") return entry.kind === USER_MESSAGE || entry.kind === ASSISTANT;
  return entry.type === "user-message" || entry.type === "assistant";
}
