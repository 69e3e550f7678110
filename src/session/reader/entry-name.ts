import type { EntryId, Result } from "../../base/index.js";
import { err, ok } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { entryAmbiguous, entryUnknown } from "./diagnostics.js";
import { LogicalFile, SCATTERED } from "../log/index.js";
import { locate } from "./locate.js";
import type { Source } from "./source.js";
import { walkFrom } from "./traverse.js";

const SHORTEST = 4;
const DIGITS = 32;
/** Matches after which a name is ambiguous enough. */
const MAX_TOLD = 5;

/** The one entry whose id this is or ends with. Case and hyphens do not matter. Reads tables only. */
export async function resolveEntryName(source: Source, name: string): Promise<Result<EntryId, Diagnostic>> {
  const digits = name.toLowerCase().replaceAll("-", "");
  if (digits.length < SHORTEST || digits.length > DIGITS || !/^[0-9a-f]+$/u.test(digits)) return err(entryUnknown(source.id, name));
  if (digits.length === DIGITS) return wholeId(source, name, digits);
  const matches = await endingWith(source, digits);
  const [first] = matches;
  if (first === undefined) return err(entryUnknown(source.id, name));
  return matches.length === 1 ? ok(first) : err(entryAmbiguous(source.id, name, matches));
}

async function wholeId(source: Source, name: string, digits: string): Promise<Result<EntryId, Diagnostic>> {
  // 32 hex digits, grouped as every id is.
  const id = [8, 12, 16, 20, DIGITS].map((end, group, ends) => digits.slice(ends[group - 1] ?? 0, end)).join("-") as EntryId;
  const file = new LogicalFile(source.file, source.seed, SCATTERED);
  const found = /[1-9a-f]/u.test(digits) ? await locate(source, file, await source.refresh(), id) : undefined;
  return found === undefined ? err(entryUnknown(source.id, name)) : ok(id);
}

async function endingWith(source: Source, digits: string): Promise<readonly EntryId[]> {
  const tail = await source.refresh();
  const walk = await walkFrom(source, tail, undefined);
  const matches = new Set<EntryId>();
  for (;;) {
    const table = walk.peek() ?? (await walk.next());
    if (table === undefined || matches.size >= MAX_TOLD) return [...matches];
    for (let index = 0; index < table.records; index += 1) {
      if (table.idEndsWith(index, digits)) matches.add(table.record(index).id);
    }
  }
}
