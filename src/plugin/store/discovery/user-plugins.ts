import { join } from "node:path";
import { grantsHash } from "../../grants/index.js";
import { addedSince, type LoadPackage, type PackageAtHand } from "../approval.js";
import { otherId } from "../diagnostics.js";
import { isPluginId } from "../../ids.js";
import { plainWords } from "../names.js";
import { exists, foldersOf, placeOf } from "../placing.js";
import { approvalOf, own, type PluginsRecord, type StoredPlugin } from "../record/index.js";
import { folderGone, grantsWidened, notApproved, oddFolder, treeChanged } from "./diagnostics.js";
import { foldersIn } from "./folders.js";
import { broken, type Found, unusable, usable } from "./found.js";

export interface UserPluginDeps {
  readonly configDir: string;
  readonly loadPackage: LoadPackage;
}

/** Plugins of the user's folder: each is used when its files and grants are those that were approved. */
export async function findUserPlugins(deps: UserPluginDeps, record: PluginsRecord): Promise<readonly Found[]> {
  const dir = join(deps.configDir, "plugins");
  const names = await foldersIn(dir, { links: true });
  // One on its way into place for the first time is nothing yet; one that is being replaced may be beside its place.
  const moving = Object.keys(record.pending).filter((id) => foldersOf({ dir }, record, id).some(exists));
  const ids = new Set([...names, ...Object.keys(record.plugins), ...moving]);
  return await Promise.all([...ids].sort().map(async (id) => await findOne(deps, { dir, record, id })));
}

interface Place {
  readonly dir: string;
  readonly record: PluginsRecord;
  readonly id: string;
}

async function findOne({ loadPackage }: UserPluginDeps, { dir, record, id }: Place): Promise<Found> {
  if (!isPluginId(id)) return unusable({ id: plainWords(id), origin: "user", dir: join(dir, id) }, "broken", [oddFolder(id, dir)]);
  const place = foldersOf({ dir }, record, id).find(exists) ?? placeOf({ dir }, id);
  const stored = own(record.plugins, id);
  const facts = { id, origin: "user" as const, dir: place, ...originOf(stored) };
  if (!exists(place)) return unusable(facts, "broken", [folderGone(id, place)]);
  const loaded = await loadPackage(place);
  if (!loaded.ok) return broken(facts, loaded.error);
  if (loaded.value.compiled.id !== id) return broken(facts, [otherId(place, loaded.value.compiled.id)]);
  return judge(loaded.value, { record, stored, facts });
}

type Facts = Parameters<typeof usable>[1];

function judge(
  loaded: PackageAtHand,
  at: { readonly record: PluginsRecord; readonly stored: StoredPlugin | undefined; readonly facts: Facts },
): Found {
  const { compiled, treeHash } = loaded;
  const approved = approvalOf(at.record, compiled.id, treeHash);
  const facts = { ...at.facts, compiled, ...originOf(approved) };
  if (approved !== undefined && approved.grantsHash === grantsHash(compiled.grants))
    return approved.enabled ? usable(loaded, facts) : unusable(facts, "disabled");
  const before = approved ?? at.stored;
  if (before === undefined) return unusable(facts, "not-approved", [notApproved(compiled.id, loaded.dir)]);
  const added = addedSince(before, compiled);
  if (added.length === 0) return unusable(facts, "changed", [treeChanged(compiled.id)]);
  return unusable(facts, "grants-widened", [grantsWidened(compiled.id, added)]);
}

const originOf = (entry: StoredPlugin | undefined) =>
  entry === undefined ? {} : { source: entry.source, ...(entry.integrity === undefined ? {} : { integrity: entry.integrity }) };
