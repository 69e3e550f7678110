import { type IdSource, orAborted } from "../base/index.js";
import type { ProviderDelta, ProviderError } from "../schema/index.js";
import { attempt, type AttemptAsked } from "./attempt.js";
import { type Asked, createCourse, type CourseDeps, type Next, type Prepared } from "./course.js";
import { credentialError } from "./failure.js";
import type { HttpEngine } from "./http/types.js";
import { type Assembly, createAssembly } from "./stream/assemble.js";
import { ABORTED, type AttemptEnd, failed } from "./stream/decode.js";
import type { ProviderEvent } from "./types.js";

export type { Asked, Prepared } from "./course.js";

export interface RespondDeps extends CourseDeps {
  readonly engine: HttpEngine;
  readonly ids: IdSource;
}

/**
 * One response: asks, retries and fails over within the policy, assembles. Events are text and thinking in order; between two attempts
 * `retry` or `failover`, the wait, `attempt`; then exactly one of `done`, `failed`, `aborted`; nothing after it, and no throw once begun.
 * `retry` and `failover` are told only when the attempt they announce can be made. Nothing is asked again once text, thinking or a tool
 * call has come. After an abort the terminal event follows at once.
 */
export async function* respond(deps: RespondDeps, asked: Asked): AsyncGenerator<ProviderEvent, void> {
  const { signal } = asked;
  const course = createCourse(deps, asked);
  let prepared = await course.begin();
  for (let number = 2; ; number += 1) {
    const { end, state, sent } = prepared.ok ? yield* tryOnce(deps, { ...prepared.value, signal }) : untried(prepared.error);
    if (signal.aborted || end.type === "aborted") {
      yield { type: "aborted", partial: state.partial("aborted") };
      return;
    }
    if (end.type === "end") {
      course.succeeded();
      const taken = prepared.ok ? takenIds(prepared.value) : new Set<string>();
      yield { type: "done", result: state.whole(end.stop, { ids: deps.ids, taken }) };
      return;
    }
    const failure = { error: end.error, delivered: state.hasContent(), unprepared: !prepared.ok };
    const next = await course.next({ ...failure, ...(sent === undefined ? {} : { sent }) });
    if (next.type === "fail") {
      yield { type: "failed", error: next.error, partial: state.partial("failed") };
      return;
    }
    if (next.type === "aborted" || !(yield* announce(deps, next, signal))) {
      yield { type: "aborted", partial: createAssembly().partial("aborted") };
      return;
    }
    yield { type: "attempt", number, to: next.prepared.dispatch };
    prepared = { ok: true, value: next.prepared };
  }
}

/** Tells what comes next and waits for it; whether it still is to come. */
async function* announce(
  { clock }: RespondDeps,
  { event, delayMs }: Extract<Next, { readonly type: "go" }>,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent, boolean> {
  yield event;
  if (delayMs > 0 && !signal.aborted) await clock.sleep(delayMs, signal);
  return !signal.aborted;
}

interface Tried {
  readonly end: AttemptEnd;
  readonly state: Assembly;
  /** The key as it was sent, to tell whether there is another one now. Never leaves this file. */
  readonly sent?: string;
}

const untried = (error: ProviderError | "aborted"): Tried => ({
  end: error === "aborted" ? ABORTED : failed(error),
  state: createAssembly(),
});

async function* tryOnce(deps: RespondDeps, asked: AttemptAsked): AsyncGenerator<ProviderEvent, Tried> {
  const { signal, request } = asked;
  const name = request.endpoint.credential;
  const ready = name === undefined ? undefined : await orAborted(deps.credentials.ready(name, signal), signal);
  if (ready === "aborted" || signal.aborted) return { end: ABORTED, state: createAssembly() };
  if (ready?.ok === false) return { end: failed(credentialError(ready.error)), state: createAssembly() };
  const sent = name === undefined ? undefined : deps.credentials.value(name);
  const tried = yield* runAttempt(deps, asked);
  return { ...tried, ...(sent === undefined ? {} : { sent }) };
}

async function* runAttempt(deps: RespondDeps, asked: AttemptAsked): AsyncGenerator<ProviderEvent, Tried> {
  const state = createAssembly();
  const run = attempt(deps, asked);
  try {
    for (;;) {
      const step = await run.next();
      if (step.done === true) return { end: step.value, state };
      for (const delta of step.value) state.add(delta);
      if (asked.signal.aborted) return { end: ABORTED, state };
      yield* spoken(step.value);
    }
  } finally {
    await run.return(ABORTED);
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

const takenIds = ({ request }: Prepared): ReadonlySet<string> =>
  new Set(request.messages.flatMap((message) => (message.role === "assistant" ? message.toolCalls.map((call) => call.providerId) : [])));
