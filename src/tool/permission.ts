import { type CallId, invariant, type JsonObject } from "../base/index.js";
import type { AttributedAction } from "../schema/index.js";

/** What all policies together say of one call. Without a verdict the access mode decides. */
export type Ruling = { readonly args?: JsonObject } & (
  | { readonly verdict: "deny"; readonly plugin: string; readonly why: string }
  | { readonly verdict: "ask"; readonly asked: Asked }
  | { readonly verdict: "allow" | "none" }
);

/** Why a person is asked, and what an answer for longer than this call would allow; `plugin` wants to hear of it. */
export interface Asked {
  readonly plugin: string;
  readonly why?: string;
  readonly rule?: string;
}

/**
 * The strictest verdict counts: deny, then ask, then allow. Of several that ask, a person is given all reasons, each with who says it, and
 * their rule where it is one: else an answer would mean something else to each. Verdicts about other calls count for nothing. Pure.
 */
export function ruleOn(accepted: readonly AttributedAction[], call: CallId): Ruling {
  const wanted = accepted.flatMap(({ plugin, action }) => ("call" in action && action.call === call ? [{ plugin, action }] : []));
  for (const { plugin, action } of wanted) if (action.type === "deny-tool") return { verdict: "deny", plugin, why: action.why };
  const rewritten = wanted.flatMap(({ action }) => (action.type === "rewrite-tool" ? [{ args: action.args }] : [])).at(-1);
  const asked = wanted.flatMap(({ plugin, action }) => (action.type === "ask-tool" ? [{ plugin, ...worded(action) }] : []));
  if (asked.length > 0) return { verdict: "ask", asked: together(asked), ...rewritten };
  return { verdict: wanted.some(({ action }) => action.type === "allow-tool") ? "allow" : "none", ...rewritten };
}

function together(asked: readonly Asked[]): Asked {
  const lead = asked.find(({ rule }) => rule !== undefined) ?? asked[0];
  invariant(lead !== undefined, "nobody asked");
  const { plugin, rule } = lead;
  const isOne = asked.every((one) => one.rule === undefined || one.rule === rule);
  const why = asked.flatMap((one) => (one.why === undefined ? [] : [`${one.plugin}: ${one.why}`])).join(" ");
  return { plugin, ...(why === "" ? {} : { why }), ...(rule === undefined || !isOne ? {} : { rule }) };
}

const worded = ({ why, rule }: { readonly why?: string; readonly rule?: string }): Omit<Asked, "plugin"> => ({
  ...(why === undefined ? {} : { why }),
  ...(rule === undefined ? {} : { rule }),
});
