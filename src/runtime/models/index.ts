/**
 * models: what a session's requests go to: keys, catalog, routes, and which model a session is bound to.
 * Promises: routes are resolved without a network; a server is asked once for all sessions; keys are ready before they are sent.
 * Must never know: vendors, what is said. Read first: models.ts, binding.ts, keys.ts.
 */
export { bindModel, type InitialModel, type ModelBinding } from "./binding.js";
export { encodeChoice, isSameChoice, type ModelChoice, NO_CHOICE, parseChoice, runChoice, withChoice, wishOf } from "./choice.js";
export { providerGone } from "./diagnostics.js";
export { createKeys, type Keys, keyVariables, modelsDir } from "./keys.js";
export { createModelView } from "./view.js";
export { createModels, type Models, type Offering, type Wish } from "./models.js";
