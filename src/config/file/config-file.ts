import { readFile, stat } from "node:fs/promises";
import { err, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { ConfigFile } from "../types.js";
import { notAFile, notUtf8, tooLarge, unreadable } from "../diagnostics.js";
import { parseKdl } from "./kdl.js";
import type { KdlCache } from "./kdl-cache.js";
import type { Layer } from "../types.js";

/** A configuration file of a person has a few kilobytes. */
const MAX_CONFIG_BYTES = 1_048_576;

/** Reads one file. One that is not there is undefined and no problem; the file is never written. */
export async function loadConfigFile(
  path: string,
  layer: Layer,
  cache: KdlCache,
): Promise<Result<ConfigFile | undefined, readonly Diagnostic[]>> {
  const bytes = await readConfigBytes(path);
  if (!bytes.ok) return err([bytes.error]);
  if (bytes.value === undefined) return ok(undefined);
  const cached = await cache.load(path, bytes.value);
  if (cached !== undefined) return ok({ path, layer, nodes: cached });
  const text = decode(bytes.value);
  if (text === undefined) return err([notUtf8(path)]);
  const parsed = await parseKdl(path, text);
  if (!parsed.ok) return parsed;
  await cache.store(path, bytes.value, parsed.value);
  return ok({ path, layer, nodes: parsed.value });
}

/** What is in a file of a person; undefined when there is none. A folder, a device or a pipe is refused without being opened. */
export async function readConfigBytes(path: string): Promise<Result<Uint8Array | undefined, Diagnostic>> {
  try {
    const facts = await stat(path);
    if (!facts.isFile()) return err(notAFile(path, facts.isDirectory() ? "a folder" : "a special file"));
    if (facts.size > MAX_CONFIG_BYTES) return err(tooLarge(path, facts.size, MAX_CONFIG_BYTES));
    return ok(await readFile(path));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return ok(undefined);
    return err(unreadable(path, error instanceof Error ? `The system says: ${error.message}.` : String(error)));
  }
}

/** UTF-8 without its byte order mark. */
export function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
