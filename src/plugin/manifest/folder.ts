import { createHash } from "node:crypto";
import { err, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { CompiledPlugin } from "../types.js";
import { compileManifest } from "./compile.js";
import { badManifestValue } from "./diagnostics.js";
import type { ReadFile } from "./node-reader.js";

/**
 * The code of a plugin. `bundle`: one ES module that imports nothing but `smith:sdk`. `tree`: modules that were hashed elsewhere. `none`:
 * of a manifest without an entry.
 */
export type PluginCode =
  | { readonly type: "bundle"; readonly source: string }
  | { readonly type: "tree"; readonly hash: string; readonly entry: string }
  | { readonly type: "none" };

export interface PluginFolder {
  readonly manifestText: string;
  /** For messages. */
  readonly manifestPath?: string;
  readonly readFile: ReadFile;
  /** Comes with the program. */
  readonly bundled?: boolean;
  readonly code: PluginCode;
  /** The id the manifest must have, where the place of the folder says it. */
  readonly id?: string;
}

/**
 * A whole plugin. The hash covers the manifest, every text it takes in and the code. A bundle's entry is `<id>.js`, relative to the
 * index; a tree's is what it says; without code it is empty.
 */
export async function compilePluginFolder(folder: PluginFolder): Promise<Result<CompiledPlugin, readonly Diagnostic[]>> {
  const { manifestText, manifestPath: path = "manifest.kdl", readFile, bundled = false, code } = folder;
  const compiled = await compileManifest(manifestText, readFile, { path, bundled });
  if (!compiled.ok) return compiled;
  const { source: _source, files, ...manifest } = compiled.value;
  if (folder.id !== undefined && folder.id !== manifest.id) {
    const place = { path, line: 1, column: 1 };
    return err([badManifestValue(place, "the plugin's id", JSON.stringify(manifest.id), JSON.stringify(folder.id))]);
  }
  const texts = [...files].sort(([left], [right]) => (left < right ? -1 : 1)).flat();
  const hash = hashOf([manifestText, ...texts, ...partsOf(code)]);
  return ok({ ...manifest, hash, entry: entryOf(manifest.id, code) });
}

function partsOf(code: PluginCode): readonly string[] {
  switch (code.type) {
    case "bundle":
      return ["bundle", code.source];
    case "tree":
      return ["tree", code.entry, code.hash];
    case "none":
      return ["none"];
  }
}

function entryOf(id: string, code: PluginCode): string {
  if (code.type === "none") return "";
  return code.type === "bundle" ? `${id}.js` : code.entry;
}

/** Each part with its length before it, so that no two lists of parts are one text. */
function hashOf(parts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}\n`).update(part);
  return hash.digest("hex");
}
