/**
 * lifecycle: what plugins are told of a session, whether what they want can be carried out, and what it makes of a tool's result.
 * Promises: pure; nothing that is accepted breaks the pairing of calls and results or takes input that does not wait.
 * Must never know: which plugins there are, how their code is run, how anything is stored. Read first: check.ts, events.ts.
 */
export { actionProblem, judged } from "./check.js";
export { actionsUnrecordable, compactionVetoed, rewriteInvalid, stoppedByPolicy } from "./diagnostics.js";
export { estimateTokens, queueDue, requestPrepared, roundSettled, toolProposed, toolSettled, turnEnded, turnStarted } from "./events.js";
export { rewriteResult } from "./results.js";
