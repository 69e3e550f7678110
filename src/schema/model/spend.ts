import type { Spend, Usage } from "./usage.js";
import { addUsage } from "./usage.js";

/** Nothing was used. */
export const NO_SPEND: Spend = {};

/** Sum that keeps unknown unknown: what has no known cost is counted, never taken for free. */
export function addSpend(left: Spend, right: Spend): Spend {
  const usage = addUsage(left.usage, right.usage);
  const cost = addKnown(left.cost, right.cost);
  const unpriced = addKnown(left.unpriced, right.unpriced);
  return {
    ...(usage === undefined ? {} : { usage }),
    ...(cost === undefined ? {} : { cost }),
    ...(unpriced === undefined ? {} : { unpriced }),
  };
}

const addKnown = (left: number | undefined, right: number | undefined): number | undefined =>
  left === undefined ? right : right === undefined ? left : left + right;

/** What one response, or one report of a tool, comes to. */
export const spendOf = ({ usage, cost }: { readonly usage?: Usage | undefined; readonly cost?: number | undefined }): Spend => ({
  ...(usage === undefined ? {} : { usage }),
  ...(isCost(cost) ? { cost } : { unpriced: 1 }),
});

/** A sum of money that somebody can have spent; what anybody else reports is not known. */
export const isCost = (cost: number | undefined): cost is number => cost !== undefined && Number.isFinite(cost) && cost >= 0;

/** US dollars for a person: `$0`, `<$0.01`, `$0.42`, `$12.30`. The one place that says how. */
export function formatUsd(cost: number): string {
  if (cost === 0) return "$0";
  return cost < 0.01 ? "<$0.01" : `$${cost.toFixed(2)}`;
}

/** The same where two small sums have to be told apart: `$0.0032`. */
export const exactUsd = (cost: number): string => (cost > 0 && cost < 0.01 ? `$${String(Number(cost.toPrecision(2)))}` : formatUsd(cost));

/** `$0.42`, `$0.42 + 3 unpriced`, `3 unpriced`; undefined when nothing was used. */
export function spendWords({ cost, unpriced = 0 }: Spend): string | undefined {
  const parts = [...(cost === undefined ? [] : [formatUsd(cost)]), ...(unpriced === 0 ? [] : [`${String(unpriced)} unpriced`])];
  return parts.length === 0 ? undefined : parts.join(" + ");
}
