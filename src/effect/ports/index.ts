/**
 * effect/ports: operations whose work is done elsewhere in the program: questions, state, evaluation, collected resources.
 * Promises: grants and bounds are checked here, answers are of the kind that was asked for, and an abort is felt at once.
 * Must never know: who answers. Read first: ui.ts, state.ts.
 */
export { createAgentFacility, createToolsFacility } from "./agents.js";
export { createEvaluateFacility } from "./evaluate.js";
export { createMcpFacilities } from "./mcp.js";
export { createResourceFacility } from "./resource.js";
export { createStateFacilities } from "./state.js";
export { createUiFacilities } from "./ui.js";
