/**
 * runtime/session/plugins: one session's side of the plugin host: which generation a round works with, handlers and commands, what they
 * set for the run, their durable state.
 * Promises: a round has one generation; what a plugin wants is checked before and on record; effects reach this session's ledger.
 * Must never know: what any plugin does, frontends. Read first: leases.ts, lifecycle-port.ts, session-plugins.ts.
 */
export { Errands } from "./errands.js";
export { compiledIn, findResource, Leases } from "./leases.js";
export { type LifecyclePort } from "./lifecycle-port.js";
export { type PluginLinks } from "./links.js";
export { callableTools, createOverlay, type Overlay } from "./overlay.js";
export { createPluginState, type PluginState } from "./state-port.js";
export { type CommandEnd, createSessionPlugins, type SessionPlugins } from "./session-plugins.js";
