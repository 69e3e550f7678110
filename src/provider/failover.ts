import type { ProviderError } from "../schema/index.js";
import { type CooldownView, nameOf, timeWords } from "./cooldown.js";
import { type RetryPolicy, waitAfter, waitWords } from "./retry.js";
import type { Dispatch } from "./types.js";

/** One response between two attempts: what failed, and what has been done about it so far. */
export interface Situation {
  readonly targets: readonly Dispatch[];
  /** Which of them failed. */
  readonly at: number;
  /** The one that failed as it was asked: its model and facts are known, also where the target's were not. */
  readonly asked: Dispatch;
  readonly error: ProviderError;
  /** Attempts made at each target; missing: none. */
  readonly tries: ReadonlyMap<number, number>;
  /** Targets that could not be prepared; they are not asked again. */
  readonly givenUp: ReadonlySet<number>;
  /** Content of this response reached the caller: asking again would tell it twice. */
  readonly delivered: boolean;
  /** A key was refused, and there is another one under its name now. */
  readonly hasOtherKey: boolean;
  /** In [0, 1). */
  readonly random: number;
  /** ms since the epoch. */
  readonly now: number;
  readonly cooldowns: CooldownView;
}

export type Decision =
  | { readonly type: "retry"; readonly delayMs: number }
  | { readonly type: "failover"; readonly to: number; readonly until?: number }
  | { readonly type: "fail"; readonly error: ProviderError };

type ErrorClass = ProviderError["class"];

/** What each class of error allows. Seed of the framework, section 6.3; specification, "Failover". */
const ALLOWED: { readonly [Class in ErrorClass]: { readonly retry: boolean; readonly failover: boolean } } = {
  "rate-limit": { retry: true, failover: true },
  overloaded: { retry: true, failover: true },
  transport: { retry: true, failover: true },
  quota: { retry: false, failover: true },
  auth: { retry: false, failover: true },
  "not-found": { retry: false, failover: true },
  "context-overflow": { retry: false, failover: true },
  invalid: { retry: false, failover: false },
  "content-filter": { retry: false, failover: false },
  plugin: { retry: false, failover: false },
  protocol: { retry: false, failover: false },
};

/** Whether an error says that its whole account is to be left alone, not only this request. */
export const coolsAccount = (error: ProviderError): boolean => error.class === "rate-limit" || error.class === "quota";

/** Pure: ask again after a wait, ask another target, or fail with this error. */
export function decide(situation: Situation, policy: RetryPolicy): Decision {
  const { error, delivered } = situation;
  if (delivered || !mayFailOver(situation) || attemptsOf(situation) >= policy.totalAttempts) return { type: "fail", error };
  const failover = failoverOf(situation, policy);
  // Another account answers at once; waiting for this one is what is left when there is none.
  if (error.class === "rate-limit" && failover !== undefined) return failover;
  if (mayRetry(situation, policy)) return { type: "retry", delayMs: delayOf(situation, policy) };
  return failover ?? { type: "fail", error: { ...error, message: lastWords(situation) } };
}

/** What keeps one target from being asked, whatever its class, does not keep the others. */
const mayFailOver = ({ error, at, givenUp }: Situation): boolean => givenUp.has(at) || ALLOWED[error.class].failover;

function failoverOf(situation: Situation, policy: RetryPolicy): Decision | undefined {
  const { error, cooldowns, asked, now } = situation;
  const to = nextTarget(situation, policy);
  if (to === undefined) return undefined;
  const until = coolsAccount(error) ? cooldowns.until(asked.bucket, now) : undefined;
  return { type: "failover", to, ...(until === undefined ? {} : { until }) };
}

const delayOf = ({ hasOtherKey, tries, at, error, random }: Situation, policy: RetryPolicy): number =>
  hasOtherKey ? 0 : waitAfter(tries.get(at) ?? 1, error, random, policy);

function attemptsOf({ tries }: Situation): number {
  let sum = 0;
  for (const count of tries.values()) sum += count;
  return sum;
}

function mayRetry({ error, at, tries, givenUp, hasOtherKey }: Situation, policy: RetryPolicy): boolean {
  if (givenUp.has(at) || (tries.get(at) ?? 0) >= policy.attempts) return false;
  if (hasOtherKey) return true;
  return ALLOWED[error.class].retry && (error.retryAfterMs ?? 0) <= policy.maxWaitMs;
}

/** The first other target that may be asked now and could answer where this one could not. */
function nextTarget(situation: Situation, policy: RetryPolicy): number | undefined {
  const { targets, at, tries, givenUp, cooldowns, now, error, asked } = situation;
  const isFit = (target: Dispatch, index: number): boolean =>
    index !== at &&
    !givenUp.has(index) &&
    (tries.get(index) ?? 0) < policy.attempts &&
    cooldowns.until(target.bucket, now) === undefined &&
    (error.class !== "context-overflow" || isLarger(target, asked));
  const found = targets.findIndex(isFit);
  return found === -1 ? undefined : found;
}

const isLarger = ({ facts }: Dispatch, than: Dispatch): boolean =>
  facts.contextTokens !== undefined && than.facts.contextTokens !== undefined && facts.contextTokens > than.facts.contextTokens;

/** The error's own words, until when the server wants to be left alone, and which targets are left alone for the same reason. */
function lastWords({ error, now, targets, at, cooldowns }: Situation): string {
  const asked = error.retryAfterMs ?? 0;
  const others = targets.flatMap((target, index) => {
    const until = index === at ? undefined : cooldowns.until(target.bucket, now);
    return until === undefined ? [] : [`${nameOf(target)} is rate limited until ${timeWords(until)}`];
  });
  return [error.message, ...(asked > 0 ? [waitWords(asked, now)] : []), ...(others.length > 0 ? [`${others.join("; ")}.`] : [])].join(" ");
}

/** Why a target is asked in place of another, for its routing. */
export function becauseOf(failed: Dispatch, error: ProviderError, until: number | undefined): string {
  const status = error.status === undefined ? "" : `, HTTP ${String(error.status)}`;
  const end = until === undefined ? "" : ` until ${timeWords(until)}`;
  return `${nameOf(failed)} could not answer (${error.class}${status})${end}`;
}
