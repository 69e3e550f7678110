import { basename, join } from "node:path";
import { describeReach } from "../../grants/index.js";
import type { PluginIndex, PluginOrigin } from "../../types.js";
import type { LoadPackage } from "../approval.js";
import { plainWords } from "../names.js";
import { readPluginsRecord } from "../record/index.js";
import type { ProjectTrust } from "../trust/index.js";
import type { Discovery } from "../types.js";
import { usedForRun } from "./diagnostics.js";
import { broken, type Found, merge, usable } from "./found.js";
import { findProjectPlugins, projectNotice } from "./project-plugins.js";
import { findUserPlugins } from "./user-plugins.js";

export interface DiscoveryDeps {
  /** Plugins of the product: the index and the folder its entries are in. */
  readonly bundled: { readonly index: PluginIndex; readonly dir: string };
  readonly configDir: string;
  readonly dataDir: string;
  /** Absent: plugins of a project are not looked for. */
  readonly project?: ProjectTrust;
  /** Folders named by `--plugin`, absolute: naming one approves it for the run. */
  readonly run: readonly string[];
  /** Ids the settings switch off; those the person disabled are known from the record. */
  readonly disabled: readonly string[];
  readonly loadPackage: LoadPackage;
}

/**
 * Every plugin there is, and of it what may be used: bundled, then the user's, the project's, the run's; of one id the last. Runs no
 * plugin code, writes nothing. What is wrong with one plugin, or with the record, leaves the others as they are.
 */
export async function discoverPlugins(deps: DiscoveryDeps): Promise<Discovery> {
  const record = await readPluginsRecord(deps.dataDir);
  const bundled = bundledPlugins(deps);
  const [user, run] = await Promise.all([
    findUserPlugins(deps, record.value),
    Promise.all(deps.run.map(async (dir) => await findRunPlugin(deps, dir))),
  ]);
  const project =
    deps.project === undefined ? [] : await findProjectPlugins({ ...deps, project: deps.project, taken: takenBy([...bundled, ...user]) });
  const found = merge([...bundled, ...user, ...project, ...run], new Set([...deps.disabled, ...record.value.disabled]));
  return {
    records: found.map((one) => one.record),
    active: found.flatMap(({ plugin, record: { inactive } }) => (plugin === undefined || inactive !== undefined ? [] : [plugin])),
    diagnostics: [
      ...record.problems,
      ...(deps.project === undefined ? [] : projectNotice(deps.project, project)),
      ...found.flatMap(({ diagnostics }) => diagnostics),
    ],
  };
}

function bundledPlugins({ bundled: { index, dir } }: DiscoveryDeps): readonly Found[] {
  return index.plugins.map((compiled) => ({
    record: { id: compiled.id, origin: "bundled", compiled, problems: [] },
    plugin: { compiled, origin: "bundled", modules: { type: "file", path: join(dir, compiled.entry) } },
    diagnostics: [],
  }));
}

/** Also one that is disabled or waits for approval keeps its id: a project must not profit from that. */
const takenBy = (found: readonly Found[]): ReadonlyMap<string, PluginOrigin> =>
  new Map(found.map(({ record: { id, origin } }) => [id, origin]));

async function findRunPlugin({ loadPackage }: DiscoveryDeps, dir: string): Promise<Found> {
  const loaded = await loadPackage(dir);
  if (!loaded.ok) {
    const found = broken({ id: plainWords(basename(dir)), origin: "run", dir }, loaded.error);
    // Somebody asked for exactly this one.
    return { ...found, diagnostics: loaded.error };
  }
  const { compiled, dir: real } = loaded.value;
  const { id } = compiled;
  return usable(loaded.value, { id, origin: "run" }, [usedForRun(id, real, describeReach(compiled))]);
}
