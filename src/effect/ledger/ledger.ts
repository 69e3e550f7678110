import type { Clock, EffectId, IdSource, JsonValue } from "../../base/index.js";
import type { Diagnostic, EffectDoneEntry, EffectIntentEntry, Entry, MutationState } from "../../schema/index.js";
import type { EffectContext } from "../types.js";
import { boundRecord } from "./bounded-record.js";

export interface LedgerDeps {
  /** Resolves when the entries are durable, all or none; rejects otherwise. */
  readonly commit: (entries: readonly Entry[]) => Promise<void>;
  readonly ids: IdSource;
  readonly clock: Clock;
  /** Replaces secrets before anything is stored. */
  readonly redact: (value: JsonValue) => JsonValue;
}

export interface Intent {
  readonly operation: string;
  readonly input: unknown;
  readonly context: EffectContext;
}

export interface Outcome {
  readonly outcome: MutationState;
  readonly error?: Diagnostic;
  readonly output: unknown;
}

/** The record of effects: an intent before each, at most one outcome after it. */
export interface EffectLedger {
  /** Resolves when the intent is durable. */
  intend(intent: Intent): Promise<EffectId>;
  /** Resolves when the outcome is durable. */
  complete(effect: EffectId, context: EffectContext, outcome: Outcome): Promise<void>;
  /** Intent and outcome of something that never ran, in one commit. */
  refuse(intent: Intent, error: Diagnostic): Promise<EffectId>;
}

interface Waiting {
  readonly entries: (time: number) => readonly Entry[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** What is recorded in the same turn of the event loop shares one commit, so calls made together cost one flush. */
export function createEffectLedger(deps: LedgerDeps): EffectLedger {
  let waiting: Waiting[] = [];
  const flush = (): void => {
    const batch = waiting;
    waiting = [];
    const time = deps.clock.now();
    deps.commit(batch.flatMap(({ entries }) => entries(time))).then(
      () => {
        for (const { resolve } of batch) resolve();
      },
      (error: unknown) => {
        for (const { reject } of batch) reject(error);
      },
    );
  };
  const record = (entries: Waiting["entries"]): Promise<void> =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ entries, resolve, reject });
    });
  return {
    async intend(intent) {
      const effect = deps.ids.next<EffectId>();
      const entry = intentEntry(deps, effect, intent);
      await record((time) => [entry(time)]);
      return effect;
    },
    async complete(effect, context, outcome) {
      const entry = doneEntry(deps, effect, context, outcome);
      await record((time) => [entry(time)]);
    },
    async refuse(intent, error) {
      const effect = deps.ids.next<EffectId>();
      const first = intentEntry(deps, effect, intent);
      const last = doneEntry(deps, effect, intent.context, { outcome: "not-applied", error, output: null });
      await record((time) => [first(time), last(time)]);
      return effect;
    },
  };
}

/** Time is given at the commit, so that it does not go back against entries committed before. */
type Timed<T extends Entry> = (time: number) => T;

function intentEntry({ ids, redact }: LedgerDeps, effect: EffectId, { operation, input, context }: Intent): Timed<EffectIntentEntry> {
  const record = boundRecord(input, redact);
  return (time) => ({
    type: "effect-intent",
    id: ids.next(),
    time,
    effect,
    ...(context.work === undefined ? {} : { work: context.work }),
    cause: context.cause,
    operation,
    plugin: context.plugin,
    generation: context.generation,
    input: record,
  });
}

function doneEntry({ ids, redact }: LedgerDeps, effect: EffectId, context: EffectContext, done: Outcome): Timed<EffectDoneEntry> {
  const output = boundRecord(done.output, redact);
  // A diagnostic is data and stays one, whatever was replaced in its texts.
  const error = done.error === undefined ? undefined : (boundRecord(done.error, redact) as unknown as Diagnostic);
  return (time) => ({
    type: "effect-done",
    id: ids.next(),
    time,
    effect,
    ...(context.work === undefined ? {} : { work: context.work }),
    outcome: done.outcome,
    ...(error === undefined ? {} : { error }),
    output,
  });
}
