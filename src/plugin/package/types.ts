import type { Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { CompiledPlugin, ModuleLocation } from "../types.js";

/**
 * What the tree file (`modules.json`) holds: every module the entry reaches, as JavaScript with the author's lines. Names are paths
 * in the package, with `/`. Any key can be a word such as `constructor`: look up own properties only.
 */
export interface ModuleTable {
  /** Empty: the package has no code, and there is no module but those of its tests. */
  readonly entry: string;
  readonly modules: Readonly<Record<string, string>>;
  /** `imports[module][specifier]` is the name of a module. The SDK is not in it: the engine knows its two specifiers. */
  readonly imports: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface PackageDeps {
  /** The cache folder; files go into `plugins` below it. */
  readonly cacheDir: string;
  /** Version of the program: what another version compiled is compiled again. */
  readonly program?: string;
}

/** A folder of a user's plugin, ready to run. */
export interface LoadedPackage {
  readonly compiled: CompiledPlugin;
  /** A file of the cache that holds a {@link ModuleTable}. */
  readonly modules: ModuleLocation;
  /** SHA-256 over every file of the package, hex. */
  readonly treeHash: string;
  /** Real path of the folder. */
  readonly dir: string;
}

/** The package with the modules of its tests. */
export interface PackageTests {
  readonly compiled: CompiledPlugin;
  readonly table: ModuleTable;
  /** `table` as a file. */
  readonly modules: Extract<ModuleLocation, { type: "tree" }>;
  /** Names of the test modules, sorted. */
  readonly tests: readonly string[];
  readonly treeHash: string;
  readonly dir: string;
}

export type Loaded<T> = Promise<Result<T, readonly Diagnostic[]>>;
