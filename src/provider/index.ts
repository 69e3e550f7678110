/**
 * provider: one model response from request to result: HTTP engine, SSE framing, retry, assembly; which model to use.
 * Promises: a stream that has begun never throws and ends with one terminal event; a cut body is never a whole one;
 * keys are filled in at the wire and taken out of whatever comes back. Must never know: vendors, tools, sessions.
 * Read first: types.ts, respond.ts, attempt.ts; then http/types.ts and route/resolve.ts.
 */
export { createCatalog, describeEntry, type FactRow } from "./catalog/index.js";
export type { Catalog, CatalogInput, Claim, ModelEntry, ModelSnapshot, ServerList } from "./catalog/index.js";
export {
  type AnsweringInput,
  type AnsweringPorts,
  completeDispatch,
  type CompleteInput,
  createSnapshotStore,
  findAnswering,
  type ListDeps,
  type ListInput,
  listModels,
  type RefreshInput,
  refreshModels,
  type RefreshOutcome,
  type RefreshReport,
  type RefreshTarget,
  type SnapshotStore,
  type SnapshotStoreDeps,
} from "./discovery/index.js";
export {
  checkExtra,
  connectionsOf,
  type ConnectionState,
  effectiveThinking,
  type EffectiveThinking,
  fitRequest,
  type Fitted,
  isLastResort,
  matchesName,
  resolveRoute,
  type Route,
  type RouteInput,
  splitLevel,
} from "./route/index.js";
export type { CredentialPort, CredentialView } from "./credentials.js";
export type { ConnectionOffer, ProviderOffer } from "./offer.js";
export { providerDiagnostic, type ProviderPlace } from "./diagnostics.js";
export {
  type BodyEnd,
  createHttpEngine,
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
export { type Cooldowns, type CooldownView, createCooldowns, orderTargets } from "./cooldown.js";
export { type Asked, type Prepared, respond, type RespondDeps } from "./respond.js";
export type { AttemptState, DecoderSession, Dispatch, ProviderAdapter, ProviderEvent } from "./types.js";
