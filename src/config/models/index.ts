/**
 * models: what configuration says of models and of the servers that have them: aliases, groups, connections, facts.
 * Promises: every problem with its place; a project never says where anything is sent. Must never know: what is chosen in the end.
 * Read first: settings.ts.
 */
export { type FactProblem, readModelFacts, type ReadModel } from "./facts.js";
export { isModelNode, readModelSettings } from "./settings.js";
