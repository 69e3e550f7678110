import { setImmediate } from "node:timers/promises";
import { addSpend, type EntryType, NO_SPEND, type Spend } from "../../../schema/index.js";
import { type LiveState, Owners, type SessionReader } from "../../../session/index.js";
import type { SessionStatus } from "../../types.js";
import { contextOf, usedOf } from "./status-board.js";

/** Entries before the leaf that are looked at for the newest answer: the messages of one turn, mostly. */
const MAX_BACK = 64;

/**
 * What a file says for the status without its history being read: its name, what all processes used so far, and the context size as of
 * the newest answer. What its newest checkpoint does not sum up is counted by who has the time ({@link createCatchUp}).
 */
export async function recordedStatus(
  reader: SessionReader,
  live?: LiveState,
): Promise<Pick<SessionStatus, "name" | "usage" | "contextTokens" | "cost" | "unpriced">> {
  const { name, usage, spend = NO_SPEND } = live ?? (await reader.live());
  return {
    ...(name === undefined ? {} : { name }),
    ...usedOf(spend),
    ...(usage === undefined ? {} : await newestContext(reader)),
  };
}

async function newestContext(reader: SessionReader): Promise<Pick<SessionStatus, "contextTokens">> {
  if (reader.leaf() === undefined) return {};
  let looked = 0;
  for await (const entry of reader.branch()) {
    // After a compaction the next request is of another size.
    if (entry.type === "compaction") return {};
    if (entry.type === "assistant" && entry.usage?.inputTokens !== undefined) return contextOf(entry.usage);
    looked += 1;
    if (looked === MAX_BACK) return {};
  }
  return {};
}

/** Where counting goes on behind what a file says. */
export interface Counting {
  readonly owners: Owners;
  /** Newest change before those that are still to be counted as they come. */
  readonly seq: number;
  /** Whether what the file says sums up all changes until then; else somebody has to. */
  readonly isCounted: boolean;
}

/** Of a session that begins. */
export const countingAnew = (): Counting => ({ owners: new Owners(), seq: 0, isCounted: true });

export const countingFrom = (live: LiveState): Counting => ({
  owners: new Owners(live),
  seq: live.seq,
  isCounted: live.spend !== undefined,
});

const SPENDING: ReadonlySet<EntryType> = new Set(["assistant", "tool-result", "compaction", "work"]);

/** Entries after which others get their turn. */
const SLICE = 256;

/** What the own records of a session used. Reads all of those that say so where its newest checkpoint is from before they were summed up. */
export async function countedSpend(reader: SessionReader): Promise<Spend> {
  const { spend, seq } = await reader.live();
  return spend ?? (await sumOf(reader, { until: seq })) ?? NO_SPEND;
}

/**
 * The same of all records up to a change, one at a time, giving way to whatever else there is to do. Undefined once `signal` aborts.
 */
export async function sumOf(
  reader: Pick<SessionReader, "scan">,
  { until, signal }: { readonly until: number; readonly signal?: AbortSignal },
): Promise<Spend | undefined> {
  const owners = new Owners();
  let sum = NO_SPEND;
  let read = 0;
  for await (const entry of reader.scan(SPENDING, { until })) {
    const spent = entry.inherited === true ? undefined : owners.take(entry);
    if (spent !== undefined) sum = addSpend(sum, spent.spend);
    read += 1;
    if (read % SLICE === 0) await setImmediate();
    if (signal?.aborted === true) return undefined;
  }
  return sum;
}
