import { type Clock, err, orAborted, type Result } from "../base/index.js";
import type { ProviderError } from "../schema/index.js";
import type { AttemptAsked } from "./attempt.js";
import { type Cooldowns, nameOf, targetOf } from "./cooldown.js";
import type { CredentialPort } from "./credentials.js";
import { becauseOf, coolsAccount, decide, type Decision } from "./failover.js";
import { RETRY_POLICY, type RetryPolicy } from "./retry.js";
import type { Dispatch, ProviderEvent } from "./types.js";

export interface CourseDeps {
  readonly clock: Clock;
  /** In [0, 1), for the jitter of a wait. */
  random(): number;
  /** What differs from {@link RETRY_POLICY}. */
  readonly policy?: Partial<RetryPolicy>;
  readonly credentials: CredentialPort;
  readonly cooldowns: Cooldowns;
}

/** One attempt ready to be sent. `dispatch` is the target with what was not known of it before: its model, its facts. */
export interface Prepared extends Pick<AttemptAsked, "adapter" | "request"> {
  readonly dispatch: Dispatch;
}

/** What one response is asked of, in order. */
export interface Asked {
  /** The first is asked first, without more ado: see `orderTargets`. */
  readonly targets: readonly [Dispatch, ...Dispatch[]];
  /** Called once for each attempt, before the events that announce it. */
  prepare(dispatch: Dispatch, signal: AbortSignal): Promise<Result<Prepared, ProviderError>>;
  readonly signal: AbortSignal;
}

/** An attempt that failed. */
export interface Failed {
  readonly error: ProviderError;
  /** Content of the response reached the caller. */
  readonly delivered: boolean;
  /** It was not sent: its target could not be prepared, which says nothing of the others. */
  readonly unprepared?: boolean;
  /** The key as it was sent, to tell whether there is another one now. Never leaves this folder. */
  readonly sent?: string;
}

/** What comes after it. */
export type Next =
  | { readonly type: "fail"; readonly error: ProviderError }
  | { readonly type: "aborted" }
  | {
      readonly type: "go";
      readonly event: Extract<ProviderEvent, { readonly type: "retry" | "failover" }>;
      readonly delayMs: number;
      readonly prepared: Prepared;
    };

/** Where one response stands among its targets. */
export interface Course {
  /** Prepares the first attempt. */
  begin(): Promise<Result<Prepared, ProviderError | "aborted">>;
  /** Notes the failure, decides, and prepares what was decided; a target that cannot be prepared is passed over. */
  next(failed: Failed): Promise<Next>;
  succeeded(): void;
}

interface Stand {
  readonly deps: CourseDeps;
  readonly policy: RetryPolicy;
  readonly wanted: Asked;
  readonly tries: Map<number, number>;
  readonly givenUp: Set<number>;
  /** Targets whose key was renewed once for this response. */
  readonly renewed: Set<number>;
  at: number;
  /** The target at `at` as it was asked. */
  asked: Dispatch;
}

export function createCourse(deps: CourseDeps, wanted: Asked): Course {
  const stand: Stand = {
    deps,
    policy: { ...RETRY_POLICY, ...deps.policy },
    wanted,
    tries: new Map([[0, 1]]),
    givenUp: new Set(),
    renewed: new Set(),
    at: 0,
    asked: wanted.targets[0],
  };
  return {
    begin: async () => {
      const prepared = await prepare(stand, stand.asked);
      if (prepared.ok) stand.asked = prepared.value.dispatch;
      return prepared;
    },
    next: (failed) => next(stand, failed),
    succeeded: () => {
      deps.cooldowns.clear(stand.asked.bucket);
    },
  };
}

async function next(stand: Stand, { error, delivered, unprepared = false, sent }: Failed): Promise<Next> {
  const { deps, policy, wanted, tries, givenUp, at, asked } = stand;
  if (unprepared) givenUp.add(at);
  else if (coolsAccount(error)) deps.cooldowns.start(asked.bucket, deps.clock.now() + (error.retryAfterMs ?? policy.coolMs));
  const hasOtherKey = !delivered && (await findOtherKey(stand, error, sent));
  let told = error;
  while (!wanted.signal.aborted) {
    const facts = { targets: wanted.targets, at, asked, error: told, tries, givenUp, delivered, hasOtherKey, cooldowns: deps.cooldowns };
    const decision = decide({ ...facts, random: deps.random(), now: deps.clock.now() }, policy);
    if (decision.type === "fail") return decision;
    const to = decision.type === "retry" ? at : decision.to;
    const target = decision.type === "retry" ? asked : replacing(stand, decision, error);
    const prepared = await prepare(stand, target);
    if (prepared.ok) return go(stand, decision, { error, prepared: prepared.value });
    if (prepared.error === "aborted") break;
    givenUp.add(to);
    told = { ...told, message: `${told.message} ${nameOf(target)} could not be asked: ${prepared.error.message}` };
  }
  return { type: "aborted" };
}

function prepare({ wanted }: Stand, dispatch: Dispatch): Promise<Result<Prepared, ProviderError | "aborted">> {
  const { signal } = wanted;
  return orAborted(wanted.prepare(dispatch, signal), signal).then((prepared) => (prepared === "aborted" ? err(prepared) : prepared));
}

/** The target that takes over, with the reason in its routing. */
function replacing({ wanted, asked }: Stand, decision: Extract<Decision, { readonly type: "failover" }>, error: ProviderError): Dispatch {
  const target = wanted.targets[decision.to] ?? asked;
  return { ...target, routing: { ...target.routing, because: becauseOf(asked, error, decision.until) } };
}

function go(
  stand: Stand,
  decision: Exclude<Decision, { readonly type: "fail" }>,
  { error, prepared }: { readonly error: ProviderError; readonly prepared: Prepared },
): Next {
  const from = targetOf(stand.asked);
  if (decision.type === "failover") stand.at = decision.to;
  stand.asked = prepared.dispatch;
  const attempt = (stand.tries.get(stand.at) ?? 0) + 1;
  stand.tries.set(stand.at, attempt);
  const reason = error.message;
  if (decision.type === "retry") {
    const { delayMs } = decision;
    return { type: "go", event: { type: "retry", attempt, max: stand.policy.attempts, reason, delayMs, error }, delayMs, prepared };
  }
  const { until } = decision;
  const event = {
    type: "failover",
    from,
    to: targetOf(prepared.dispatch),
    reason,
    ...(until === undefined ? {} : { until }),
    error,
  } as const;
  return { type: "go", event, delayMs: 0, prepared };
}

/** Asks, once for each target, whether there is another key when the one that was sent is refused. */
async function findOtherKey({ deps, wanted, renewed, at, asked }: Stand, error: ProviderError, sent: string | undefined): Promise<boolean> {
  const name = asked.endpoint.credential;
  if (error.class !== "auth" || (error.status !== 401 && error.status !== 403) || name === undefined) return false;
  const { credentials } = deps;
  // Somebody else may have renewed it in the meantime: then it is not this one that was refused.
  if (credentials.value(name) === sent) credentials.refused(name);
  if (renewed.has(at)) return false;
  renewed.add(at);
  const ready = await orAborted(credentials.ready(name, wanted.signal), wanted.signal);
  const value = credentials.value(name);
  return ready !== "aborted" && ready.ok && value !== undefined && value !== sent;
}
