import { err, InvariantError } from "../../base/index.js";
import type { Clock, EffectId, IdSource } from "../../base/index.js";
import type { Diagnostic, Entry, SdkOperation, SdkOperations } from "../../schema/index.js";
import type { FacilitySet } from "../facilities.js";
import type { EffectContext, EffectGateway, EffectReply, Facility } from "../types.js";
import { effectAborted, effectCrashed, gatewayClosed, gatewaySealed, intentUnrecorded, outcomeUnrecorded } from "./failures.js";
import type { EffectLedger, Intent } from "./ledger.js";
import { createEffectLedger } from "./ledger.js";

export interface GatewayDeps {
  /** Resolves when the entries are durable in the session, all or none; rejects otherwise. */
  readonly commit: (entries: readonly Entry[]) => Promise<void>;
  readonly ids: IdSource;
  readonly clock: Clock;
  readonly facilities: FacilitySet;
  /** Replaces secrets in what is recorded and in what is answered; gives the very same value where there are none. Default: nothing is replaced. */
  readonly redact?: <Value>(value: Value) => Value;
}

/** The gateway of one session, with its end. */
export interface OwnedEffectGateway extends EffectGateway {
  /** No effect is run any more: an outcome could not be recorded. */
  isSealed(): boolean;
  /** Aborts what runs, waits for its outcomes at most 2 s, ends what the facilities left behind. */
  close(): Promise<void>;
}

const CLOSE_MS = 2000;

type Input<Op extends SdkOperation> = SdkOperations[Op]["input"];
type Output<Op extends SdkOperation> = SdkOperations[Op]["output"];

const notRun = (error: Diagnostic): EffectReply<never> => ({ outcome: "not-applied", result: err(error) });

/**
 * Runs SDK operations. Order of every call: grants, durable intent, facility, durable outcome, reply. A refusal is recorded
 * as intent and outcome in one commit. When an intent cannot be recorded nothing runs; when an outcome cannot, the reply
 * carries what is known and every later call is refused.
 */
export const createEffectGateway = (deps: GatewayDeps): OwnedEffectGateway => new Gateway(deps);

class Gateway implements OwnedEffectGateway {
  readonly #deps: GatewayDeps;
  readonly #ledger: EffectLedger;
  readonly #redact: <Value>(value: Value) => Value;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #isSealed = false;

  constructor(deps: GatewayDeps) {
    this.#deps = deps;
    this.#redact = deps.redact ?? ((value) => value);
    this.#ledger = createEffectLedger({ ...deps, redact: this.#redact });
  }

  async call<Op extends SdkOperation>(op: Op, input: Input<Op>, context: EffectContext): Promise<EffectReply<Output<Op>>> {
    const mine = this.#perform(op, input, { ...context, signal: AbortSignal.any([context.signal, this.#closing.signal]) });
    this.#running.add(mine);
    try {
      return this.#redact(await mine);
    } finally {
      this.#running.delete(mine);
    }
  }

  isSealed(): boolean {
    return this.#isSealed;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const done = new AbortController();
    await Promise.race([Promise.allSettled([...this.#running]), this.#deps.clock.sleep(CLOSE_MS, done.signal)]);
    done.abort("over");
    await this.#deps.facilities.close();
  }

  async #perform<Op extends SdkOperation>(op: Op, input: Input<Op>, context: EffectContext): Promise<EffectReply<Output<Op>>> {
    const early = this.#blocked(op, context.signal);
    if (early !== undefined) return notRun(early);
    const facility: Facility<Op> = this.#deps.facilities.table[op];
    const recorded = (asked: Input<Op>): unknown => (facility.record?.input === undefined ? asked : facility.record.input(asked));
    const permit = await facility.authorize(input, context);
    if (!permit.ok) return this.#refuse({ operation: op, input: recorded(input), context }, permit.error);
    const late = this.#blocked(op, context.signal);
    if (late !== undefined) return notRun(late);
    let effect: EffectId;
    try {
      effect = await this.#ledger.intend({ operation: op, input: recorded(permit.value), context });
      context.onIntent?.(effect);
    } catch (failure) {
      return notRun(intentUnrecorded(op, failure));
    }
    // The flush takes time: what was allowed before it may be blocked after it.
    const changed = this.#blocked(op, context.signal);
    const known = { ...context, effect };
    const ran: Ran<Op> = changed === undefined ? await runGuarded(op, facility, permit.value, known) : { reply: notRun(changed) };
    const reply = await this.#settle(effect, { op, context, facility, reply: ran.reply });
    if (ran.bug !== undefined) throw ran.bug;
    return reply;
  }

  #blocked(op: SdkOperation, signal: AbortSignal): Diagnostic | undefined {
    if (this.#isSealed) return gatewaySealed(op);
    if (this.#closing.signal.aborted) return gatewayClosed(op);
    return signal.aborted ? effectAborted(op) : undefined;
  }

  async #refuse(intent: Intent, error: Diagnostic): Promise<EffectReply<never>> {
    try {
      await this.#ledger.refuse(intent, error);
      return notRun(error);
    } catch (failure) {
      return notRun(intentUnrecorded(intent.operation, failure));
    }
  }

  async #settle<Op extends SdkOperation>(effect: EffectId, done: Settled<Op>): Promise<EffectReply<Output<Op>>> {
    const { outcome, result } = done.reply;
    const { record: reduce } = done.facility;
    const recorded = (value: Output<Op>): unknown => (reduce?.output === undefined ? value : reduce.output(value));
    const record = result.ok ? { output: recorded(result.value) } : { error: result.error, output: null };
    try {
      await this.#ledger.complete(effect, done.context, { outcome, ...record });
      return done.reply;
    } catch (failure) {
      this.#isSealed = true;
      return { ...done.reply, result: err(outcomeUnrecorded(done.op, outcome, failure)) };
    }
  }
}

interface Settled<Op extends SdkOperation> {
  readonly op: Op;
  readonly context: EffectContext;
  readonly facility: Facility<Op>;
  readonly reply: EffectReply<Output<Op>>;
}

interface Ran<Op extends SdkOperation> {
  readonly reply: EffectReply<Output<Op>>;
  /** A broken assumption of ours: recorded, then thrown on. */
  readonly bug?: InvariantError;
}

/** Progress ends with the run; a facility that throws leaves an unknown outcome, never a missing one. */
async function runGuarded<Op extends SdkOperation>(
  op: Op,
  facility: Facility<Op>,
  input: Input<Op>,
  context: EffectContext,
): Promise<Ran<Op>> {
  let isRunning = true;
  const { onProgress, ...rest } = context;
  const guarded: EffectContext =
    onProgress === undefined
      ? rest
      : {
          ...rest,
          onProgress: (text) => {
            if (isRunning) onProgress(text);
          },
        };
  try {
    return { reply: await facility.run(input, guarded) };
  } catch (error) {
    const reply: EffectReply<never> = { outcome: "unknown", result: err(effectCrashed(op, error)) };
    return error instanceof InvariantError ? { reply, bug: error } : { reply };
  } finally {
    isRunning = false;
  }
}
