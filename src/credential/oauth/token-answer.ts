import { err, isJsonObject, type JsonObject, ok, parseJson, type Result } from "../../base/index.js";
import type { TokenAnswer } from "../types.js";
import { faultOf, trimmed } from "../value.js";

/** Tokens of a successful answer (RFC 6749, section 5.1). */
export interface Tokens {
  readonly access: string;
  readonly refresh?: string;
  readonly lifetimeMs?: number;
}

/** Why there are none: the server's own word where it is one of the registered, or ours. Never a text of the server. */
export type TokenRefusal = { readonly type: "error"; readonly error: string } | { readonly type: "unusable"; readonly words: string };

/** Registered for token endpoints by RFC 6749 and RFC 8628. Any other word may hold anything, so none is passed on. */
const ERRORS: ReadonlySet<string> = new Set([
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
  "server_error",
  "temporarily_unavailable",
  "authorization_pending",
  "slow_down",
  "access_denied",
  "expired_token",
]);

const unusable = (words: string): Result<never, TokenRefusal> => err({ type: "unusable", words });

/** An error is told by its word whatever the status: servers differ in which they send it with. */
export function parseTokens({ status, body }: TokenAnswer): Result<Tokens, TokenRefusal> {
  const answer = parseJson(body);
  if (!isJsonObject(answer)) return unusable(`HTTP ${String(status)} without a JSON object.`);
  const { error } = answer;
  if (typeof error === "string" && ERRORS.has(error)) return err({ type: "error", error });
  if (status < 200 || status > 299 || error !== undefined) return unusable(`HTTP ${String(status)}.`);
  return tokensOf(answer);
}

function tokensOf(answer: JsonObject): Result<Tokens, TokenRefusal> {
  const access = tokenOf(answer["access_token"]);
  if (access === undefined) return unusable("its answer holds no access token that could be sent.");
  const type = answer["token_type"];
  if (typeof type === "string" && type.toLowerCase() !== "bearer") return unusable("its access token is of a kind that is not known.");
  const refresh = tokenOf(answer["refresh_token"]);
  const seconds = Number(answer["expires_in"]);
  return ok({
    access,
    ...(refresh === undefined ? {} : { refresh }),
    ...(Number.isFinite(seconds) && seconds > 0 ? { lifetimeMs: Math.min(seconds * 1000, MAX_LIFETIME_MS) } : {}),
  });
}

const MAX_LIFETIME_MS = 10 * 366 * 24 * 3_600_000;

function tokenOf(value: unknown): string | undefined {
  const text = typeof value === "string" ? trimmed(value) : undefined;
  return text === undefined || faultOf(text) !== undefined ? undefined : text;
}

/** Tokens go to https alone, or to this machine. */
export function isSafeUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return (
    protocol === "https:" ||
    (protocol === "http:" && (hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/u.test(hostname)))
  );
}
