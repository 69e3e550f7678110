/**
 * tool: registry of definitions, validation of arguments, dispatch of one call, bounds of results.
 * Promises: nothing runs before name, arguments and permission are checked; every refusal is a result for the model.
 * Must never know: any tool's name, plugins, sessions. Read first: dispatch.ts.
 */
export { type ArgumentValidator } from "./arguments.js";
export {
  type Approval,
  createDispatcher,
  type Dispatcher,
  type DispatchOutcome,
  type DispatchRequest,
  type ProposedCall,
} from "./dispatch.js";
export { type Asked } from "./permission.js";
export { createRegistry, type ToolRegistry } from "./registry.js";
export { type BoundedOutput, boundResult } from "./result.js";
export { summarizeArguments, summarizeData, summarizeResult } from "./summary.js";
export type { ToolInvocation, ToolRunner, ToolSettlement } from "./types.js";
