/**
 * plugins: plugins in the words of the interface: what they bring, what is known of each, what a person may do about it.
 * Promises: texts of plugins are sanitized here. Must never know: keys, the store, Ink. Read first: types.ts, rows.ts.
 */
export { projectLines, projectWords } from "./project.js";
export { approvalLines, pluginRows, removalLines } from "./rows.js";
export type {
  AdminPort,
  CommandInfo,
  Contributions,
  KeyInfo,
  PageLine,
  PluginApproval,
  PluginDeed,
  PluginDiscovery,
  PluginRow,
  PluginRuntime,
  ProjectBehaviour,
  ProjectState,
  ThemeInfo,
} from "./types.js";
