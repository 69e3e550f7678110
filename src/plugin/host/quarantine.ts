import type { Clock } from "../../base/index.js";

/** So many faults within so long, and a plugin is not called any more. */
export interface QuarantineRule {
  readonly faults: number;
  readonly withinMs: number;
}

/** Counts the faults of plugins by a key that changes with their code. */
export class Quarantine {
  readonly #clock: Clock;
  readonly #rule: QuarantineRule | undefined;
  readonly #faults = new Map<string, number[]>();
  readonly #held = new Set<string>();

  /** Without a rule nothing is ever held. */
  constructor(clock: Clock, rule: QuarantineRule | undefined) {
    this.#clock = clock;
    this.#rule = rule;
  }

  /** True when this fault was the last one. */
  fault(key: string): boolean {
    const rule = this.#rule;
    if (rule === undefined || this.#held.has(key)) return false;
    const now = this.#clock.monotonic();
    const recent = [...(this.#faults.get(key) ?? []).filter((at) => now - at < rule.withinMs), now];
    this.#faults.set(key, recent);
    if (recent.length < rule.faults) return false;
    this.#held.add(key);
    return true;
  }

  isHeld(key: string): boolean {
    return this.#held.has(key);
  }

  /** Forgets every other key: what was out of use, or is another code, begins anew. */
  keep(keys: ReadonlySet<string>): void {
    for (const key of this.#faults.keys()) if (!keys.has(key)) this.#faults.delete(key);
    for (const key of this.#held) if (!keys.has(key)) this.#held.delete(key);
  }
}
