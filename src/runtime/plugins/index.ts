/**
 * runtime/plugins: the plugins of one runtime: found on disk, read again, their options, and what a frontend sees of them.
 * Promises: runs no plugin code; without plugins of a user or project a few looks at names; a broken package changes nothing in use.
 * Must never know: sessions, any plugin by name. Read first: catalog.ts, live-plugins.ts.
 */
export { findPlugins, type Found, pluginDataDir, valuesDir } from "./catalog.js";
export { createLivePlugins, type LivePlugins, secretNames } from "./live-plugins.js";
export { composePrompt, type PromptFacts } from "./prompt.js";
export { promptOf } from "./prompt-text.js";
export { createRunConfig, type RunConfig } from "./run-config.js";
