import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { err, isJsonObject, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { SDK_VERSION } from "../generation/index.js";
import type { CompiledPlugin } from "../types.js";
import { cacheUnwritable } from "./diagnostics.js";
import type { ModuleTable, PackageDeps } from "./types.js";
import { reasonOf } from "./walk.js";

/** Raised when what is cached changes its shape or how it is made; older files are then misses. */
const FORMAT = 1;

/** Prepared packages that are kept: when there are more, the oldest go. Saving in watch mode makes one each time. */
const MAX_KEPT = 256;
const KEPT_AFTER_PRUNING = 192;

/** Who made a file of the cache. One that somebody else made is not read. */
export function stampOfMaker(deps: PackageDeps): { readonly format: number; readonly sdk: number; readonly program: string } {
  return { format: FORMAT, sdk: SDK_VERSION, program: deps.program ?? "" };
}

export function isOurs(value: unknown, deps: PackageDeps): value is { readonly [key: string]: unknown } {
  const maker = stampOfMaker(deps);
  return isJsonObject(value) && value["format"] === maker.format && value["sdk"] === maker.sdk && value["program"] === maker.program;
}

export interface CachedPackage {
  readonly compiled: CompiledPlugin;
  /** The tree file. */
  readonly path: string;
}

export const packagesFolder = (deps: PackageDeps): string => join(deps.cacheDir, "plugins");

/**
 * What was made of the tree with this hash. Every byte of it is checked against the hashes it was written with; whatever does not
 * fit is a miss.
 */
export async function loadCached(deps: PackageDeps, treeHash: string): Promise<CachedPackage | undefined> {
  const folder = join(packagesFolder(deps), treeHash);
  const path = join(folder, "modules.json");
  try {
    const [plugin, table] = await Promise.all([readFile(join(folder, "plugin.json"), "utf8"), readFile(path)]);
    const cached: unknown = JSON.parse(plugin);
    if (!isOurs(cached, deps) || cached["tree"] !== treeHash || cached["table"] !== sha256(table)) return undefined;
    const { compiled } = cached;
    if (cached["plugin"] !== sha256(JSON.stringify(compiled))) return undefined;
    // The hash on the line above is that of a compiled plugin of this format.
    return { compiled: compiled as CompiledPlugin, path };
  } catch {
    return undefined;
  }
}

/** Writes both files, the one that vouches for the other last. Writers of the same tree write the same bytes. */
export async function storePackage(
  deps: PackageDeps,
  treeHash: string,
  made: { readonly compiled: CompiledPlugin; readonly table: ModuleTable },
): Promise<Result<CachedPackage, Diagnostic>> {
  const folder = join(packagesFolder(deps), treeHash);
  const path = join(folder, "modules.json");
  try {
    const table = JSON.stringify(made.table);
    // As it will be read: fields that are undefined are not in it.
    const compiled = JSON.parse(JSON.stringify(made.compiled)) as CompiledPlugin;
    const plugin = { ...stampOfMaker(deps), tree: treeHash, table: sha256(table), plugin: sha256(JSON.stringify(compiled)), compiled };
    await replaceFile(path, table);
    await replaceFile(join(folder, "plugin.json"), JSON.stringify(plugin));
    await prune(packagesFolder(deps), treeHash);
    return ok({ compiled, path });
  } catch (error) {
    return err(cacheUnwritable(folder, reasonOf(error)));
  }
}

/** The modules of a package together with its tests. Nothing vouches for them: they are made each time. */
export async function storeTests(deps: PackageDeps, treeHash: string, table: ModuleTable): Promise<Result<string, Diagnostic>> {
  const path = join(packagesFolder(deps), treeHash, "tests.json");
  try {
    await replaceFile(path, JSON.stringify(table));
    return ok(path);
  } catch (error) {
    return err(cacheUnwritable(path, reasonOf(error)));
  }
}

/** Whole or not at all: written beside, then renamed over it. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const beside = await mkdtemp(`${path}.`);
  try {
    const fresh = join(beside, "new");
    await writeFile(fresh, text, { mode: 0o600 });
    await rename(fresh, path);
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

export const sha256 = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");

const TREE_HASH = /^[0-9a-f]{64}$/u;

async function prune(folder: string, newest: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => TREE_HASH.test(name) && name !== newest);
  if (names.length < MAX_KEPT) return;
  const dated = await Promise.all(
    names.map(async (name) => ({
      path: join(folder, name),
      at: await stat(join(folder, name)).then(
        (stats) => stats.mtimeMs,
        () => 0,
      ),
    })),
  );
  const oldest = dated.sort((left, right) => left.at - right.at).slice(0, names.length - KEPT_AFTER_PRUNING);
  await Promise.all(oldest.map(({ path }) => rm(path, { recursive: true, force: true })));
}
