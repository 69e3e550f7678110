import type { WorkId } from "../../../base/index.js";
import type { Entry } from "../../../schema/index.js";

/** Who has work done by a sub-agent. */
export interface Asker {
  readonly plugin: string;
  /** The work that owns it; absent where no work asks. */
  readonly work: WorkId | undefined;
}

/** Bookkeeping of input that people are promised an answer to. Nobody submitted the task of a sub-agent. */
const OF_INPUT: ReadonlySet<Entry["type"]> = new Set(["submission", "queue", "receipt"]);

/**
 * What a driver records, as a branch of its own in somebody else's session: its works belong to the one that asks, so that they end with
 * that after a crash and what they use is counted once; its task is input of a plugin, not a prompt of a person, and has no receipt.
 */
export const onOwnBranch = (entries: readonly Entry[], asker: Asker): readonly Entry[] =>
  entries.flatMap((entry) => (OF_INPUT.has(entry.type) ? [] : [owned(entry, asker)]));

function owned(entry: Entry, { plugin, work: parentWork }: Asker): Entry {
  if (entry.type === "user-message") {
    const { submission: _, ...message } = entry;
    return message.source === "prompt" ? { ...message, source: "follow-up", plugin } : message;
  }
  if (entry.type !== "work" || parentWork === undefined || entry.parentWork !== undefined) return entry;
  return entry.state === "created" || entry.state === "waiting" ? { ...entry, parentWork } : entry;
}
