import { join } from "node:path";
import { findProjectRoot, resolveSettings } from "../../config/index.js";
import {
  type ActivePlugin,
  collectResources,
  declaredOptions,
  discoverPlugins,
  type Discovery,
  type GenerationInput,
  type PluginIndex,
  type ProjectTrust,
} from "../../plugin/index.js";
import type { Diagnostic, NamedValues } from "../../schema/index.js";
import { sha256 } from "../digest.js";
import type { RuntimeDeps } from "../deps.js";
import { createPluginWorld } from "./world.js";

/** Everything plugins bring, as found on disk at one moment. */
export interface Found {
  readonly discovery: Discovery;
  readonly input: GenerationInput;
  /** Values of the plugins' options by plugin. */
  readonly options: ReadonlyMap<string, NamedValues>;
  readonly isTrusted: boolean;
  /** Hex digest of the project's real path. */
  readonly project: string;
  readonly diagnostics: readonly Diagnostic[];
}

export type CatalogDeps = Pick<
  RuntimeDeps,
  "clock" | "cwd" | "env" | "ids" | "paths" | "pluginDirs" | "settings" | "sources" | "trusted" | "version"
>;

/**
 * Looks for plugins, trust, resources and options. Without plugins of a user or project that costs a few looks at names; runs no code of
 * any, loads no parser unless something new is there.
 */
export async function findPlugins(deps: CatalogDeps, bundled: { readonly index: PluginIndex; readonly dir: string }): Promise<Found> {
  const { paths, settings, cwd } = deps;
  const world = createPluginWorld(deps);
  const project = await world.projectTrust(cwd, deps.trusted);
  const discovery = await discoverPlugins({
    bundled,
    configDir: paths.config,
    dataDir: paths.data,
    run: deps.pluginDirs,
    disabled: settings.disabledPlugins.value,
    loadPackage: world.loadPackage,
    ...(project === undefined ? {} : { project }),
  });
  const isTrusted = project?.state === "trusted";
  const collected = await collectResources(discovery.active, {
    configDir: paths.config,
    cwd,
    trusted: isTrusted,
    ...(project === undefined ? {} : { root: project.root }),
  });
  const options = optionsOf(deps, discovery.active);
  return {
    discovery,
    input: { plugins: discovery.active, resources: collected.resources },
    options: options.values,
    isTrusted,
    project: sha256(await rootOf(project, cwd)),
    diagnostics: [...discovery.diagnostics, ...collected.diagnostics, ...options.diagnostics],
  };
}

const rootOf = async (project: ProjectTrust | undefined, cwd: string): Promise<string> =>
  project?.root ?? (await findProjectRoot(cwd)) ?? cwd;

/** Configuration over the manifests' defaults. What is wrong with the program's own options was told before. */
function optionsOf(
  { sources }: CatalogDeps,
  plugins: readonly ActivePlugin[],
): { readonly values: ReadonlyMap<string, NamedValues>; readonly diagnostics: readonly Diagnostic[] } {
  const declared = declaredOptions(plugins);
  const read = resolveSettings(sources ?? NO_SOURCES, { declared: declared.options, foreign: "warning" });
  const before = new Set(resolveSettings(sources ?? NO_SOURCES, { foreign: "ignore" }).diagnostics.map(({ what }) => what));
  const values = new Map<string, NamedValues>();
  for (const { plugin, name, value } of read.options) {
    if (value !== undefined) values.set(plugin, { ...values.get(plugin), [name]: value });
  }
  return { values, diagnostics: [...declared.diagnostics, ...read.diagnostics.filter(({ what }) => !before.has(what))] };
}

const NO_SOURCES = { env: {}, flags: [], pairs: [], files: [], diagnostics: [] };

/** A plugin's own folder; it need not be there. */
export const pluginDataDir =
  ({ data }: RuntimeDeps["paths"]) =>
  (plugin: string): string =>
    join(data, "plugin-data", plugin);

export const valuesDir = ({ data }: RuntimeDeps["paths"]): string => join(data, "plugin-state");
