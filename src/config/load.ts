import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Diagnostic } from "../schema/index.js";
import { type FlagValue, joinReadings, readEnvironment, readFlags, readPairs, type Reading } from "./assign.js";
import { loadConfigFile } from "./config-file.js";
import { untrustedProject } from "./diagnostics.js";
import type { KdlCache } from "./kdl-cache.js";
import { resolve } from "./resolve.js";
import type { Paths, ResolvedSettings } from "./types.js";

export interface SettingsInputs {
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  readonly paths: Paths;
  readonly cache: KdlCache;
  readonly flags: readonly FlagValue[];
  /** Values of `--config key=value`, in order. A flag of its own name wins over them. */
  readonly pairs: readonly string[];
  /** Project configuration counts only when true. Undefined is "nobody said": not trusted, with a notice. */
  readonly trusted: boolean | undefined;
}

/**
 * The settings, and everything wrong with their sources. A source with an error still gives what is right in it, so a caller
 * that can show a warning may go on; one that cannot must stop at the first diagnostic of severity `error`.
 */
export interface LoadedSettings {
  readonly settings: ResolvedSettings;
  readonly diagnostics: readonly Diagnostic[];
}

const userConfigPath = (paths: Paths): string => join(paths.config, "config.kdl");

/** Reads all sources and resolves them. Reads files, writes only the cache. */
export async function loadSettings(inputs: SettingsInputs): Promise<LoadedSettings> {
  const user = await loadConfigFile(userConfigPath(inputs.paths), "user", inputs.cache);
  const project = await loadProject(inputs);
  const { assignments, diagnostics } = joinReadings([
    user,
    project,
    readEnvironment(inputs.env),
    readPairs(inputs.pairs),
    readFlags(inputs.flags),
  ]);
  return { settings: resolve(assignments), diagnostics };
}

async function loadProject(inputs: SettingsInputs): Promise<Reading> {
  const path = await findProjectConfig(inputs.cwd);
  if (path === undefined || path === userConfigPath(inputs.paths)) return { assignments: [], diagnostics: [] };
  if (inputs.trusted === true) return loadConfigFile(path, "project", inputs.cache);
  return { assignments: [], diagnostics: inputs.trusted === undefined ? [untrustedProject(path)] : [] };
}

/**
 * `.smith/config.kdl` of `cwd`, else of the nearest folder above it up to the root of the repository (the folder with `.git`).
 * Outside a repository only `cwd` counts.
 */
async function findProjectConfig(cwd: string): Promise<string | undefined> {
  let nearest: string | undefined;
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, ".smith", "config.kdl");
    if (nearest === undefined && (await exists(path))) {
      if (folder === cwd) return path;
      nearest = path;
    }
    if (await exists(join(folder, ".git"))) return nearest;
    if (dirname(folder) === folder) return undefined;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    // A path that is there but cannot be looked at (a loop of links, no permission) is reported when it is read.
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return code !== "ENOENT" && code !== "ENOTDIR";
  }
}
