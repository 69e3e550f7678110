import { type EffectId, shortId } from "../../base/index.js";
import type { EffectReply } from "../../effect/index.js";
import { type MutationState, SDK_OPERATIONS, type SdkOperation } from "../../schema/index.js";
import { MAX_TOUCHED } from "../limits.js";

/** One host operation of an invocation, as far as the host knows it. */
export interface TracedEffect {
  readonly operation: SdkOperation;
  /** Given once the intent is durable. Absent: it was refused before, or it never began. */
  id?: EffectId;
  /** Absent while it runs. */
  outcome?: MutationState;
  /** The file it changed, or may have, or all of them. */
  touched?: string | readonly string[];
}

/** What an invocation asked of the host, so that its end can tell the truth about the world. */
export class EffectTrace {
  readonly #effects: TracedEffect[] = [];
  readonly #idle: (() => void)[] = [];
  #running = 0;

  begin(operation: SdkOperation): TracedEffect {
    const effect: TracedEffect = { operation };
    this.#effects.push(effect);
    this.#running += 1;
    return effect;
  }

  settle(effect: TracedEffect, { outcome, touched }: Pick<EffectReply<unknown>, "outcome" | "touched">): void {
    effect.outcome = outcome;
    if (touched !== undefined) effect.touched = touched;
    this.#running -= 1;
    if (this.#running === 0) for (const resume of this.#idle.splice(0)) resume();
  }

  get count(): number {
    return this.#effects.length;
  }

  /** Resolves when none runs. */
  idle(): Promise<void> {
    return this.#running === 0 ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve));
  }

  /** unknown > applied > not-applied. One that still runs is unknown, if it can change anything at all. */
  get mutation(): MutationState {
    const states = new Set(this.#effects.map((effect) => stateOf(effect)));
    if (states.has("unknown")) return "unknown";
    return states.has("applied") ? "applied" : "not-applied";
  }

  /** Files its effects changed or may have, each once, in the order they came: the first {@link MAX_TOUCHED}. */
  get touched(): readonly string[] {
    return [...new Set(this.#effects.flatMap(({ touched }) => touched ?? []))].slice(0, MAX_TOUCHED);
  }

  /** For the model, where the plugin cannot tell any more: each operation that changes things, with its id and state. */
  describe(): string {
    const changing = this.#effects.filter(({ operation }) => SDK_OPERATIONS[operation].changes);
    if (changing.length === 0) return "It had changed nothing.";
    const lines = changing.map(
      (effect) => `- ${effect.operation}${effect.id === undefined ? "" : ` (effect ${shortId(effect.id)})`}: ${WORDS[stateOf(effect)]}`,
    );
    return `What it had started:\n${lines.join("\n")}`;
  }
}

const WORDS: { readonly [State in MutationState]: string } = {
  applied: "applied",
  "not-applied": "not applied",
  unknown: "outcome unknown; check before doing it again",
};

const stateOf = ({ operation, outcome }: TracedEffect): MutationState =>
  outcome ?? (SDK_OPERATIONS[operation].changes ? "unknown" : "not-applied");
