/**
 * package: a folder of a user's plugin, read within bounds and turned into one file of modules the sandbox can run.
 * Promises: runs nothing of it; what is hashed is what runs; every problem with file, line and column; an unchanged folder loads
 * no parser. Must never know: who wrote it, whether it is trusted, sandboxes. Read first: types.ts, load.ts, walk.ts.
 */
export { loadPackage, packageTests } from "./load.js";
export type { LoadedPackage, ModuleTable, PackageDeps, PackageTests } from "./types.js";
export { type PackageWatch, watchPackage } from "./watch.js";
