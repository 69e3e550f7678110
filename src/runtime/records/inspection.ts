import { type EntryId, err, ok, type Result } from "../../base/index.js";
import { loadBranch, project, reconstructRequest, unknownEffects } from "../../agent/index.js";
import { type Diagnostic, type Entry, type EntryType, isHistoryEntry } from "../../schema/index.js";
import { branchTargetUnknown, createSessionStore, dumpLines, type SessionReader } from "../../session/index.js";
import { sha256 } from "../digest.js";
import type { RuntimeDeps } from "../deps.js";
import { storeDeps } from "../shared.js";
import { countedSpend } from "../session/view/recorded.js";
import { costOfSession } from "./cost.js";
import { readingItems, readingResults, withReader } from "./stored.js";
import type { EntriesOptions, Inspection } from "../types.js";
import { unknownEffectOf } from "./unknown-effect.js";

/** Reading of stored sessions without plugins, providers or credentials. Takes no lock and changes nothing. */
export function createInspection(deps: Pick<RuntimeDeps, "clock" | "ids" | "randomBytes" | "version" | "process" | "paths">): Inspection {
  const store = createSessionStore(storeDeps(deps, deps.paths.sessions));
  return {
    list: (options = {}) => store.list({ detail: "summary", ...options }),
    resolve: async (name) => await store.resolve(name),
    resolveEntry: async (id, name, options = {}) =>
      await withReader(store, id, async (reader) => {
        const entry = await reader.resolveEntry(name);
        return entry.ok && options.leaf === true ? await leafOf(reader, entry.value) : entry;
      }),
    entries: (id, options = {}) => readingItems(store, id, (reader) => chosenEntries(reader, options)),
    unknownEffects: (id) =>
      readingItems(store, id, async function* (reader) {
        for (const facts of await unknownEffects(reader)) yield unknownEffectOf(facts);
      }),
    projected: async (id, branch) =>
      await withReader(store, id, async (reader) => {
        const leaf = branch ?? reader.leaf();
        if (leaf === undefined) return ok([]);
        const history = await loadBranch(reader, leaf);
        return history.ok ? ok(project(history.value)) : history;
      }),
    request: async (id, which) => await withReader(store, id, async (reader) => await reconstructRequest(reader, which, sha256)),
    cost: async (id, options = {}) => await withReader(store, id, async (reader) => await costOfSession(reader, options.signal)),
    spend: async (id) => await withReader(store, id, async (reader) => ok(await countedSpend(reader))),
    verify: (id, options = {}) => store.verify(id, options),
    dump: (id, options = {}) => readingResults(store, id, (reader) => dumpLines(reader, options)),
    async *grep(pattern, options = {}) {
      for await (const found of store.grep(pattern, options)) {
        if ("damage" in found) yield err(found.damage);
        else yield ok(found);
      }
    },
  };
}

/** An entry that is damaged is taken: the branch says what is wrong with it. */
async function leafOf(reader: SessionReader, id: EntryId): Promise<Result<EntryId, Diagnostic>> {
  const entry = await reader.get(id);
  return entry === undefined || isBranchEntry(entry) ? ok(id) : err(branchTargetUnknown(reader.id, id));
}

const isBranchEntry = (entry: Entry): boolean => isHistoryEntry(entry) || (entry.type === "unknown" && (entry.flags & HISTORY_FLAG) !== 0);

/** Of a record of a kind this version does not know: it has a place in the tree. */
const HISTORY_FLAG = 1;

function chosenEntries(reader: SessionReader, options: EntriesOptions): AsyncIterable<Entry> {
  const { branch, follow = false, types } = options;
  if (branch !== undefined) return branchEntries(reader, branch === "selected" ? reader.leaf() : branch, options);
  return types === undefined || follow ? changedEntries(reader, options) : scannedEntries(reader, types, options.signal);
}

async function* changedEntries(reader: SessionReader, { types, follow, signal }: EntriesOptions): AsyncGenerator<Entry, void, undefined> {
  const walk = { ...(follow === undefined ? {} : { follow }), ...(signal === undefined ? {} : { signal }) };
  for await (const change of reader.changes(walk)) {
    for (const entry of change.entries) if (types === undefined || types.has(entry.type)) yield entry;
  }
}

async function* scannedEntries(
  reader: SessionReader,
  types: ReadonlySet<EntryType>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Entry, void, undefined> {
  for await (const entry of reader.scan(types)) {
    if (signal?.aborted === true) return;
    yield entry;
  }
}

/**
 * A branch oldest first. It can only be followed from its leaf, so its ids are collected first (some 100 bytes for each entry
 * stay in memory), then its entries are read in the order they were written, in which no entry comes before its parent. Those of
 * changes that are damaged are read one by one.
 */
async function* branchEntries(
  reader: SessionReader,
  leaf: EntryId | undefined,
  { types, signal }: EntriesOptions,
): AsyncGenerator<Entry, void, undefined> {
  if (leaf === undefined) return;
  const wanted: EntryId[] = [];
  const lost = new Map<EntryId, Entry>();
  for await (const entry of reader.branch({ leaf })) {
    if (signal?.aborted === true) return;
    if (types !== undefined && !types.has(entry.type)) continue;
    wanted.push(entry.id);
    if (entry.type === "lost") lost.set(entry.id, entry);
  }
  yield* inOrder(reader, { wanted, lost }, signal);
}

async function* inOrder(
  reader: SessionReader,
  { wanted, lost }: { readonly wanted: EntryId[]; readonly lost: ReadonlyMap<EntryId, Entry> },
  signal: AbortSignal | undefined,
): AsyncGenerator<Entry, void, undefined> {
  const open = new Set(wanted);
  /** Up to an id, or to the end: what no change gave. */
  async function* skipped(end?: EntryId): AsyncGenerator<Entry, void, undefined> {
    for (let id = wanted.pop(); id !== undefined && id !== end; id = wanted.pop()) {
      open.delete(id);
      const entry = lost.get(id) ?? (await reader.get(id));
      if (entry !== undefined) yield entry;
    }
  }
  for await (const change of reader.changes(signal === undefined ? {} : { signal })) {
    for (const entry of change.entries) {
      if (!open.delete(entry.id)) continue;
      yield* skipped(entry.id);
      yield entry;
    }
    if (open.size === 0) return;
  }
  if (signal?.aborted !== true) yield* skipped();
}
