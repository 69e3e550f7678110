/**
 * config: the table of options, the folders, and the merge of all sources into settings with provenance.
 * Promises: an option is declared once, every problem of every source is reported, files are only read.
 * Must never know: sessions, plugins' code, what a setting is used for. Read first: options.ts, load.ts.
 */
export { type EditInputs, setInUserConfig } from "./edit.js";
export { type FlagValue, type ForeignKeys } from "./assign.js";
export { type DeclaredOption, kindOf, variableOf } from "./declared.js";
export { createKdlCache, type KdlCache, type KdlCacheDeps, type KdlNode, type KdlValue, parseKdl } from "./file/index.js";
export {
  type LoadedSettings,
  loadSettings,
  projectMcpPath,
  readSources,
  resolveSettings,
  type SettingSources,
  type SettingsInputs,
  type SettingsRules,
  userMcpPath,
} from "./load.js";
export { addMcpServer, removeMcpServer } from "./mcp/index.js";
export { type FactProblem, readModelFacts, type ReadModel } from "./models/index.js";
export { CORE_GROUPS, isCoreVariable } from "./option-table.js";
export { type AnyOption, anyOption, GRANT_FACILITIES, OPTIONS, SETTING_NAMES, type SettingName } from "./options.js";
export type { FlagDeclaration, Option } from "./option.js";
export { type PathInputs, resolvePaths } from "./paths.js";
export { findProjectRoot } from "./project-root.js";
export { renderDefaultsKdl, renderSettingsReference } from "./reference.js";
export { type Assignment, LAYERS, resolve, valuesOf } from "./resolve.js";
export { type Layer, type Paths, type Resolved, type ResolvedOption, type ResolvedSettings, type Settings } from "./types.js";
