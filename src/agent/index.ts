/**
 * agent: the policy (pure decide), its driver, the projection of a branch into messages, recovery after a crash.
 * Promises: decisions are a function of recorded inputs; nothing runs before its entries are durable; pairing is always whole.
 * Must never know: any provider, tool or frontend by name. Read first: state.ts, decide.ts, driver.ts.
 */
export { decide } from "./decide.js";
export { createDriver, denyUnattended, type Driver, type DriverEvent, type DriverPorts, type RoundCall } from "./driver.js";
export { MISSING_RESULT, project } from "./projection.js";
export { loadState, recover, type Recovered, reportable, settleInterrupted } from "./recovery.js";
export { prepareRound, type RoundFacts } from "./round.js";
export {
  type AgentInput,
  type AgentRequest,
  type AgentState,
  type Decision,
  emptyState,
  type QueuedItem,
  type RoundEnd,
  type StopCause,
  type TurnEnd,
} from "./state.js";
