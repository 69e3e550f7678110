/**
 * model: the nouns of models: which one, what it can do and costs, what it has used, what a person configured.
 * Promises: data and arithmetic only. Must never know: vendors, how anything is sent. Read first: facts.ts, usage.ts.
 */
export * from "./facts.js";
export * from "./ref.js";
export * from "./settings.js";
export * from "./spend.js";
export * from "./usage.js";
