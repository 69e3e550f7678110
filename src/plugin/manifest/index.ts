/**
 * manifest: a plugin's KDL manifest compiled to plain JSON for the index, at build and install time.
 * Promises: every problem with file, line, column and the nearest known word; runs no plugin code. Must never know: sandboxes,
 * sessions. Never loaded on the way to a prompt. Read first: compile.ts, docs/reference/plugin-manifest.md.
 */
export { type CompiledManifest, compileManifest, type ManifestOptions } from "./compile.js";
export { compilePluginFolder, type PluginCode, type PluginFolder } from "./folder.js";
export { type ReadFile } from "./node-reader.js";
