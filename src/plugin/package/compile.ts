import { join, posix } from "node:path";
import { err, ok } from "../../base/index.js";
import type { CompiledPlugin } from "../types.js";
import { type PackageContent, textOf } from "./content.js";
import type { Loaded } from "./types.js";

/** The package's manifest as data. The texts it takes in are files of the package as they were read. Loads the manifest compiler. */
export async function compilePackage(content: PackageContent, manifest: string): Loaded<CompiledPlugin> {
  const text = textOf(content, manifest);
  if (!text.ok) return err([text.error]);
  const { compileManifest } = await import("../manifest/index.js");
  const compiled = await compileManifest(text.value ?? "", (name) => fileText(content, name), { path: join(content.root, manifest) });
  if (!compiled.ok) return compiled;
  const { source, files: _files, ...plugin } = compiled.value;
  return ok({ ...plugin, hash: content.treeHash, entry: source === "" ? "" : posix.normalize(source) });
}

function fileText(content: PackageContent, name: string): string | undefined {
  const text = textOf(content, posix.normalize(name));
  return text.ok ? text.value : undefined;
}
