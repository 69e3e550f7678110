/**
 * contribution: each kind of node of a manifest compiled to its data.
 * Promises: every problem is pushed to the scope with its place; what comes back after one is harmless. Must never know: how plugins
 * run. Read first: tool.ts, ../node-reader.ts.
 */
export { compileCommand } from "./command.js";
export { compileHandler } from "./handler.js";
export { compileKey } from "./key.js";
export { compileOptions } from "./option.js";
export { compilePrompt } from "./prompt.js";
export { compileProvider } from "./provider.js";
export { compileResource } from "./resource.js";
export { compileState, stateGrants } from "./state.js";
export { compileTheme } from "./theme.js";
export { compileTool } from "./tool.js";
export { compileToolSet } from "./tool-set.js";
