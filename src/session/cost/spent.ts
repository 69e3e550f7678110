import type { WorkId } from "../../base/index.js";
import type { AssistantEntry, CompactionEntry, Entry, ModelRef, Spend, ToolResultEntry } from "../../schema/index.js";
import { spendOf } from "../../schema/index.js";

/** What one record says was used. */
export interface Spent {
  readonly by: "answer" | "tool" | "compaction";
  /** Absent for what no work asked for. */
  readonly work?: WorkId;
  /** Who served; absent where a tool does not say. */
  readonly model?: ModelRef;
  readonly spend: Spend;
}

type Reporting =
  | Pick<AssistantEntry, "type" | "work" | "dispatch" | "usage" | "cost">
  | Pick<ToolResultEntry, "type" | "work" | "details">
  | Pick<CompactionEntry, "type" | "dispatch" | "usage" | "cost">;

/** What an entry says was used; undefined when it says nothing. A tool's report is nothing new when {@link Owners} have it already. */
export function spentBy(entry: Entry | Reporting): Spent | undefined {
  if (entry.type === "assistant") return { by: "answer", work: entry.work, model: entry.dispatch, spend: spendOf(entry) };
  if (entry.type === "tool-result") return reportedBy(entry);
  return entry.type === "compaction" ? summedUp(entry) : undefined;
}

function reportedBy({ work, details }: Pick<ToolResultEntry, "work" | "details">): Spent | undefined {
  if (details?.usage === undefined) return undefined;
  const { model } = details.usage;
  return { by: "tool", work, ...(model === undefined ? {} : { model }), spend: spendOf(details.usage) };
}

/** Words that somebody wrote have cost nothing. */
function summedUp({ dispatch, usage, cost }: Pick<CompactionEntry, "dispatch" | "usage" | "cost">): Spent | undefined {
  if (dispatch === undefined && usage === undefined && cost === undefined) return undefined;
  return { by: "compaction", ...(dispatch === undefined ? {} : { model: dispatch }), spend: spendOf({ usage, cost }) };
}

/** Works above a work, itself included, are never more (`SESSION_LIMITS.ownershipDepth`). */
const MAX_DEPTH = 16;

/**
 * A response of a work is on record: what the calls that its owners have open will report of it is counted already. An answer of a
 * work's own begins its next calls. `open` are the works that have not settled,
 * `recorded` those of them some of whose open calls' usage is on record.
 */
export function noteAnswer(work: WorkId, open: ReadonlyMap<WorkId, { readonly parent?: WorkId }>, recorded: Set<WorkId>): void {
  recorded.delete(work);
  let owner = open.get(work)?.parent;
  for (let depth = 0; owner !== undefined && open.has(owner) && depth < MAX_DEPTH; depth += 1) {
    recorded.add(owner);
    owner = open.get(owner)?.parent;
  }
}

/** Works that have not settled, and those of them some of whose open calls' usage is on record. */
interface OpenWorks {
  readonly works: Iterable<readonly [WorkId, { readonly parent?: WorkId }]>;
  readonly recorded: Iterable<WorkId>;
}

/** The same for who reads a session from its beginning, or goes on from where works are open: fed every entry that is its own, in order. */
export class Owners {
  /** Works that have not settled. */
  readonly #open: Map<WorkId, { readonly parent?: WorkId }>;
  readonly #recorded: Set<WorkId>;

  constructor({ works, recorded }: OpenWorks = { works: [], recorded: [] }) {
    this.#open = new Map(works);
    this.#recorded = new Set(recorded);
  }

  /** What an entry adds to what the session has used; undefined when that is nothing, or was counted before. */
  take(entry: Entry): Spent | undefined {
    if (entry.type === "work") this.#work(entry);
    const spent = spentBy(entry);
    if (entry.type === "assistant") noteAnswer(entry.work, this.#open, this.#recorded);
    const isCounted = entry.type === "tool-result" && this.#recorded.has(entry.work);
    return isCounted ? undefined : spent;
  }

  parentOf(work: WorkId): WorkId | undefined {
    return this.#open.get(work)?.parent;
  }

  #work({ work, parentWork, state }: Extract<Entry, { readonly type: "work" }>): void {
    if (state !== "settled") {
      const parent = parentWork ?? this.parentOf(work);
      this.#open.set(work, parent === undefined ? {} : { parent });
      return;
    }
    this.#open.delete(work);
    this.#recorded.delete(work);
  }
}
