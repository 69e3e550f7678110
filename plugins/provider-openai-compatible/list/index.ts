/**
 * list: which models a server has, and what it says of them.
 * Promises: pure; a fact is only what the server states, in the core's units (tokens, US dollars for a million of them).
 * Must never know: catalogs, what a person configured. Read first: models.ts, then facts.ts.
 */
export { listPlans, listedModels } from "./models.js";
