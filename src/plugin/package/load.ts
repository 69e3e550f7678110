import { realpathSync, statSync } from "node:fs";
import { err, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { type CachedPackage, loadCached, storePackage, storeTests } from "./cache.js";
import { compilePackage } from "./compile.js";
import { type PackageContent, readPackage } from "./content.js";
import { noManifest, noPackage } from "./diagnostics.js";
import { hashBySignature, loadSignature, storeSignature } from "./signature.js";
import { buildTable } from "./table.js";
import type { Loaded, LoadedPackage, PackageDeps, PackageTests } from "./types.js";
import { type PackageTree, reasonOf, walkPackage } from "./walk.js";

const MANIFEST = "manifest.kdl";

/**
 * A folder with a manifest and its modules as something that can run, without running any of it. What was prepared before is taken
 * from the cache by the hash of the tree, and the tree is only read where its stamps do not prove that it is the one that was
 * hashed; then neither the parser of modules nor that of manifests is loaded.
 */
export async function loadPackage(dir: string, deps: PackageDeps): Loaded<LoadedPackage> {
  const found = findTree(dir);
  if (!found.ok) return found;
  const tree = found.value;
  const known = hashBySignature(tree, await loadSignature(deps, tree.root));
  const warm = known === undefined ? undefined : await loadCached(deps, known);
  if (known !== undefined && warm !== undefined) return ok(loadedOf(tree.root, known, warm));
  const content = await readPackage(tree);
  if (!content.ok) return content;
  const prepared = await prepare(content.value, deps);
  if (!prepared.ok) return prepared;
  await storeSignature(deps, tree.root, content.value);
  return ok(loadedOf(tree.root, content.value.treeHash, prepared.value));
}

async function prepare(content: PackageContent, deps: PackageDeps): Loaded<CachedPackage> {
  const cached = await loadCached(deps, content.treeHash);
  if (cached !== undefined) return ok(cached);
  const compiled = await compilePackage(content, MANIFEST);
  if (!compiled.ok) return compiled;
  const table = await buildTable(content, compiled.value.entry);
  if (!table.ok) return table;
  const stored = await storePackage(deps, content.treeHash, { compiled: compiled.value, table: table.value });
  return stored.ok ? stored : err([stored.error]);
}

const loadedOf = (dir: string, treeHash: string, { compiled, path }: CachedPackage): LoadedPackage => ({
  compiled,
  modules: compiled.entry === "" ? { type: "none" } : { type: "tree", path, entry: compiled.entry },
  treeHash,
  dir,
});

const TEST = /^test\/(?:.*\/)?[^/]*\.test\.m?[jt]s$/u;

/** As {@link loadPackage}, with the modules of the tests and what they import. Always read and made anew. */
export async function packageTests(dir: string, deps: PackageDeps): Loaded<PackageTests> {
  const found = findTree(dir);
  if (!found.ok) return found;
  const content = await readPackage(found.value);
  if (!content.ok) return content;
  const { root, files, treeHash } = content.value;
  const compiled = await compilePackage(content.value, MANIFEST);
  if (!compiled.ok) return compiled;
  const tests = [...files.keys()].filter((name) => TEST.test(name)).sort();
  const table = await buildTable(content.value, compiled.value.entry, tests);
  if (!table.ok) return table;
  const path = await storeTests(deps, treeHash, table.value);
  if (!path.ok) return err([path.error]);
  const { entry } = compiled.value;
  return ok({
    compiled: compiled.value,
    table: table.value,
    modules: { type: "tree", path: path.value, entry },
    tests,
    treeHash,
    dir: root,
  });
}

function findTree(dir: string): Result<PackageTree, readonly Diagnostic[]> {
  let root: string;
  try {
    root = realpathSync(dir);
    if (!statSync(root).isDirectory()) return err([noPackage(dir, "It is not a folder.")]);
  } catch (error) {
    return err([noPackage(dir, reasonOf(error))]);
  }
  const tree = walkPackage(root);
  if (tree.problems.length > 0) return err(tree.problems);
  return tree.files.some(({ name }) => name === MANIFEST) ? ok(tree) : err([noManifest(root)]);
}
