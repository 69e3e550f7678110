/**
 * generation: the contributions of the plugins in use as one coherent, frozen set.
 * Promises: pure and deterministic, each name once, every clash said with both plugins; linear in what there is. Must never know:
 * how plugins are found or run, sessions. Read first: resolve.ts.
 */
export { listCommands, type ResolvedCommand } from "./commands.js";
export { declaredOptions } from "./options.js";
export { resolveGeneration, type ResolvedGeneration } from "./resolve.js";
export { isSupportedSdk, SDK_VERSION } from "./version.js";
