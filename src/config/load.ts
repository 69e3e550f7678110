import { stat } from "node:fs/promises";
import { join } from "node:path";
import { err, ok, type Result } from "../base/index.js";
import type { Diagnostic, McpServerSetting, ModelSettings } from "../schema/index.js";
import { type FlagValue, type ForeignKeys, joinReadings, readEnvironment, readFlags, readPairs, type ReadingRules } from "./assign.js";
import type { DeclaredOption } from "./declared.js";
import { notUtf8, untrustedProject } from "./diagnostics.js";
import { decode, type KdlCache, loadConfigFile, readConfigBytes, readDocument } from "./file/index.js";
import { type McpFile, readMcpServers } from "./mcp/index.js";
import { readModelSettings } from "./models/index.js";
import { createOptionTable } from "./option-table.js";
import { findProjectRoot } from "./project-root.js";
import { resolve, resolveOptions } from "./resolve.js";
import type { ConfigFile, Paths, ResolvedOption, ResolvedSettings } from "./types.js";

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

/** What the sources are read against. */
export interface SettingsRules {
  /** Options of plugins, each key once. Left out: none. */
  readonly declared?: readonly DeclaredOption[];
  /** What is said of groups that nobody declared. An error when left out. */
  readonly foreign?: ForeignKeys;
}

/** What the sources hold, read once; what it means depends on the options there are. */
export interface SettingSources extends Pick<SettingsInputs, "env" | "flags" | "pairs"> {
  readonly files: readonly ConfigFile[];
  /** Files of MCP servers in the form that clients share. Left out: none. */
  readonly mcpFiles?: readonly McpFile[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The settings, and everything wrong with their sources. A source with an error still gives what is right in it, so a caller
 * that can show a warning may go on; one that cannot must stop at the first diagnostic of severity `error`.
 */
export interface LoadedSettings {
  readonly settings: ResolvedSettings;
  /** One for each declared option, in their order. */
  readonly options: readonly ResolvedOption[];
  readonly models: ModelSettings;
  readonly mcp: readonly McpServerSetting[];
  readonly diagnostics: readonly Diagnostic[];
}

export const userConfigPath = (paths: Paths): string => join(paths.config, "config.kdl");

/** Reads all sources and resolves them. Reads files, writes only the cache. */
export const loadSettings = async (inputs: SettingsInputs & SettingsRules): Promise<LoadedSettings> =>
  resolveSettings(await readSources(inputs), inputs);

/** The half of {@link loadSettings} that reads: for who must know the core's settings before it knows the plugins. */
export async function readSources(inputs: SettingsInputs): Promise<SettingSources> {
  const user = await loadConfigFile(userConfigPath(inputs.paths), "user", inputs.cache);
  const project = await loadProject(inputs);
  const found = [user, project];
  const ofServers = await readMcpFiles(inputs);
  return {
    env: inputs.env,
    flags: inputs.flags,
    pairs: inputs.pairs,
    mcpFiles: ofServers.flatMap((file) => (file.ok && file.value !== undefined ? [file.value] : [])),
    files: found.flatMap((file) => (file.ok && file.value !== undefined ? [file.value] : [])),
    diagnostics: [...found.flatMap((file) => (file.ok ? [] : file.error)), ...ofServers.flatMap((file) => (file.ok ? [] : [file.error]))],
  };
}

/** The half that resolves. Pure, and may be called again with other options. */
export function resolveSettings(sources: SettingSources, { declared = [], foreign = "error" }: SettingsRules = {}): LoadedSettings {
  const rules: ReadingRules = { table: createOptionTable(declared), foreign };
  const { assignments, options, diagnostics } = joinReadings([
    ...sources.files.map((file) => readDocument(rules, file)),
    readEnvironment(rules, sources.env),
    readPairs(rules, sources.pairs),
    readFlags(sources.flags),
  ]);
  const { models, diagnostics: ofModels } = readModelSettings(sources.files);
  const { servers, diagnostics: ofServers } = readMcpServers(sources.files, sources.mcpFiles ?? []);
  return {
    settings: resolve(assignments),
    options: resolveOptions(rules.table, options),
    models,
    mcp: servers,
    diagnostics: [...sources.diagnostics, ...diagnostics, ...ofModels, ...ofServers],
  };
}

async function loadProject(inputs: SettingsInputs): Promise<Result<ConfigFile | undefined, readonly Diagnostic[]>> {
  const root = await findProjectRoot(inputs.cwd);
  if (root === undefined) return ok(undefined);
  const path = join(root, ".smith", "config.kdl");
  if (path === userConfigPath(inputs.paths) || !(await exists(path))) return ok(undefined);
  if (inputs.trusted === true) return loadConfigFile(path, "project", inputs.cache);
  return inputs.trusted === undefined ? { ok: false, error: [untrustedProject(path)] } : ok(undefined);
}

export const userMcpPath = (paths: Pick<Paths, "config">): string => join(paths.config, "mcp.json");
export const projectMcpPath = (root: string): string => join(root, ".mcp.json");

type ReadMcpFile = Result<McpFile | undefined, Diagnostic>;

/** A person's own file, and the project's once it is trusted: what it names is started. */
async function readMcpFiles({ paths, cwd, trusted }: SettingsInputs): Promise<readonly ReadMcpFile[]> {
  const root = trusted === true ? await findProjectRoot(cwd) : undefined;
  const user = await readMcpFile(userMcpPath(paths), "user");
  return root === undefined ? [user] : [user, await readMcpFile(projectMcpPath(root), "project")];
}

async function readMcpFile(path: string, from: McpFile["from"]): Promise<ReadMcpFile> {
  const bytes = await readConfigBytes(path);
  if (!bytes.ok) return bytes;
  if (bytes.value === undefined) return ok(undefined);
  const text = decode(bytes.value);
  return text === undefined ? err(notUtf8(path)) : ok({ path, from, text });
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
