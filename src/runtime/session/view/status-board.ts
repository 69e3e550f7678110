import type { Entry } from "../../../schema/index.js";
import { addUsage } from "../../../schema/index.js";
import type { SessionStatus } from "../../types.js";

/** Holds the status as a value whose reference changes only when a field does. */
export class StatusBoard {
  #value: SessionStatus;

  constructor(initial: SessionStatus) {
    this.#value = initial;
  }

  get value(): SessionStatus {
    return this.#value;
  }

  update(fields: Partial<SessionStatus>): void {
    const keys = Object.keys(fields) as (keyof SessionStatus)[];
    if (keys.some((key) => this.#value[key] !== fields[key])) this.#value = { ...this.#value, ...fields };
  }

  clearApproval(): void {
    if (this.#value.pendingApproval === undefined) return;
    const { pendingApproval: _, ...rest } = this.#value;
    this.#value = rest;
  }

  /** Sums usage and takes the context size from the newest response that reported it. Tells whether anything changed. */
  observe(entries: readonly Entry[]): boolean {
    const before = this.#value;
    for (const entry of entries) {
      if (entry.type !== "assistant" || entry.usage === undefined) continue;
      const { inputTokens, outputTokens } = entry.usage;
      const usage = addUsage(this.#value.usage, entry.usage);
      this.update({
        ...(usage === undefined ? {} : { usage }),
        ...(inputTokens === undefined ? {} : { contextTokens: inputTokens + (outputTokens ?? 0) }),
      });
    }
    return this.#value !== before;
  }
}
