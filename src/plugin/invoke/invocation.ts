import type { Clock } from "../../base/index.js";
import type { ImageShelf } from "../../effect/index.js";
import type { GuestEnd, HostAnswer } from "../cell/index.js";
import { LEFTOVER_MS, TERMINATE_AFTER_MS } from "../limits.js";
import { Deadline } from "./deadline.js";
import { EffectTrace } from "./effect-trace.js";
import { createImageShelf } from "./image-shelf.js";
import { answerOperation, hostFailure } from "./operations.js";
import type { InvocationDeps, InvocationPlan, Run, StopReason } from "./run.js";

export interface Finished {
  readonly end: GuestEnd;
  readonly trace: EffectTrace;
  readonly images: Pick<ImageShelf, "take">;
  /** Why it was told to stop, when it was. It may have ended by itself all the same. */
  readonly stopped: StopReason | undefined;
}

/**
 * Runs one function of a plugin to its end. Whatever the plugin does becomes an end; only a bug of the host rejects. An abort is
 * felt within 250 ms. No effect starts after the end; those still running then are aborted, and the ledger records how they ended.
 */
export async function runInvocation(deps: InvocationDeps, plan: InvocationPlan): Promise<Finished> {
  const stop = (reason: StopReason): void => {
    run.stopped ??= reason;
    run.effectsOver.abort();
    guest.cancel();
  };
  const run: Run = {
    plan,
    trace: new EffectTrace(),
    images: createImageShelf(),
    questions: 0,
    deadline: new Deadline(deps.clock, plan.timeoutMs, () => stop("timed-out")),
    effectsOver: new AbortController(),
    stopped: undefined,
    isLive: true,
    recorded: undefined,
    bug: undefined,
  };
  const guest = plan.cell.call({
    plugin: plan.asker.plugin,
    module: plan.module,
    kind: plan.kind,
    json: plan.json,
    sliceMs: plan.sliceMs,
    isRepeatable: true,
    answer: (operation, input) =>
      answerOperation(deps, run, operation, input).catch((error: unknown) => failHost(run, error, () => guest.cancel())),
    emit: plan.emit,
  });
  const onAbort = (): void => stop("aborted");
  plan.signal.addEventListener("abort", onAbort, { once: true });
  try {
    const end = await guest.end;
    run.isLive = false;
    run.deadline.stop();
    await finishEffects(deps.clock, run);
    if (run.bug !== undefined) throw run.bug.error;
    return { end, trace: run.trace, images: run.images, stopped: run.stopped };
  } finally {
    plan.signal.removeEventListener("abort", onAbort);
  }
}

/** Aborts what the call left running and waits for the outcomes, but not for long. */
async function finishEffects(clock: Clock, run: Run): Promise<void> {
  run.effectsOver.abort();
  const waited = new AbortController();
  const patience = run.stopped === undefined ? LEFTOVER_MS : TERMINATE_AFTER_MS / 4;
  await Promise.race([run.trace.idle(), clock.sleep(patience, waited.signal)]);
  waited.abort("over");
}

function failHost(run: Run, error: unknown, cancel: () => void): HostAnswer {
  run.bug ??= { error };
  cancel();
  return hostFailure();
}
