import type { ProviderError } from "../schema/index.js";

/** When a request is sent again. Seed of the framework, section 6.3; Retry-After is a minimum, never a cap. */
export interface RetryPolicy {
  /** Attempts in all. */
  readonly attempts: number;
  readonly baseMs: number;
  readonly jitterMs: number;
  readonly capMs: number;
  /** A server that asks for a longer wait than this ends the request. */
  readonly maxWaitMs: number;
}

export const RETRY_POLICY: RetryPolicy = { attempts: 3, baseMs: 500, jitterMs: 250, capMs: 8000, maxWaitMs: 60_000 };

export interface RetryFacts {
  readonly error: ProviderError;
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  /** Content of this response reached the caller: asking again would tell it twice. */
  readonly delivered: boolean;
  /** In [0, 1). */
  readonly random: number;
  /** ms since the epoch, to say until when a server wants to be left alone. */
  readonly now: number;
}

export type RetryDecision = { readonly type: "retry"; readonly delayMs: number } | { readonly type: "fail"; readonly error: ProviderError };

const TRANSIENT: ReadonlySet<ProviderError["class"]> = new Set(["rate-limit", "overloaded", "transport"]);

/** Pure: wait and ask again, or fail with this error. */
export function decideRetry(facts: RetryFacts, policy: RetryPolicy): RetryDecision {
  const { error, attempt } = facts;
  if (facts.delivered || !TRANSIENT.has(error.class)) return { type: "fail", error };
  const asked = error.retryAfterMs ?? 0;
  if (asked > policy.maxWaitMs) return { type: "fail", error: { ...error, message: `${error.message} ${untilWords(asked, facts.now)}` } };
  if (attempt >= policy.attempts) return { type: "fail", error };
  const backoff = Math.min(policy.baseMs * 2 ** (attempt - 1) + facts.random * policy.jitterMs, policy.capMs);
  return { type: "retry", delayMs: Math.ceil(Math.max(backoff, asked)) };
}

function untilWords(ms: number, now: number): string {
  const minutes = Math.ceil(ms / 60_000);
  const length = minutes < 120 ? `${String(minutes)} minutes` : `${String(Math.round(minutes / 60))} hours`;
  const until = new Date(now + ms);
  const when = Number.isNaN(until.getTime()) ? "" : ` (until ${until.toISOString().slice(0, 19)}Z)`;
  return `The server asks to wait ${length}${when}.`;
}

/** `retry-after-ms`, or `retry-after` in seconds or as an HTTP date, as ms from `now`. */
export function retryAfterOf(headers: { readonly [name: string]: string }, now: number): number | undefined {
  const ms = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const value = headers["retry-after"]?.trim();
  if (value === undefined || value === "") return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
