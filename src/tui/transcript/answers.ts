import type { SmithEvent } from "../../schema/index.js";
import { elapsed, money, retryWords, tokens } from "../render/index.js";

type Event<Type extends SmithEvent["type"]> = Extract<SmithEvent, { readonly type: Type }>;

/** Attempts of one answer that failed, until it came. */
export interface Tries {
  readonly why: readonly string[];
  readonly waitedMs: number;
}

export const addTry = (tries: Tries | undefined, event: Event<"retry">): Tries => ({
  why: [...(tries?.why ?? []), retryWords(event)],
  waitedMs: (tries?.waitedMs ?? 0) + event.delayMs,
});

/** What is worth keeping of them: `answered at the 2nd try: rate limited, waited 3 s`. */
export function triedText({ why, waitedMs }: Tries): string {
  const count = why.length + 1;
  const waited = waitedMs < 1000 ? "" : `, waited ${elapsed(waitedMs)}`;
  return `answered at the ${ORDINALS[count] ?? `${String(count)}th`} try: ${[...new Set(why)].join(", ")}${waited}`;
}

const ORDINALS: Readonly<Record<number, string>> = { 2: "2nd", 3: "3rd" };

/** What a turn took, as far as it is known: `12k tokens in (9k from cache), 340 out · $0.04`. */
export function spentText({ usage, cost, unpriced }: Pick<Event<"run_end">, "usage" | "cost" | "unpriced">): string | undefined {
  const { inputTokens, outputTokens, cacheReadTokens = 0 } = usage ?? {};
  const cached = cacheReadTokens === 0 ? "" : ` (${tokens(cacheReadTokens)} from cache)`;
  const into = inputTokens === undefined ? [] : [`${tokens(inputTokens)} tokens in${cached}`];
  const out = outputTokens === undefined ? [] : [`${tokens(outputTokens)}${into.length === 0 ? " tokens" : ""} out`];
  const counted = [...into, ...out].join(", ");
  const paid = money({ ...(cost === undefined ? {} : { cost }), ...(unpriced === undefined ? {} : { unpriced }) });
  const parts = [counted, paid ?? ""].filter((part) => part !== "");
  return parts.length === 0 ? undefined : parts.join(" · ");
}
