/**
 * provider: one model response from request to result: HTTP engine, SSE framing, retry, assembly; which model to use.
 * Promises: a stream that has begun never throws and ends with one terminal event; a cut body is never a whole one;
 * keys are filled in at the wire and taken out of whatever comes back. Must never know: vendors, tools, sessions.
 * Read first: types.ts, respond.ts, attempt.ts; then http/types.ts and resolve.ts.
 */
export { assemble, assembled, type Assembly, EMPTY_ASSEMBLY, parseArguments, partial } from "./stream/assemble.js";
export type { Asked } from "./attempt.js";
export type { ConnectionOffer, ProviderOffer } from "./model/contribution.js";
export { providerDiagnostic, type ProviderPlace } from "./diagnostics.js";
export { type DiscoverInput, discoverModel, listModels } from "./model/discover.js";
export { createHttpEngine, HTTP_BOUNDS, type HttpEngineDeps } from "./http/engine.js";
export { displayUrl } from "./http/secrets.js";
export type { BodyEnd, EnvView, HttpBody, HttpBounds, HttpEngine, HttpFailure, HttpRequest, HttpResponse } from "./http/types.js";
export { createMerger, type EventMerger, type MergePath } from "./stream/merge.js";
export { type Dispatch, type ResolveInput, resolveModel } from "./model/resolve.js";
export { respond, type RespondDeps } from "./respond.js";
export { RETRY_POLICY, type RetryPolicy } from "./retry.js";
export { createSseFramer, type SseFramer } from "./stream/sse.js";
export type { AttemptState, DecoderSession, ProviderAdapter, ProviderEvent } from "./types.js";
