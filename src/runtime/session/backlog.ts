import type { CallId, EntryId, SessionId } from "../../base/index.js";
import {
  type Diagnostic,
  type HistoryEntry,
  isHistoryEntry,
  type SmithEvent,
  type ToolCallEntry,
  type ToolDefinition,
} from "../../schema/index.js";
import { type SessionReader, SessionStorageError } from "../../session/index.js";
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
 * begins inside a tool batch. Reads only what it returns. Where the branch cannot be read on, the page says so and ends.
 */
export async function readBacklog(
  reader: SessionReader,
  request: BacklogRequest,
  facts: { readonly session: SessionId; readonly tool: (name: string) => ToolDefinition | undefined },
): Promise<Backlog> {
  const page: HistoryEntry[] = [];
  let next: EntryId | undefined;
  let skipping = request.before !== undefined;
  let broken: Diagnostic | undefined;
  try {
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
  } catch (error) {
    if (!(error instanceof SessionStorageError)) throw error;
    broken = error.diagnostic;
  }
  const calls = new Map<CallId, ToolCallEntry>();
  const events = page.reverse().flatMap((entry) => pastEvents(entry, { ...facts, calls }));
  // What lies behind the break cannot be shown; what does lie before it can, under the reason.
  const told: readonly SmithEvent[] = broken === undefined ? [] : [{ type: "error", session: facts.session, time: 0, diagnostic: broken }];
  return { events: [...told, ...events], ...(next === undefined ? {} : { next }) };
}

/** A page may begin at a message, not between a call and its result. */
const startsPage = (entry: HistoryEntry): boolean => entry.type === "user-message" || entry.type === "assistant";
