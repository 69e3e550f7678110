import { lstatSync, type Stats } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Disk } from "./disk.js";
import {
  type LockedRecord,
  own,
  type PendingPlugin,
  type PluginsRecord,
  type StoredPlugin,
  without,
  withoutAside,
} from "./record/index.js";
import { isMissing } from "./tree.js";

/** The folder of user plugins, and what changes it. */
export interface OwnedRoot {
  readonly dir: string;
  readonly disk: Disk;
  readonly randomId: () => string;
}

const INCOMING = ".incoming-";
const OUTGOING = ".outgoing-";
const LEFTOVER_MS = 3_600_000;

export const incomingName = (root: OwnedRoot): string => `${INCOMING}${root.randomId()}`;

/** Folder of an installed plugin. The id was checked: it names a folder in the root and nothing else. */
export const placeOf = (root: Pick<OwnedRoot, "dir">, id: string): string => join(root.dir, id);

/**
 * Moves an unpacked package into place and records it. The order is what makes it whole or not at all, wherever the process ends:
 * the entry that is to be is on record before any folder moves, so that the old tree and the new one are both approved ones; the
 * record becomes the new entry last. What an ended process left is put in order by {@link settle}.
 * Gives the folder of the former version, which nobody needs any more.
 */
export async function putInPlace(
  root: OwnedRoot,
  record: LockedRecord<PluginsRecord>,
  { incoming, entry }: { readonly incoming: string; readonly entry: StoredPlugin },
): Promise<string | undefined> {
  const before = await settle(root, record);
  const place = placeOf(root, entry.id);
  const aside = exists(place) ? `${OUTGOING}${root.randomId()}` : undefined;
  const pending: PendingPlugin = { ...entry, ...(aside === undefined ? {} : { aside }) };
  await record.write({ ...before, pending: { ...before.pending, [entry.id]: pending } });
  const former = aside === undefined ? undefined : join(root.dir, aside);
  try {
    if (former !== undefined) await root.disk.rename(place, former);
    await root.disk.rename(incoming, place);
    await record.write({
      ...before,
      plugins: { ...before.plugins, [entry.id]: entry },
      disabled: before.disabled.filter((id) => id !== entry.id),
    });
    return former;
  } catch (error) {
    if (!exists(incoming) && exists(place)) await root.disk.rename(place, incoming);
    if (former !== undefined && exists(former)) await root.disk.rename(former, place);
    await record.write(before);
    throw error;
  }
}

/** Finishes or takes back what processes that ended left half done. Gives the record as it is then; it holds nothing pending. */
export async function settle(root: OwnedRoot, record: LockedRecord<PluginsRecord>): Promise<PluginsRecord> {
  let settled = record.value;
  for (const pending of Object.values(record.value.pending)) {
    if (await isNewInPlace(root, pending)) settled = { ...settled, plugins: { ...settled.plugins, [pending.id]: withoutAside(pending) } };
    settled = { ...settled, pending: without(settled.pending, pending.id) };
  }
  if (settled !== record.value) await record.write(settled);
  return settled;
}

async function isNewInPlace(root: OwnedRoot, { id, aside }: PendingPlugin): Promise<boolean> {
  const place = placeOf(root, id);
  const former = aside === undefined ? undefined : join(root.dir, aside);
  if (former === undefined) return exists(place);
  if (!exists(former)) return false;
  if (exists(place)) return true;
  await root.disk.rename(former, place);
  return false;
}

/** Takes a plugin out of use, then out of its place. Gives the folder that is left to be removed. */
export async function takeAway(root: OwnedRoot, record: LockedRecord<PluginsRecord>, id: string): Promise<string | undefined> {
  const before = await settle(root, record);
  if (own(before.plugins, id) !== undefined) await record.write({ ...before, plugins: without(before.plugins, id) });
  const place = placeOf(root, id);
  if (!exists(place)) return undefined;
  const former = join(root.dir, `${OUTGOING}${root.randomId()}`);
  await root.disk.rename(place, former);
  return former;
}

/** Where the approved tree of a plugin is now: in its place, or beside it while, or since, a replacement was interrupted. */
export function foldersOf(root: Pick<OwnedRoot, "dir">, record: PluginsRecord, id: string): readonly string[] {
  const aside = own(record.pending, id)?.aside;
  return [placeOf(root, id), ...(aside === undefined ? [] : [join(root.dir, aside)])];
}

/** Removes what ended processes unpacked and never installed. What cannot be removed stays for another time. */
export async function removeLeftovers(root: OwnedRoot, record: PluginsRecord, now: number): Promise<void> {
  const needed = new Set(Object.values(record.pending).map(({ aside }) => aside));
  for (const name of await namesIn(root.dir)) {
    if (!(name.startsWith(INCOMING) || name.startsWith(OUTGOING)) || needed.has(name)) continue;
    const facts = look(join(root.dir, name));
    if (facts === undefined || now - Math.max(facts.mtimeMs, facts.ctimeMs) < LEFTOVER_MS) continue;
    await root.disk.removeTree(join(root.dir, name)).catch(() => undefined);
  }
}

async function namesIn(dir: string): Promise<readonly string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

export const exists = (path: string): boolean => look(path) !== undefined;

/** Without following a link. */
function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
