import { EMPTY_DRAFT, expand } from "../../composer/index.js";
import type { Command, Reduced, Ui } from "../ui.js";

const stay = (ui: Ui, ...commands: readonly Command[]): Reduced => ({ ui, commands });

/** The verdict on the call at the front. For the project only where it is known what that would allow. */
export function giveVerdict(ui: Ui, verdict: "once" | "session" | "project" | "deny"): Reduced {
  const [call, ...rest] = ui.approvals;
  if (call === undefined || (verdict === "project" && call.rule === undefined)) return stay(ui);
  return stay({ ...ui, approvals: rest, reason: undefined, detailTop: 0 }, { type: "answer", call: call.id, verdict });
}

/** Begins to write why not. */
export const beginReason = (ui: Ui): Reduced => stay(ui.approvals.length === 0 ? ui : { ...ui, reason: EMPTY_DRAFT });

/** The question is asked again, as if nothing had been written. */
export const dropReason = (ui: Ui): Reduced => stay({ ...ui, reason: undefined });

/** No; with what was written, if anything was. */
export function denyBecause(ui: Ui): Reduced {
  const why = ui.reason === undefined ? "" : expand(ui.reason).trim();
  const denied = giveVerdict(ui, "deny");
  return why === ""
    ? denied
    : { ui: denied.ui, commands: denied.commands.map((command) => (command.type === "answer" ? { ...command, why } : command)) };
}
