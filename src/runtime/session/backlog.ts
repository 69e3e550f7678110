import type { CallId, EntryId, SessionId } from "../../base/index.js";
import { type HistoryEntry, isHistoryEntry, type SmithEvent, type ToolCallEntry, type ToolDefinition } from "../../schema/index.js";
import type { SessionReader } from "../../session/index.js";
import { pastEvents } from "./events.js";

export interface BacklogRequest {
  readonly limit: number;
  readonly before?: EntryId;
}

export interface Backlog {
  readonly events: readonly SmithEvent[];
  readonly next?: EntryId;
}

/**
 * One page of a branch as events, oldest first: up to `limit` entries before `before`, moved back so that a page never
 * begins inside a tool batch. Reads only what it returns.
 */
export async function readBacklog(
  reader: SessionReader,
  request: BacklogRequest,
  facts: { readonly session: SessionId; readonly tool: (name: string) => ToolDefinition | undefined },
): Promise<Backlog> {
  const page: HistoryEntry[] = [];
  let next: EntryId | undefined;
  let skipping = request.before !== undefined;
  for await (const entry of reader.branch()) {
    if (skipping) {
      skipping = entry.id !== request.before;
      continue;
    }
    if (!isHistoryEntry(entry)) continue;
    const newer = page.at(-1);
    if (page.length >= request.limit && newer !== undefined && startsPage(newer)) {
      next = newer.id;
      break;
    }
    page.push(entry);
  }
  const calls = new Map<CallId, ToolCallEntry>();
  const events = page.reverse().flatMap((entry) => pastEvents(entry, { ...facts, calls }));
  return { events, ...(next === undefined ? {} : { next }) };
}

/** A page may begin at a message, not between a call and its result. */
const startsPage = (entry: HistoryEntry): boolean => entry.type === "user-message" || entry.type === "assistant";
