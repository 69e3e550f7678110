import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { err, ok, type Result } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { badPackage, installStopped, nothingThere, unknownSource } from "../diagnostics.js";
import { isMissing, readBounded, systemWords } from "../tree.js";
import type { PluginSource } from "../types.js";
import { MAX_ARCHIVE_BYTES, readArchive } from "./archive.js";
import type { PackageFiles } from "./files.js";
import { readFolder } from "./folder.js";
import { type PluginFiles, pluginOf } from "./manifest-folder.js";
import { fetchPackage, integrityOf, parsePackageName, type RegistryDeps } from "./registry.js";

export interface FetchedPlugin extends PluginFiles {
  readonly source: PluginSource;
  /** Of archives. */
  readonly integrity?: string;
}

interface Fetched {
  readonly source: PluginSource;
  readonly integrity?: string;
  readonly files: Result<PackageFiles, string>;
}

/** Reads or fetches a package into memory: the plugin's own files, checked for what no package may hold. Writes and runs nothing. */
export async function fetchPlugin(
  deps: RegistryDeps,
  spec: string,
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<Result<FetchedPlugin, Diagnostic>> {
  const fetched = spec.startsWith("npm:") ? await fromRegistry(deps, spec.slice(4), signal) : await fromDisk(resolve(cwd, spec), spec);
  if (signal.aborted) return err(installStopped(spec));
  if (!fetched.ok) return fetched;
  const { files, ...origin } = fetched.value;
  const plugin = files.ok ? pluginOf(files.value) : files;
  return plugin.ok ? ok({ ...origin, ...plugin.value }) : err(badPackage(spec, plugin.error));
}

async function fromRegistry(deps: RegistryDeps, text: string, signal: AbortSignal): Promise<Result<Fetched, Diagnostic>> {
  const asked = parsePackageName(text);
  if (!asked.ok) return asked;
  const archive = await fetchPackage(deps, asked.value, signal);
  if (!archive.ok) return archive;
  const { version, registry, integrity, bytes } = archive.value;
  return ok({ source: { type: "npm", name: asked.value.name, version, registry }, integrity, files: await readArchive(bytes) });
}

async function fromDisk(path: string, spec: string): Promise<Result<Fetched, Diagnostic>> {
  if (spec.trim() === "") return err(nothingThere(spec, path));
  try {
    const real = await realpath(path);
    const facts = await stat(real);
    if (facts.isDirectory()) return ok({ source: { type: "folder", path: real }, files: await readFolder(real) });
    if (!facts.isFile()) return err(unknownSource(spec, "It is neither a folder nor a file."));
    const bytes = await readBounded(real, MAX_ARCHIVE_BYTES);
    if (!bytes.ok) return err(badPackage(spec, bytes.error.reason));
    return ok({ source: { type: "archive", path: real }, integrity: integrityOf(bytes.value), files: await readArchive(bytes.value) });
  } catch (error) {
    return err(isMissing(error) ? nothingThere(spec, path) : unknownSource(spec, `${systemWords(error)}.`));
  }
}
