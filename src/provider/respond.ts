import type { Clock, IdSource } from "../base/index.js";
import type { ProviderDelta } from "../schema/index.js";
import { assemble, assembled, type Assembly, EMPTY_ASSEMBLY, partial } from "./stream/assemble.js";
import { type Asked, attempt } from "./attempt.js";
import type { HttpEngine } from "./http/types.js";
import { decideRetry, RETRY_POLICY, type RetryPolicy } from "./retry.js";
import type { AttemptEnd } from "./stream/decode.js";
import type { ProviderEvent } from "./types.js";

export interface RespondDeps {
  readonly engine: HttpEngine;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** In [0, 1), for the jitter of a wait. */
  random(): number;
  readonly policy?: RetryPolicy;
}

/**
 * One response: asks, retries within the policy, assembles. Events are text and thinking in order, `retry` before each
 * wait, then exactly one of `done`, `failed`, `aborted`; nothing after it, and no throw once begun. Nothing is asked
 * again once text, thinking or a tool call has come. After an abort the terminal event follows at once.
 */
export async function* respond(deps: RespondDeps, asked: Asked): AsyncGenerator<ProviderEvent, void> {
  const policy = deps.policy ?? RETRY_POLICY;
  for (let number = 1; ; number += 1) {
    const { end, state } = yield* tryOnce(deps, asked);
    if (asked.signal.aborted || end.type === "aborted") {
      yield { type: "aborted", partial: partial(state, "aborted") };
      return;
    }
    if (end.type === "end") {
      yield { type: "done", result: assembled(state, end.stop, { ids: deps.ids, taken: takenIds(asked) }) };
      return;
    }
    const decision = decideRetry(
      { error: end.error, attempt: number, delivered: hasContent(state), random: deps.random(), now: deps.clock.now() },
      policy,
    );
    if (decision.type === "fail") {
      yield { type: "failed", error: decision.error, partial: partial(state, "failed") };
      return;
    }
    yield { type: "retry", attempt: number + 1, max: policy.attempts, reason: end.error.message, delayMs: decision.delayMs };
    await deps.clock.sleep(decision.delayMs, asked.signal);
    if (asked.signal.aborted) {
      yield { type: "aborted", partial: partial(EMPTY_ASSEMBLY, "aborted") };
      return;
    }
  }
}

interface Tried {
  readonly end: AttemptEnd;
  readonly state: Assembly;
}

async function* tryOnce(deps: RespondDeps, asked: Asked): AsyncGenerator<ProviderEvent, Tried> {
  let state = EMPTY_ASSEMBLY;
  const run = attempt(deps, asked);
  try {
    for (;;) {
      const step = await run.next();
      if (step.done === true) return { end: step.value, state };
      for (const delta of step.value) state = assemble(state, delta);
      if (asked.signal.aborted) return { end: { type: "aborted" }, state };
      yield* spoken(step.value);
    }
  } finally {
    await run.return({ type: "aborted" });
  }
}

/** Text and thinking of one batch, neighbours of one kind as one event. */
function* spoken(deltas: readonly ProviderDelta[]): Generator<ProviderEvent> {
  let open: { readonly type: "text" | "thinking"; text: string } | undefined;
  for (const delta of deltas) {
    if ((delta.type !== "text" && delta.type !== "thinking") || delta.text === "") continue;
    if (open?.type === delta.type) {
      open.text += delta.text;
      continue;
    }
    if (open !== undefined) yield open;
    open = { type: delta.type, text: delta.text };
  }
  if (open !== undefined) yield open;
}

const hasContent = (state: Assembly): boolean => state.text !== "" || state.thinking.length > 0 || state.calls.length > 0;

const takenIds = ({ request }: Asked): ReadonlySet<string> =>
  new Set(request.messages.flatMap((message) => (message.role === "assistant" ? message.toolCalls.map((call) => call.providerId) : [])));
