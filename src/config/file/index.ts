/**
 * config/file: configuration files: their text as KDL nodes, kept by content, and the settings nodes name.
 * Promises: files are only read, bounded; every problem has its place; a warm start loads no parser. Must never know: which options
 * there are, what a setting is used for. Read first: kdl.ts, document.ts, config-file.ts.
 */
export { decode, loadConfigFile, readConfigBytes } from "./config-file.js";
export { editKdl } from "./edit-kdl.js";
export { readDocument } from "./document.js";
export { createKdlCache, type KdlCache, type KdlCacheDeps } from "./kdl-cache.js";
export { parseKdl } from "./kdl.js";
export type { KdlNode, KdlValue } from "./node.js";
