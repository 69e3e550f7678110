/**
 * provider: one model response from request to result: HTTP engine, SSE framing, retry, assembly; which model to use.
 * Promises: a stream that has begun never throws and ends with one terminal event; a cut body is never a whole one;
 * keys are filled in at the wire and taken out of whatever comes back. Must never know: vendors, tools, sessions.
 * Read first: types.ts, respond.ts, attempt.ts; then http/types.ts and route/resolve.ts.
 */
export type * from "./catalog/types.js";
export type * from "./route/types.js";
export type { CredentialPort, CredentialView } from "./credentials.js";
export { createCatalog } from "./catalog/catalog.js";
export { describeEntry, type FactRow } from "./catalog/describe.js";
export type { ConnectionOffer, ProviderOffer } from "./offer.js";
export { type AnsweringInput, type AnsweringPorts, findAnswering } from "./discovery/answering.js";
export { completeDispatch, type CompleteInput } from "./discovery/complete.js";
export { type ListDeps, type ListInput, listModels } from "./discovery/list.js";
export { probe, PROBE_MS, type ProbeInput, type ProbeTarget } from "./discovery/probe.js";
export { type RefreshInput, refreshModels, type RefreshOutcome, type RefreshReport, type RefreshTarget } from "./discovery/refresh.js";
export { createSnapshotStore, type SnapshotStore, type SnapshotStoreDeps } from "./discovery/snapshot-store.js";
export { providerDiagnostic, type ProviderPlace } from "./diagnostics.js";
export {
  type BodyEnd,
  createHttpEngine,
  displayUrl,
  type EnvView,
  type HttpBody,
  type HttpBounds,
  type HttpEngine,
  type HttpEngineDeps,
  type HttpFailure,
  type HttpRequest,
  type HttpResponse,
  type WireEvent,
} from "./http/index.js";
export { checkExtra, fitRequest, type Fitted } from "./route/fit.js";
export { connectionsOf, type ConnectionState } from "./route/connections.js";
export { resolveRoute } from "./route/resolve.js";
export { splitLevel } from "./route/select.js";
export { effectiveThinking, type EffectiveThinking } from "./route/thinking.js";
export { type Cooldowns, type CooldownView, createCooldowns, orderTargets } from "./cooldown.js";
export { type Asked, type Prepared, respond, type RespondDeps } from "./respond.js";
export type { AttemptState, DecoderSession, Dispatch, ProviderAdapter, ProviderEvent } from "./types.js";
