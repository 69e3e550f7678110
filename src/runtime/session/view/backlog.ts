import type { CallId, EntryId, SessionId } from "../../../base/index.js";
import {
  type Diagnostic,
  type Entry,
  type EntryType,
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
  const entries = await withActions(reader, page);
  const events = entries.flatMap((entry) => pastEvents(entry, { ...facts, calls }));
  // What lies behind the break cannot be shown; what does lie before it can, under the reason.
  const { broken, next } = page;
  const told: readonly SmithEvent[] = broken === undefined ? [] : [{ type: "error", session: facts.session, time: 0, diagnostic: broken }];
  return { events: [...told, ...events], ...(next === undefined ? {} : { next }) };
}

interface Page {
  /** Oldest first. */
  readonly entries: readonly HistoryEntry[];
  /** Time of the entry behind the page; absent for the newest page. */
  readonly until?: number;
  readonly next?: EntryId;
  readonly broken?: Diagnostic;
}

async function collect(reader: SessionReader, request: BacklogRequest & { readonly leaf?: EntryId }): Promise<Page> {
  const { limit, before } = request;
  const leaf = before ?? request.leaf;
  const page: HistoryEntry[] = [];
  let behind: { readonly until?: number } = {};
  try {
    for await (const entry of reader.branch(leaf === undefined ? {} : { leaf })) {
      if (entry.id === before) behind = { until: entry.time };
      if (!isHistoryEntry(entry) || entry.id === before) continue;
      const newer = page.at(-1);
      if (page.length >= limit && newer !== undefined && startsPage(newer)) return { entries: page.reverse(), next: newer.id, ...behind };
      page.push(entry);
    }
  } catch (error) {
    if (!(error instanceof SessionStorageError)) throw error;
    return { entries: page.reverse(), broken: error.diagnostic, ...behind };
  }
  return { entries: page.reverse(), ...behind };
}

const ACTIONS: ReadonlySet<EntryType> = new Set<EntryType>(["actions"]);

/**
 * The page with what plugins did meanwhile. That lies beside the branches: it belongs to a page by the work it was part of, else by its
 * time. Where it cannot be read the page is shown without.
 */
async function withActions(reader: SessionReader, { entries, until }: Page): Promise<readonly Entry[]> {
  const [oldest] = entries;
  if (oldest === undefined) return entries;
  const works = new Set(entries.flatMap((entry) => ("work" in entry && entry.work !== undefined ? [entry.work] : [])));
  const told: Entry[] = [];
  try {
    for await (const entry of reader.scan(ACTIONS, { since: oldest.time })) {
      if (until !== undefined && entry.time >= until) break;
      if (entry.type === "actions" && (entry.work === undefined || works.has(entry.work))) told.push(entry);
    }
  } catch (error) {
    if (!(error instanceof SessionStorageError)) throw error;
  }
  return told.length === 0 ? entries : merged(entries, told);
}

/** Both are in order; of one time the history comes first, as what plugins say of it was said after it. */
function merged(entries: readonly Entry[], told: readonly Entry[]): readonly Entry[] {
  const result: Entry[] = [];
  let next = 0;
  for (const entry of told) {
    for (let one = entries[next]; one !== undefined && one.time <= entry.time; one = entries[next]) {
      result.push(one);
      next += 1;
    }
    result.push(entry);
  }
  return [...result, ...entries.slice(next)];
}

/** A page may begin at a message, not between a call and its result. */
const startsPage = (entry: HistoryEntry): boolean => entry.type === "user-message" || entry.type === "assistant";

/** A page that cannot be read, as its reason. */
export const brokenPage = (session: SessionId, diagnostic: Diagnostic): Backlog => ({
  events: [{ type: "error", session, time: 0, diagnostic }],
});
