/**
 * provider/http: the one HTTP client of the process: bounds, proxies, kept connections, keys filled in at the wire.
 * Promises: one outcome for each body; nothing is delivered after an abort; no secret in a message or in what is told of the wire.
 * Must never know: what is asked, of whom, and whether to ask again. Read first: types.ts, engine.ts, headers.ts.
 */
export { createHttpEngine, type HttpEngineDeps } from "./engine.js";
export {} from "./secrets.js";
export type { BodyEnd, EnvView, HttpBody, HttpBounds, HttpEngine, HttpFailure, HttpRequest, HttpResponse, WireEvent } from "./types.js";
