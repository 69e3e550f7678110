/**
 * base: results, invariants, ids, clock, JSON, bounded text, bounded time, which proxy leads to a URL, what is
 * taken out of headers, JSON and URLs before anybody reads them.
 * Promises: pure, no smith nouns, no I/O. Must never know: anything above it. Read first: result.ts.
 */
export { orAborted } from "./abort.js";
export { closest } from "./closest.js";
export { type Clock } from "./clock.js";
export { createDeadline, type Deadline } from "./deadline.js";
export {
  type AnyId,
  type CallId,
  createIdSource,
  type EffectId,
  type EntryId,
  type IdSource,
  type InvocationId,
  isUuid,
  type RequestId,
  type SessionId,
  shortId,
  type SubmissionId,
  type WorkId,
} from "./ids.js";
export { invariant, InvariantError, unreachable } from "./invariant.js";
export { isJsonObject, type JsonObject, type JsonValue, jsonProblem, parseJson } from "./json.js";
export { fitsPattern } from "./pattern.js";
export { bareHost, isLoopback, type Route, routeFor } from "./proxy.js";
export { isSecretHeader, redactHeaders, redactJsonText, redactJsonValue, redactUrl, secretsInUrl } from "./redaction.js";
export { err, ok, type Result } from "./result.js";
export { type BoundedText, clipUtf8, cutMiddle, plural, utf8Length } from "./text.js";
