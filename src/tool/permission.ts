import type { CallId, JsonObject } from "../base/index.js";
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
 * The strictest verdict counts: deny, then ask, then allow. Of several that ask, a person is given all reasons and the first rule.
 * Verdicts about other calls count for nothing. Pure.
 */
export function ruleOn(accepted: readonly AttributedAction[], call: CallId): Ruling {
  let args: JsonObject | undefined;
  let isAllowed = false;
  const asked: Asked[] = [];
  for (const { plugin, action } of accepted) {
    if (!("call" in action) || action.call !== call) continue;
    if (action.type === "deny-tool") return { verdict: "deny", plugin, why: action.why };
    if (action.type === "ask-tool") asked.push({ plugin, ...worded(action) });
    if (action.type === "allow-tool") isAllowed = true;
    if (action.type === "rewrite-tool") args = action.args;
  }
  const rewritten = args === undefined ? {} : { args };
  const [first] = asked;
  if (first === undefined) return { verdict: isAllowed ? "allow" : "none", ...rewritten };
  const lead = asked.find(({ rule }) => rule !== undefined) ?? first;
  const why = asked.flatMap((one) => (one.why === undefined ? [] : [one.why])).join(" ");
  return { verdict: "ask", asked: { ...lead, ...(why === "" ? {} : { why }) }, ...rewritten };
}

const worded = ({ why, rule }: { readonly why?: string; readonly rule?: string }): Omit<Asked, "plugin"> => ({
  ...(why === undefined ? {} : { why }),
  ...(rule === undefined ? {} : { rule }),
});
