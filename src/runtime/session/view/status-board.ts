import {
  addSpend,
  type Entry,
  type ModelRef,
  type Spend,
  STATUS_LIMITS,
  type StatusItem,
  type ThinkingLevel,
  type Usage,
} from "../../../schema/index.js";
import type { Dispatch } from "../../../provider/index.js";
import { Owners } from "../../../session/index.js";
import type { SessionStatus } from "../../types.js";

/** What a request is sent to, as far as the status tells it. */
interface Asked {
  readonly model: ModelRef;
  /** Tokens its window holds, where that is known. */
  readonly contextLimit?: number | undefined;
  readonly thinking?: ThinkingLevel | undefined;
}

/** The alias or group that a model was chosen by: `main` of `group main`. */
export function selectionOf({ routing }: Pick<Dispatch, "routing">): string | undefined {
  const [outermost] = routing.via ?? [];
  return outermost?.replace(/^(?:alias|group) /u, "");
}

/** Holds the status as a value whose reference changes only when a field does. */
export class StatusBoard {
  #value: SessionStatus;
  readonly #owners: Owners;

  /** `owners` goes on from what `initial` counts. */
  constructor(initial: SessionStatus, owners = new Owners()) {
    this.#value = initial;
    this.#owners = owners;
  }

  get value(): SessionStatus {
    return this.#value;
  }

  update(fields: Partial<SessionStatus>): void {
    const keys = Object.keys(fields) as (keyof SessionStatus)[];
    if (keys.some((key) => this.#value[key] !== fields[key])) this.#value = { ...this.#value, ...fields };
  }

  /** The model that is asked now. The selection stays what it is. */
  asked({ model, contextLimit, thinking }: Asked): void {
    this.update({
      model,
      ...(contextLimit === undefined ? {} : { contextLimit }),
      ...(thinking === undefined ? {} : { thinking }),
    });
    if (contextLimit === undefined) this.clear("contextLimit");
    if (thinking === undefined) this.clear("thinking");
  }

  /** What the next request goes to, as far as it is known. */
  dispatched(dispatch: Pick<Dispatch, "ref" | "source" | "facts" | "thinking" | "routing">): void {
    const { ref, source, facts, thinking } = dispatch;
    this.asked({ model: ref, contextLimit: facts.contextTokens, thinking });
    const selection = selectionOf(dispatch);
    this.update({ modelSource: source, ...(selection === undefined ? {} : { selection }) });
    if (selection === undefined) this.clear("selection");
  }

  clear(field: "selection" | "contextLimit" | "pendingApproval" | "question" | "thinking"): void {
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

  /** What was used before anything that was taken in. */
  counted(before: Spend): void {
    this.update(usedOf(addSpend(before, usedOf(this.#value))));
  }

  /** Takes in what was committed. Tells whether anything changed. */
  observe(entries: readonly Entry[]): boolean {
    const before = this.#value;
    this.#value = withAnswers(before, entries, this.#owners);
    return this.#value !== before;
  }
}

/**
 * The status with what all records used and cost summed up, and the context size of the newest answer that reported it. `owners` is the
 * same for all changes of one session: with it, what a tool reports of works that were counted before is not counted again.
 */
export function withAnswers(status: SessionStatus, entries: readonly Entry[], owners: Owners): SessionStatus {
  let after = status;
  for (const entry of entries) {
    const spent = entry.inherited === true ? undefined : owners.take(entry);
    if (spent !== undefined) after = { ...after, ...usedOf(addSpend(usedOf(after), spent.spend)) };
    const isOwn = entry.type === "assistant" && owners.parentOf(entry.work) === undefined;
    if (isOwn && entry.usage !== undefined) after = { ...after, ...contextOf(entry.usage) };
  }
  return after;
}

/** What the conversation took of the model's window when it gave this answer, the answer included. */
export const contextOf = ({ inputTokens, outputTokens = 0 }: Usage): Pick<SessionStatus, "contextTokens"> =>
  inputTokens === undefined ? {} : { contextTokens: inputTokens + outputTokens };

/** Of a sum or a status, what was used and what it cost. */
export const usedOf = ({ usage, cost, unpriced }: Spend): Spend => ({
  ...(usage === undefined ? {} : { usage }),
  ...(cost === undefined ? {} : { cost }),
  ...(unpriced === undefined ? {} : { unpriced }),
});
