import { isJsonObject } from "../../../base/index.js";
import type { Diagnostic, MutationState } from "../../../schema/index.js";
import { answerLost, callTimedOut, operationStopped, serverFailed, serverRefused, signInNeeded } from "../failures.js";

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
}

/** JSON-RPC 2.0, section 5.1, and the codes the SDK gives to its own failures. */
const CODES = { closed: -32_000, timeout: -32_001, parse: -32_700, request: -32_600, method: -32_601, params: -32_602 } as const;
/** Nothing was sent where a connection was never made. */
const UNSENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", "ENETUNREACH", "EAI_AGAIN", "ECANCELED"]);

/** What became of a request, from what it was rejected with. */
export function failureOf(error: unknown, { server, operation, timeoutMs, signal }: FailedRequest): Failed {
  if (signal.aborted) return { outcome: "unknown", diagnostic: operationStopped(server, operation), isLost: false };
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (name === "NotSent") return { outcome: "not-applied", diagnostic: serverFailed(server, message), isLost: true };
  if (name === "UnauthorizedError") return { outcome: "not-applied", diagnostic: signInNeeded(server), isLost: true };
  const code = codeOf(error);
  if (code === CODES.timeout) return { outcome: "unknown", diagnostic: callTimedOut(server, operation, timeoutMs), isLost: false };
  if (code === CODES.closed) return { outcome: "unknown", diagnostic: answerLost(server, operation, message), isLost: true };
  if (code === CODES.method || code === CODES.params || code === CODES.request || code === CODES.parse)
    return { outcome: "not-applied", diagnostic: serverRefused(server, operation, message), isLost: false };
  // A status of HTTP: 401 and 403 want a sign-in, 404 says that the session is over, the others that nothing was done.
  if (code !== undefined && code >= 400 && code < 500)
    return code === 401
      ? { outcome: "not-applied", diagnostic: signInNeeded(server), isLost: true }
      : { outcome: "not-applied", diagnostic: serverRefused(server, operation, message), isLost: code === 404 };
  if (isUnsent(error)) return { outcome: "not-applied", diagnostic: serverFailed(server, reasonOf(error)), isLost: true };
  if (name === "McpError") return { outcome: "unknown", diagnostic: serverRefused(server, operation, message), isLost: false };
  return { outcome: "unknown", diagnostic: answerLost(server, operation, reasonOf(error)), isLost: true };
}

const codeOf = (error: unknown): number | undefined => {
  const code = isJsonObject(error) || error instanceof Error ? (error as { readonly code?: unknown }).code : undefined;
  return typeof code === "number" ? code : undefined;
};

function isUnsent(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return typeof code === "string" && UNSENT.has(code);
}

/** The words of an error and of what caused it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
