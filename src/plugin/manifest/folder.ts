import { createHash } from "node:crypto";
import { err, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { CompiledPlugin } from "../types.js";
import { compileManifest } from "./compile.js";
import { badManifestValue } from "./diagnostics.js";
import type { ReadFile } from "./node-reader.js";

export interface PluginFolder {
  readonly manifestText: string;
  /** For messages. */
  readonly manifestPath?: string;
  readonly readFile: ReadFile;
  /** The guest module: one ES module that imports nothing but `smith:sdk`. */
  readonly bundledSource: string;
  /** Where the guest module is written, relative to the index; `<id>.js` when left out. */
  readonly entry?: string;
  /** The id the manifest must have, where the place of the folder says it. */
  readonly id?: string;
}

/** A whole plugin for the index. The hash covers the manifest, every text it takes in and the guest module. */
export async function compilePluginFolder(folder: PluginFolder): Promise<Result<CompiledPlugin, readonly Diagnostic[]>> {
  const { manifestText, manifestPath = "manifest.kdl", readFile, bundledSource } = folder;
  const compiled = await compileManifest(manifestText, readFile, manifestPath);
  if (!compiled.ok) return compiled;
  const { source: _source, files, ...manifest } = compiled.value;
  if (folder.id !== undefined && folder.id !== manifest.id) {
    const place = { path: manifestPath, line: 1, column: 1 };
    return err([badManifestValue(place, "the plugin's id", JSON.stringify(manifest.id), JSON.stringify(folder.id))]);
  }
  const hash = createHash("sha256");
  for (const part of [manifestText, ...[...files].sort(([left], [right]) => (left < right ? -1 : 1)).flat(), bundledSource]) {
    hash.update(`${Buffer.byteLength(part)}\n`).update(part);
  }
  return ok({ ...manifest, hash: hash.digest("hex"), entry: folder.entry ?? `${manifest.id}.js` });
}
