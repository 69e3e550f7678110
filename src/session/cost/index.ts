/**
 * cost: what a session has used, from its records alone. Promises: each record is counted once, whatever reads it; what is not known
 * stays so. Must never know: prices, providers, how it is shown. Read first: spent.ts, report.ts.
 */
export { type BranchCost } from "./branches.js";
export { type CostReport, CostSum, type MessageCost, type ModelCost, type TurnCost } from "./report.js";
export { noteAnswer, Owners, spentBy } from "./spent.js";
