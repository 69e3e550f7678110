/**
 * plugin: hosts plugins: their contributions as a generation, their code in sandboxed workers, tools and providers as ports.
 * Promises: no plugin code on the main thread; nothing a plugin does throws here; every effect goes through the gateway, asked
 * for by the host in its own words. Must never know: names of tools or vendors. Read first: types.ts, host/host.ts, cell/cell.ts.
 */
export {
  createPluginHost,
  loadPluginIndex,
  type PluginFiles,
  pluginFiles,
  type PluginHostOptions,
  type SandboxFiles,
  type StartedPlugins,
  startPlugins,
} from "./host/index.js";
export type { Speaker } from "./invoke/index.js";
export { checkPackage, type CheckOptions, type CheckReport, type CheckStep } from "./check/index.js";
export type { Evaluator, EvaluatorOptions } from "./evaluate/index.js";
export { declaredOptions, listCommands, type ResolvedCommand, SDK_VERSION } from "./generation/index.js";
export { deniedFacilities, describeReach } from "./grants/index.js";
export {
  createPluginStore,
  createTrustStore,
  discoverPlugins,
  type DiscoveryDeps,
  type Disk,
  type Download,
  type FileLock,
  isLoopback,
  type LoadPackage,
  nodeDisk,
  type PluginStoreDeps,
  type ProjectTrust,
  resolveProjectTrust,
  type TrustStoreDeps,
} from "./store/index.js";
export { collectResources } from "./resources/index.js";
export { createEvaluator, createLifecycle, judgeCommand, loadPackage, loadWatch } from "./on-demand.js";
export type { PackageWatch } from "./package/index.js";
export { type NewPackage, type ScaffoldKind, scaffoldPackage } from "./scaffold/index.js";
export type * from "./store/types.js";
export type * from "./types.js";
