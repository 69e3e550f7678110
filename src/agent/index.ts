/**
 * agent: the policy (pure decide), its driver, the projection of a branch into messages, recovery after a crash, requests
 * rebuilt from records. Promises: decisions are a function of recorded inputs; nothing runs before its entries are durable;
 * pairing is always whole. Must never know: any provider, tool or frontend by name. Read first: state.ts, decide/, driver.ts.
 */
export { MISSING_RESULT, project } from "./context/index.js";
export { decide, reconcileEffect } from "./decide/index.js";
export {
  type AskedApproval,
  type AttemptEnd,
  createDriver,
  denyUnattended,
  type Driver,
  type DriverEvent,
  type DriverPorts,
  type LifecyclePort,
  type PublishedActions,
  type RoundCall,
  type RoundEvent,
  type RunCommand,
} from "./driver/index.js";
export {
  type Available,
  type ContextEditRequest,
  type EffectFacts,
  type EffectWord,
  nothingRecovered,
  type OpenWork,
  type QueuedItem,
  type Recovered,
} from "./facts.js";
export { rewriteInvalid, rewriteResult, toolProposed, toolSettled } from "./lifecycle/index.js";
export { blockedBy, findEffect, loadBranch, loadState, recover, reportable, settleInterrupted, unknownEffects } from "./recovery/index.js";
export {
  findRequest,
  type NumberedRequest,
  prepareRound,
  reconstructRequest,
  type ReconstructedRequest,
  type RoundFacts,
  type Sha256,
} from "./request/index.js";
export {
  type AgentInput,
  type AgentRequest,
  type AgentState,
  type Decision,
  emptyState,
  type RoundEnd,
  type StopCause,
  type TurnEnd,
} from "./state.js";
