import type { ProviderError } from "../schema/index.js";
import { timeWords } from "./cooldown.js";

/** When a request is sent again. Seed of the framework, section 6.3; Retry-After is a minimum, never a cap. */
export interface RetryPolicy {
  /** Attempts at one target. */
  readonly attempts: number;
  /** Attempts of one response in all, wherever they go. */
  readonly totalAttempts: number;
  readonly baseMs: number;
  readonly jitterMs: number;
  readonly capMs: number;
  /** A server that asks for a longer wait than this is not waited for. */
  readonly maxWaitMs: number;
  /** How long an account is left alone after a rate limit that does not say it. */
  readonly coolMs: number;
}

export const RETRY_POLICY: RetryPolicy = {
  attempts: 3,
  totalAttempts: 12,
  baseMs: 500,
  jitterMs: 250,
  capMs: 8000,
  maxWaitMs: 60_000,
  coolMs: 60_000,
};

/** The wait after the `attempt`-th attempt (from 1): what the policy says, never less than what the server asked for. */
export function waitAfter(attempt: number, error: ProviderError, random: number, policy: RetryPolicy): number {
  const backoff = Math.min(policy.baseMs * 2 ** (attempt - 1) + random * policy.jitterMs, policy.capMs);
  return Math.ceil(Math.max(backoff, error.retryAfterMs ?? 0));
}

/** How long a server wants to be left alone, and until when. */
export function waitWords(ms: number, now: number): string {
  return `The server asks to wait ${lengthWords(ms)} (until ${timeWords(now + ms)}).`;
}

function lengthWords(ms: number): string {
  if (ms < 120_000) return `${String(Math.ceil(ms / 1000))} seconds`;
  const minutes = Math.ceil(ms / 60_000);
  return minutes < 120 ? `${String(minutes)} minutes` : `${String(Math.round(minutes / 60))} hours`;
}

/**
 * `retry-after-ms`, or `retry-after` in seconds or as an HTTP date, in ms. A date counts from the answer's own `date`, so that the two
 * clocks need not agree; from `now` where there is none.
 */
export function retryAfterOf(headers: { readonly [name: string]: string }, now: number): number | undefined {
  const exact = headers["retry-after-ms"]?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(exact)) return Math.ceil(Number(exact));
  const value = headers["retry-after"]?.trim();
  if (value === undefined || value === "") return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  const date = Date.parse(value);
  const sent = Date.parse(headers["date"] ?? "");
  return Number.isNaN(date) ? undefined : Math.max(0, date - (Number.isNaN(sent) ? now : sent));
}
