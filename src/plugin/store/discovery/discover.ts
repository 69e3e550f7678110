import { join } from "node:path";
import type { Diagnostic } from "../../../schema/index.js";
import type { PluginIndex, PluginOrigin } from "../../types.js";
import type { LoadPackage } from "../approval.js";
import { type PluginsRecord, readPluginsRecord } from "../record/index.js";
import type { ProjectTrust } from "../trust/index.js";
import type { Discovery } from "../types.js";
import { foldersIn } from "./folders.js";
import { type Found, merge } from "./found.js";

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
  const others = (await hasOthers(deps, record.value)) ? await findOthers(deps, record.value, bundled) : NO_OTHERS;
  const found = merge([...bundled, ...others.found], new Set([...deps.disabled, ...record.value.disabled]));
  return {
    records: found.map((one) => one.record),
    active: found.flatMap(({ plugin, record: { inactive } }) => (plugin === undefined || inactive !== undefined ? [] : [plugin])),
    diagnostics: [...record.problems, ...others.notices, ...found.flatMap(({ diagnostics }) => diagnostics)],
  };
}

function bundledPlugins({ bundled: { index, dir } }: DiscoveryDeps): readonly Found[] {
  return index.plugins.map((compiled) => ({
    record: { id: compiled.id, origin: "bundled", compiled, problems: [] },
    plugin: {
      compiled,
      origin: "bundled",
      modules: compiled.entry === "" ? { type: "none" } : { type: "file", path: join(dir, compiled.entry) },
    },
    diagnostics: [],
  }));
}

/** Plugins that are none of the product. */
interface Others {
  readonly found: readonly Found[];
  readonly notices: readonly Diagnostic[];
}

const NO_OTHERS: Others = { found: [], notices: [] };

/** Whether there may be any. For most people there are none, and nothing is loaded for them. */
async function hasOthers({ configDir, project, run }: DiscoveryDeps, { plugins, pending }: PluginsRecord): Promise<boolean> {
  if (run.length > 0 || Object.keys(plugins).length > 0 || Object.keys(pending).length > 0) return true;
  if (project !== undefined && project.state !== "nothing-to-trust") return true;
  return (await foldersIn(join(configDir, "plugins"), { links: true })).length > 0;
}

async function findOthers(deps: DiscoveryDeps, record: PluginsRecord, bundled: readonly Found[]): Promise<Others> {
  const [{ findUserPlugins }, { findProjectPlugins, projectNotice }, { findRunPlugin }] = await Promise.all([
    import("./user-plugins.js"),
    import("./project-plugins.js"),
    import("./run-plugin.js"),
  ]);
  const [user, run] = await Promise.all([
    findUserPlugins(deps, record),
    Promise.all(deps.run.map(async (dir) => await findRunPlugin(deps, dir))),
  ]);
  const { project } = deps;
  if (project === undefined) return { found: [...user, ...run], notices: [] };
  const ofProject = await findProjectPlugins({ ...deps, project, taken: takenBy([...bundled, ...user]) });
  return { found: [...user, ...ofProject, ...run], notices: projectNotice(project, ofProject) };
}

/** Also one that is disabled or waits for approval keeps its id: a project must not profit from that. */
const takenBy = (found: readonly Found[]): ReadonlyMap<string, PluginOrigin> =>
  new Map(found.map(({ record: { id, origin } }) => [id, origin]));
