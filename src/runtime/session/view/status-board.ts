import { addUsage, type Entry, type ModelRef, STATUS_LIMITS, type StatusItem } from "../../../schema/index.js";
import type { SessionReader } from "../../../session/index.js";
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

  /** The model that is asked, and what its window holds where that is known. */
  setModel(model: ModelRef, contextLimit: number | undefined): void {
    this.update({ model, ...(contextLimit === undefined ? {} : { contextLimit }) });
    if (contextLimit === undefined) this.clear("contextLimit");
  }

  clear(field: "contextLimit" | "pendingApproval" | "question" | "thinking"): void {
    if (this.#value[field] === undefined) return;
    const { [field]: _, ...rest } = this.#value;
    this.#value = rest;
  }

  /** Shows an item of a plugin, or takes it away when its text is empty. Tells whether anything changed; an item over the bound is not shown. */
  setItem(item: StatusItem): boolean {
    const { statusItems } = this.#value;
    const index = statusItems.findIndex((known) => known.plugin === item.plugin && known.key === item.key);
    const known = statusItems[index];
    if (item.text === "") {
      if (known === undefined) return false;
      this.update({ statusItems: statusItems.toSpliced(index, 1) });
      return true;
    }
    if (known === undefined) {
      if (statusItems.filter(({ plugin }) => plugin === item.plugin).length >= STATUS_LIMITS.items) return false;
      this.update({ statusItems: [...statusItems, item] });
      return true;
    }
    if (known.text === item.text && known.role === item.role) return false;
    this.update({ statusItems: statusItems.with(index, item) });
    return true;
  }

  /** Takes in what was committed. Tells whether anything changed. */
  observe(entries: readonly Entry[]): boolean {
    const before = this.#value;
    this.#value = withAnswers(before, entries);
    return this.#value !== before;
  }
}

/** The status with the usage of answers summed up and the context size of the newest one that reported it. */
export function withAnswers(status: SessionStatus, entries: readonly Entry[]): SessionStatus {
  let after = status;
  for (const entry of entries) {
    if (entry.type !== "assistant" || entry.usage === undefined) continue;
    const { inputTokens, outputTokens } = entry.usage;
    const usage = addUsage(after.usage, entry.usage);
    after = {
      ...after,
      ...(usage === undefined ? {} : { usage }),
      ...(inputTokens === undefined ? {} : { contextTokens: inputTokens + (outputTokens ?? 0) }),
    };
  }
  return after;
}

/** What a file says for the status without any of its history being read: its name, and what all processes used so far. */
export async function recordedStatus(reader: SessionReader): Promise<Pick<SessionStatus, "name" | "usage">> {
  const { name, usage } = await reader.live();
  return { ...(name === undefined ? {} : { name }), ...(usage === undefined ? {} : { usage }) };
}
