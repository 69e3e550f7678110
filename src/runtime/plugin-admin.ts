/** A second door, for looking after plugins: what runs sessions, with its providers and effects, is not loaded. */
import { resolve } from "node:path";
import type { EntryId } from "../base/index.js";
import {
  checkPackage,
  type CompiledPlugin,
  createPluginStore,
  discoverPlugins,
  type Discovery,
  loadPluginIndex,
  nodeDisk,
  pluginFiles,
  type PluginRecord,
  scaffoldPackage,
  SDK_VERSION,
} from "../plugin/index.js";
import { createLocker } from "../session/index.js";
import { createDownloader } from "./plugin-admin/download.js";
import { createPluginWorld, type PluginWorld } from "./plugins/world.js";
import type { PluginAdmin } from "./plugin-admin/types.js";
import type { RuntimeDeps } from "./deps.js";

export { declaredOptions, describeReach } from "../plugin/index.js";

export type PluginAdminDeps = Pick<
  RuntimeDeps,
  "clock" | "cwd" | "env" | "ids" | "installDir" | "paths" | "pluginDirs" | "settings" | "trusted" | "version"
>;

/** What was said about projects, for who has no settings yet: a project's own count only when it is trusted. */
export const openTrustStore = (deps: Pick<RuntimeDeps, "clock" | "ids" | "paths" | "version">): PluginAdmin["trust"] =>
  createPluginWorld(deps).trust;

/** Nothing is read or written before it is asked for. Runs plugin code in `check` alone. */
export function createPluginAdmin(deps: PluginAdminDeps): PluginAdmin {
  const { clock, cwd, env, paths } = deps;
  const world = createPluginWorld(deps, async () => soundOf(await discover(), ({ origin }) => origin !== "project"));
  const downloader = createDownloader(deps);
  const discover = async () => await discoverAll(deps, world);
  const others = async () => soundOf(await discover());
  const store = createPluginStore({
    configDir: paths.config,
    dataDir: paths.data,
    loadPackage: world.loadPackage,
    clock,
    env,
    lock: createLocker(),
    disk: nodeDisk,
    randomId: () => deps.ids.next<EntryId>(),
    download: downloader.download,
    knownIds: async () => (await discover()).records.map(({ id }) => id),
    others,
  });
  return {
    discover,
    plan: async (spec, options) => await store.plan(spec, options),
    remove: async (id) => await store.remove(id),
    setEnabled: async (id, enabled) => await store.setEnabled(id, enabled),
    approval: async (id) => await store.approval(id),
    approve: async (id) => await store.approve(id),
    trust: world.trust,
    check: async (dir, { signal, report }) => {
      const { workerUrl, wasmPath, imagePath } = pluginFiles(deps.installDir);
      const files = { workerUrl, wasmPath, imagePath };
      return await checkPackage(resolve(cwd, dir), { ...files, cacheDir: paths.cache, clock, signal, report, others: await others() });
    },
    create: async (dir, { id, kind }) => await scaffoldPackage(resolve(cwd, dir), { id, kind, version: deps.version }),
    close: async () => {
      downloader.close();
      await Promise.resolve();
    },
  };
}

const soundOf = ({ records }: Discovery, isMeant: (record: PluginRecord) => boolean = () => true): readonly CompiledPlugin[] =>
  records.flatMap((record) => (isMeant(record) && record.compiled !== undefined ? [record.compiled] : []));

async function discoverAll(deps: PluginAdminDeps, world: PluginWorld): Promise<Discovery> {
  const { dir } = pluginFiles(deps.installDir);
  const index = await loadPluginIndex(dir);
  const project = await world.projectTrust(deps.cwd, deps.trusted);
  const found = await discoverPlugins({
    bundled: { index: index.ok ? index.value : { sdk: SDK_VERSION, plugins: [] }, dir },
    configDir: deps.paths.config,
    dataDir: deps.paths.data,
    run: deps.pluginDirs,
    disabled: deps.settings.disabledPlugins.value,
    loadPackage: world.loadPackage,
    ...(project === undefined ? {} : { project }),
  });
  return index.ok ? found : { ...found, diagnostics: [index.error, ...found.diagnostics] };
}
