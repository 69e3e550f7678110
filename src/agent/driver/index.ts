/**
 * driver: acts on decisions: commits a change, then runs what it asks for, then feeds the facts back.
 * Promises: one turn at a time; nothing runs before its entries are durable; a refused change leaves everything as it was.
 * Must never know: policy, providers, tools, files. Read first: types.ts.
 */
export { createDriver } from "./turn-driver.js";
export {
  type AskedApproval,
  type AttemptEnd,
  denyUnattended,
  type Driver,
  type DriverEvent,
  type DriverPorts,
  type LifecyclePort,
  type PublishedActions,
  type RoundCall,
  type RoundEvent,
  type RunCommand,
} from "./types.js";
