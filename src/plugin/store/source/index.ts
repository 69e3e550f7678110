/**
 * store/source: a package from a folder, an archive or the registry, as files in memory.
 * Promises: bounded before it is read, whole or refused, every name stays below its folder; nothing is written or run.
 * Must never know: what a manifest says, what is installed. Read first: fetch.ts, files.ts, tar.ts.
 */
export { type FetchedPlugin, fetchPlugin } from "./fetch.js";
export type { PackageFiles } from "./files.js";
export type { Download, RegistryDeps } from "./registry.js";
