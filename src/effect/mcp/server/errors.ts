import { isJsonObject } from "../../../base/index.js";
import type { Diagnostic, MutationState } from "../../../schema/index.js";
import {
  answerLost,
  callTimedOut,
  callUnclear,
  operationStopped,
  serverBusy,
  serverFailed,
  serverRefused,
  signInNeeded,
  tokenRefused,
} from "../failures.js";
import { ANSWER_LOST, SignInWanted } from "../transport/refusals.js";

/** What is known of a request that failed. */
export interface Failed {
  readonly outcome: MutationState;
  readonly diagnostic: Diagnostic;
  /** The connection is not good for another request. */
  readonly isLost: boolean;
}

export interface FailedRequest {
  readonly server: string;
  readonly operation: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Whether the connection is at its end, and why. */
  readonly end: string | undefined;
  /** A token of the setting is sent: no sign-in helps. */
  readonly hasToken: boolean;
  readonly conceal: (text: string) => string;
}

/** A request was given up because nothing was heard of it. */
export class TimedOut extends Error {
  override readonly name = "TimedOut";
}

/** Words of the protocol's own code. */
const NOT_AGREED = "Server's protocol version is not supported";
/** JSON-RPC 2.0, section 5.1: the server did not take the request. */
const NOT_TAKEN: ReadonlySet<unknown> = new Set([-32_700, -32_600, -32_601, -32_602]);
/** Nothing was sent where a connection was never made. */
const UNSENT: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", "ENETUNREACH", "EAI_AGAIN", "ECANCELED"]);
const MAX_WORDS = 1_000;

/** What became of a request, from what it was rejected with. */
export function failureOf(error: unknown, request: FailedRequest): Failed {
  const { server, operation, timeoutMs, signal, conceal } = request;
  const why = wordsOf(error, conceal);
  const name = error instanceof Error ? error.name : "";
  if (name === "NotSent") return { outcome: "not-applied", diagnostic: serverFailed(server, why), isLost: true };
  if (signal.aborted) return { outcome: "unknown", diagnostic: operationStopped(server, operation), isLost: false };
  if (name === "TimedOut") return { outcome: "unknown", diagnostic: callTimedOut(server, operation, timeoutMs), isLost: false };
  if (isWallError(name))
    return { outcome: "not-applied", diagnostic: wallOf(request, why), isLost: !(error instanceof SignInWanted && error.isMore) };
  if (isAnswer(error)) return answered(error, request, why);
  const lost = isLostAnswer(error) ? why : request.end;
  if (lost !== undefined) return { outcome: "unknown", diagnostic: answerLost(server, operation, lost), isLost: request.end !== undefined };
  const status = statusOf(error);
  if (status !== undefined) return refused(status, error, request, why);
  if (UNSENT.has(causeOf(error))) return { outcome: "not-applied", diagnostic: serverFailed(server, why), isLost: true };
  return { outcome: "unknown", diagnostic: answerLost(server, operation, why), isLost: true };
}

const isWallError = (name: string): boolean => name === "UnauthorizedError" || name === "SignInWanted";

/** What the protocol's own code says where the connection ends before the answer. */
const CLOSED = { code: -32_000, words: "MCP error -32000: Connection closed" } as const;

/** The server answered, with an error: whatever has become of it since, that counts. */
const isAnswer = (error: unknown): boolean =>
  error instanceof Error &&
  error.name === "McpError" &&
  !isLostAnswer(error) &&
  !(memberOf(error, "code") === CLOSED.code && error.message === CLOSED.words);

/** Its stream broke; the connection may still serve others. */
const isLostAnswer = (error: unknown): boolean => error instanceof Error && "data" in error && error.data === ANSWER_LOST;

/** The server's own error, by its code. */
function answered(error: unknown, { server, operation }: FailedRequest, why: string): Failed {
  return NOT_TAKEN.has(memberOf(error, "code"))
    ? { outcome: "not-applied", diagnostic: serverRefused(server, operation, why), isLost: false }
    : { outcome: "unknown", diagnostic: callUnclear(server, operation, why), isLost: false };
}

/** Why a server could not be connected. */
export function connectFailure(error: unknown, request: Omit<FailedRequest, "operation">): Diagnostic {
  const { server, timeoutMs, signal, conceal, end } = request;
  if (signal.aborted) return operationStopped(server, "Connecting");
  const name = error instanceof Error ? error.name : "";
  const why = wordsOf(error, conceal);
  if (isWallError(name) || statusOf(error) === 401) return wallOf(request, why);
  if (name === "TimedOut") return serverFailed(server, `It did not answer within ${timeoutMs / 1_000} s of its start.`);
  // One that could not be agreed with is ended for that.
  return serverFailed(server, isAnswer(error) || why.startsWith(NOT_AGREED) ? why : (end ?? why));
}

/** A status of HTTP: a 404 says that the session is over, any other of the fours that nothing was done. */
function refused(status: number, error: unknown, { server, operation, ...request }: FailedRequest, why: string): Failed {
  if (status === 401) return { outcome: "not-applied", diagnostic: wallOf({ server, ...request }, why), isLost: true };
  const delayMs = memberOf(error, "retryAfterMs");
  const isBusy = status === 429 || status === 503;
  const outcome = status < 500 || isBusy ? "not-applied" : "unknown";
  if (isBusy)
    return { outcome, diagnostic: serverBusy(server, operation, why, typeof delayMs === "number" ? delayMs : undefined), isLost: false };
  const diagnostic = outcome === "unknown" ? callUnclear(server, operation, why) : serverRefused(server, operation, why);
  return { outcome, diagnostic, isLost: status === 404 };
}

/** Only a person can change it. */
export const isWall = ({ code }: Diagnostic): boolean => code === "mcp.sign-in-needed" || code === "mcp.token-refused";

const wallOf = ({ server, hasToken }: Pick<FailedRequest, "server" | "hasToken">, why: string): Diagnostic =>
  hasToken ? tokenRefused(server) : signInNeeded(server, why);

function memberOf(error: unknown, member: "code" | "status" | "retryAfterMs"): unknown {
  return isJsonObject(error) || error instanceof Error ? (error as { readonly [member]?: unknown })[member] : undefined;
}

/** Of HTTP, where it was refused with one. */
function statusOf(error: unknown): number | undefined {
  const status = memberOf(error, "status") ?? memberOf(error, "code");
  return typeof status === "number" && status >= 300 && status < 600 ? status : undefined;
}

function causeOf(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause ? cause.code : undefined;
}

/** The words of an error and of what caused it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error.cause instanceof Error)) return error.message;
  return error.message === "fetch failed" ? `It cannot be reached: ${error.cause.message}` : `${error.message}: ${error.cause.message}`;
}

const wordsOf = (error: unknown, conceal: (text: string) => string): string =>
  conceal(reasonOf(error).replace(/^MCP error -?\d+: /u, "")).slice(0, MAX_WORDS);
