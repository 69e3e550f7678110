import type { CallId, EntryId, SessionId } from "../../../base/index.js";
import {
  type Diagnostic,
  type HistoryEntry,
  isHistoryEntry,
  type SmithEvent,
  type ToolCallEntry,
  type ToolDefinition,
} from "../../../schema/index.js";
import { type SessionReader, SessionStorageError } from "../../../session/index.js";
import { pastEvents } from "./events.js";

export interface BacklogRequest {
  readonly limit: number;
  readonly before?: EntryId;
}

export interface Backlog {
  readonly events: readonly SmithEvent[];
  readonly next?: EntryId;
}

/** What events are worded with. */
export interface ViewFacts {
  readonly session: SessionId;
  readonly tool: (name: string) => ToolDefinition | undefined;
}

/**
 * One page of a branch as events, oldest first: up to `limit` entries before `before`, else up to the leaf (`leaf`, by default
 * the selected one), moved back so that a page never begins inside a tool batch. An earlier page is of the branch of its
 * `before`, whatever is selected by then. Reads only what it returns; where the branch cannot be read on, the page says so and ends.
 */
export async function readBacklog(
  reader: SessionReader,
  request: BacklogRequest & { readonly leaf?: EntryId },
  facts: ViewFacts,
): Promise<Backlog> {
  const page = await collect(reader, request);
  const calls = new Map<CallId, ToolCallEntry>();
  const events = page.entries.flatMap((entry) => pastEvents(entry, { ...facts, calls }));
  // What lies behind the break cannot be shown; what does lie before it can, under the reason.
  const { broken, next } = page;
  const told: readonly SmithEvent[] = broken === undefined ? [] : [{ type: "error", session: facts.session, time: 0, diagnostic: broken }];
  return { events: [...told, ...events], ...(next === undefined ? {} : { next }) };
}

interface Page {
  /** Oldest first. */
  readonly entries: readonly HistoryEntry[];
  readonly next?: EntryId;
  readonly broken?: Diagnostic;
}

async function collect(reader: SessionReader, request: BacklogRequest & { readonly leaf?: EntryId }): Promise<Page> {
  const { limit, before } = request;
  const leaf = before ?? request.leaf;
  const page: HistoryEntry[] = [];
  try {
    for await (const entry of reader.branch(leaf === undefined ? {} : { leaf })) {
      if (!isHistoryEntry(entry) || entry.id === before) continue;
      const newer = page.at(-1);
      if (page.length >= limit && newer !== undefined && startsPage(newer)) return { entries: page.reverse(), next: newer.id };
      page.push(entry);
    }
  } catch (error) {
    if (!(error instanceof SessionStorageError)) throw error;
    return { entries: page.reverse(), broken: error.diagnostic };
  }
  return { entries: page.reverse() };
}

/** A page may begin at a message, not between a call and its result. */
const startsPage = (entry: HistoryEntry): boolean => entry.type === "user-message" || entry.type === "assistant";

/** A page that cannot be read, as its reason. */
export const brokenPage = (session: SessionId, diagnostic: Diagnostic): Backlog => ({
  events: [{ type: "error", session, time: 0, diagnostic }],
});
