/**
 * invoke: functions of a plugin as the host calls them: tools, commands, handlers, providers.
 * Promises: what a plugin does is an end in words, never a rejection; host operations go to the gateway in the host's own words, none
 * after the end. Must never know: which cell or generation, names of tools or vendors. Read first: invocation.ts, operations.ts.
 */
export { type ActionPlan, commandName, handlerName, runCommand, runHandler } from "./action-runner.js";
export { notInGeneration, unknownOperation } from "./diagnostics.js";
export { createEmits, type EmitListeners, type Emits, type Speaker } from "./emits.js";
export { destroyAdvice, destroyWords, errorWords, readGuestError, thrownWords } from "./guest-words.js";
export { hostAnswer, readOperation } from "./operations.js";
export { createProviderAdapter, type ProviderAdapterDeps } from "./provider-adapter.js";
export { type Offered, runOffer, setName } from "./tool-set-offer.js";
export { refusedTool, runTool, type ToolPlan } from "./tool-runner.js";
