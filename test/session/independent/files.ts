import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock, EntryId, IdSource, SessionId, WorkId } from "../../../src/base/index.js";
import type { Entry, EntryType } from "../../../src/schema/index.js";
import type { SessionStore } from "../../../src/session/index.js";
import { createSessionStore } from "../../../src/session/index.js";
import { everyEntry, newestEntries, pluginEntries, pricedEntries, seqIds, user } from "../support/entries.js";
import { seededRandom } from "../support/images.js";
import { created, depsFor, openedWriter } from "../support/store.js";

export const ID = "0190a0a0-0000-7000-8000-0000000000bb" as SessionId;
const START = 1_700_000_001_000;

/** A store whose clock stands still and whose ids and generations are the same in every run. */
export function fixedStore(dir: string, seed = 7): SessionStore {
  const clock: Clock = { now: () => START, monotonic: () => 0, sleep: () => Promise.resolve() };
  return createSessionStore(depsFor(dir, { clock, ids: seqIds(START), random: (into) => void into.fill(seed) }));
}

/** The types that `everyEntry` does not have. */
function stateEntries(ids: IdSource, root: EntryId): readonly Entry[] {
  const time = START;
  const id = (): EntryId => ids.next<EntryId>();
  return [
    { type: "context-edit", id: id(), parent: root, time, target: root, operation: "restore" },
    {
      type: "branch-state",
      id: id(),
      parent: root,
      time,
      owner: "core",
      key: "mode",
      version: 1,
      fork: "copy",
      operation: "put",
      value: { a: [-0, 2 ** 53 - 1, 1e300] },
    },
    { type: "state", id: id(), time, owner: "plugin.x", key: "k", version: 5_000_000_000, fork: "fresh", operation: "put", value: "v" },
    {
      type: "state",
      id: id(),
      time,
      owner: "plugin.x",
      key: "k",
      version: 2,
      fork: "fresh",
      operation: "delete",
      work: ids.next<WorkId>(),
    },
    { type: "leaf", id: id(), time, from: root },
    { type: "leaf", id: id(), time, from: root, to: root },
    { type: "origin", id: id(), time, how: "import", session: ids.next<SessionId>(), epoch: 3, seq: 99 },
    { type: "origin", id: id(), time, how: "fork", session: ids.next<SessionId>(), epoch: 0, seq: 1, entry: root },
  ];
}

/** At least one entry of every type a writer can write, every optional field present somewhere. */
export function allEntries(ids: IdSource): readonly Entry[] {
  const common = everyEntry(ids);
  const root = common[0]?.id;
  if (root === undefined) throw new Error("no entries");
  const had = new Set<EntryType>(common.map((entry) => entry.type));
  const states = stateEntries(ids, root).filter((entry) => entry.type === "context-edit" || !had.has(entry.type));
  return [...common, ...states, ...newestEntries(ids), ...pluginEntries(ids), ...pricedEntries(ids)];
}

/** Text that LZ4 packs well, of about that many characters, with every plane of Unicode in it. */
export const packable = (characters: number): string => "lorem ipsum ä 漢 🜚 𝄞 \u{10fffd} ".repeat(Math.ceil(characters / 28));

/** Text that does not pack. */
export function noise(bytes: number, seed: number): string {
  const random = seededRandom(seed);
  return Array.from({ length: bytes }, () => String.fromCharCode(33 + Math.floor(random() * 90))).join("");
}

/** Writes through the real store, closing and reopening between the parts, and gives the bytes of the file. */
export async function written(parts: readonly (readonly (readonly Entry[])[])[]): Promise<Buffer> {
  const dir = await mkdtemp(join(tmpdir(), "smith-independent-"));
  try {
    const store = fixedStore(dir);
    let writer = await created(store, ID);
    for (const [index, part] of parts.entries()) {
      if (index > 0) writer = await openedWriter(store, ID);
      for (const entries of part) await writer.commit({ entries, leaf: leafOf(entries) }).durable;
      await writer.close();
    }
    return await readFile(writer.path);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const leafOf = (entries: readonly Entry[]): EntryId | null => entries.findLast((entry) => entry.type === "user-message")?.id ?? null;

/** Commits of one to three messages each, of sizes from nothing to several blocks; some chunked, some packed. */
export function messages(ids: IdSource, count: number, seed: number): readonly (readonly Entry[])[] {
  const random = seededRandom(seed);
  let parent: EntryId | undefined;
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
      const size = Math.floor(random() ** 6 * 150_000);
      const entry = user(ids, random() < 0.5 ? packable(size) : noise(size, Math.floor(random() * 1000)), parent);
      parent = entry.id;
      return entry;
    }),
  );
}
