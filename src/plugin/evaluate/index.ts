/**
 * evaluate: JavaScript in a fresh sandbox: JSON in, JSON out.
 * Promises: no operation, no state between runs, bounds of time and memory; what goes wrong is a diagnostic with the source's lines.
 * Must never know: plugins, sessions. Read first: evaluator.ts.
 */
export { createEvaluator, type Evaluator, type EvaluatorOptions } from "./evaluator.js";
