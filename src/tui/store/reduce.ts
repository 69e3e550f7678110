import { sanitizeLine } from "../text/index.js";
import { remember, withText } from "../composer/index.js";
import { diffFiles } from "../render/index.js";
import type { SmithEvent } from "../../schema/index.js";
import { reduceInput } from "./input.js";
import { delivered, send } from "./outgoing.js";
import { tell } from "./toast.js";
import { type Approval, type Command, type Reduced, type Ui, type UiEvent } from "./ui.js";

const stay = (ui: Ui, ...commands: readonly Command[]): Reduced => ({ ui, commands });

/** Pure: the next state and what is to be done. The transcript has its own store; this sees its events for what else they mean. */
export function reduce(ui: Ui, event: UiEvent): Reduced {
  switch (event.type) {
    case "input":
      return reduceInput(ui, event.input, event.at);
    case "resized":
      return stay({ ...ui, size: event.size });
    case "opened":
      return opened(ui, event);
    case "open-failed":
      return openFailed(ui, event);
    case "status":
      return stay(withStatus(ui, event));
    case "prompted":
      return prompted(ui, event.text);
    case "runtime":
      return stay(observed(ui, event.event, event.at));
    case "history":
      return stay(event.events.reduce((state, each) => (each.type === "user" ? past(state, each) : state), ui));
    case "admitted":
      return stay({ ...ui, outgoing: ui.outgoing.filter(({ id }) => id !== event.id) });
    case "refused":
      return refused(ui, event.id, event.diagnostic.what, event.diagnostic.next);
    case "returned":
      return stay(giveBack(ui, event.texts));
    case "stopped":
      return stay({ ...ui, stopping: false });
    case "told":
      return tell(ui, event.tone, event.text, event.ms);
    case "toast-expired":
      return stay(ui.toast?.id === event.id ? { ...ui, toast: undefined } : ui);
  }
}

/** What was sent while starting goes out now, in order; of commands there is nothing more to wait for. */
function opened(ui: Ui, event: Extract<UiEvent, { readonly type: "opened" }>): Reduced {
  const { pendingApproval } = event.status;
  const asked = pendingApproval === undefined ? ui : addApproval(ui, { ...pendingApproval, args: {}, shownAt: undefined });
  const next = withStatus({ ...asked, phase: "ready" }, event);
  // Who was kept out by a writer knows of it; without one it is the file that cannot be continued.
  if (event.status.access === "read")
    return stay(withdrawn(event.status.owner === undefined && next.stuck === undefined ? { ...next, stuck: "unwritable" } : next));
  const prompts = ui.outgoing.filter(({ request }) => request.type === "prompt");
  return stay({ ...next, outgoing: prompts }, ...ui.outgoing.map(delivered));
}

/** What was sent and will not be delivered comes back. */
const withdrawn = (ui: Ui): Ui =>
  giveBack(
    { ...ui, outgoing: [] },
    ui.outgoing.map(({ text }) => text),
  );

/** A prompt that did not come from the editor leaves the draft alone. */
function prompted(ui: Ui, text: string): Reduced {
  const sending = send(ui, text, undefined);
  return { ...sending, ui: { ...sending.ui, draft: ui.draft } };
}

function openFailed(ui: Ui, event: Extract<UiEvent, { readonly type: "open-failed" }>): Reduced {
  return stay(withdrawn({ ...ui, phase: "failed", failure: event.diagnostic }));
}

function withStatus(ui: Ui, event: { readonly status: NonNullable<Ui["status"]> }): Ui {
  const { status } = event;
  return {
    ...ui,
    status,
    running: status.running,
    queue: status.queue,
    stopping: ui.stopping && status.running,
    retry: status.running ? ui.retry : undefined,
  };
}

function refused(ui: Ui, id: number, what: string, next: string): Reduced {
  const failed = ui.outgoing.find((each) => each.id === id);
  const without: Ui = { ...ui, outgoing: ui.outgoing.filter((each) => each.id !== id) };
  return tell(failed === undefined ? without : giveBack(without, [failed.text]), "error", sanitizeLine(`${what} ${next}`.trim()), 10_000);
}

/** Texts that were not delivered come back before what is being typed. */
function giveBack(ui: Ui, texts: readonly string[]): Ui {
  const parts = [...texts, ui.draft.text].filter((text) => text.trim() !== "");
  return texts.length === 0 ? ui : { ...ui, draft: withText(ui.draft, parts.join("\n\n")) };
}

function observed(ui: Ui, event: SmithEvent, at: number): Ui {
  switch (event.type) {
    case "run_start":
      return { ...ui, running: true, runStartedAt: at, retry: undefined, stopping: false };
    case "run_end":
      return { ...past(ui, event), running: false, stopping: false, retry: undefined, approvals: [] };
    case "assistant_start":
    case "assistant_delta":
      return ui.retry === undefined ? ui : { ...ui, retry: undefined };
    case "retry":
      return { ...ui, retry: { attempt: event.attempt, max: event.max, reason: sanitizeLine(event.reason) } };
    case "queue":
      return { ...ui, queue: event.items };
    case "approval":
      return addApproval(ui, { id: event.id, name: event.name, argsSummary: event.argsSummary, args: event.args, shownAt: undefined });
    case "approval_settled":
      return { ...ui, approvals: ui.approvals.filter(({ id }) => id !== event.id) };
    case "user":
    case "tool_end":
      return past(ui, event);
    case "thinking_delta":
    case "thinking_cleared":
    case "assistant":
    case "tool_start":
    case "tool_progress":
    case "notice":
    case "unknown_effect":
    case "interrupted":
    case "run_metrics":
    case "question":
    case "question_settled":
    case "status":
    case "generation":
    case "model":
      return ui;
    case "error":
      return { ...ui, stuck: stuckAfter(event.diagnostic.code, ui.stuck) };
  }
}

/** A file that was deleted stays so; what a repair put in its place can be opened for writing. */
const stuckAfter = (code: string, before: Ui["stuck"]): Ui["stuck"] =>
  code === "session.removed" ? "removed" : code === "session.history-repaired" ? undefined : before;

const addApproval = (ui: Ui, approval: Approval): Ui =>
  ui.approvals.some(({ id }) => id === approval.id) ? ui : { ...ui, approvals: [...ui.approvals, approval] };

/** A frame was painted. Keys count from the one that shows the question at the front; under another page it is not seen. */
export function markShown(ui: Ui, at: number): Ui {
  const [front, ...rest] = ui.approvals;
  const isSeen = ui.overlay === "none";
  if (front === undefined || isSeen === (front.shownAt !== undefined)) return ui;
  return { ...ui, approvals: [{ ...front, shownAt: isSeen ? at : undefined }, ...rest] };
}

/** What an event adds to history and totals. */
function past(ui: Ui, event: Extract<SmithEvent, { readonly type: "user" | "tool_end" | "run_end" }>): Ui {
  switch (event.type) {
    case "user":
      return event.source === "notice" ? ui : { ...ui, history: { ...ui.history, entries: remember(ui.history, event.text).entries } };
    case "run_end":
      return { ...ui, turns: ui.turns + 1, costUsd: event.cost === undefined ? ui.costUsd : (ui.costUsd ?? 0) + event.cost };
    case "tool_end":
      if (event.diff === undefined || event.mutation !== "applied") return ui;
      return { ...ui, files: new Set([...ui.files, ...diffFiles(event.diff)]) };
  }
}
