import { addSpend, type EntryType, NO_SPEND, type Spend } from "../../../schema/index.js";
import { Owners, type SessionReader } from "../../../session/index.js";
import type { SessionStatus } from "../../types.js";
import { contextOf, moneyOf } from "./status-board.js";

/** Entries before the leaf that are looked at for the newest answer: the messages of one turn, mostly. */
const MAX_BACK = 64;

/**
 * What a file says for the status without its history being read: its name, what all processes used so far, and the context size as of
 * the newest answer. What its newest checkpoint does not sum up is counted by who has the time ({@link countedSpend}).
 */
export async function recordedStatus(
  reader: SessionReader,
): Promise<Pick<SessionStatus, "name" | "usage" | "contextTokens" | "cost" | "unpriced">> {
  const { name, usage, spend = NO_SPEND } = await reader.live();
  return {
    ...(name === undefined ? {} : { name }),
    ...(usage === undefined ? {} : { usage }),
    ...moneyOf(spend),
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

const SPENDING: ReadonlySet<EntryType> = new Set(["assistant", "tool-result", "compaction", "work"]);

/** What the own records of a session used. Reads all of those that say so where its newest checkpoint is from before they were summed up. */
export async function countedSpend(reader: SessionReader): Promise<Spend> {
  const { spend } = await reader.live();
  if (spend !== undefined) return spend;
  const owners = new Owners();
  let sum = NO_SPEND;
  for await (const entry of reader.scan(SPENDING)) {
    const spent = entry.inherited === true ? undefined : owners.take(entry);
    if (spent !== undefined) sum = addSpend(sum, spent.spend);
  }
  return sum;
}
