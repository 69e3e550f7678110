import { sanitizeLine } from "../text/index.js";
import { remember, withText } from "../composer/index.js";
import { diffFiles, retryWords } from "../render/index.js";
import type { CallId } from "../../base/index.js";
import type { Diagnostic, SmithEvent } from "../../schema/index.js";
import { reduceInput } from "./input.js";
import { modelNews } from "./models/index.js";
import { delivered, isAnswered, send } from "./outgoing.js";
import { ask, settled } from "./people/index.js";
import { adminNews, contributed, pluginsChanged, surePage } from "./plugins/index.js";
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
      return happened(ui, event.event, event.at);
    case "history":
      return stay(event.events.reduce((state, each) => (each.type === "user" ? past(state, each) : state), ui));
    case "admitted":
      return stay({ ...ui, outgoing: ui.outgoing.filter(({ id }) => id !== event.id) });
    case "refused":
      return refused(ui, event.id, event.diagnostic);
    case "contributions":
      return contributed(ui, event.contributions);
    case "admin":
      return adminNews(ui, event.news);
    case "models":
      return modelNews(ui, event.news);
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
  const { pendingApproval, question } = event.status;
  const approving = pendingApproval === undefined ? ui : addApproval(ui, { ...pendingApproval, args: {} });
  const next = withStatus({ ...(question === undefined ? approving : ask(approving, question)), phase: "ready" }, event);
  // Who was kept out by a writer knows of it; without one it is the file that cannot be continued.
  if (event.status.access === "read")
    return stay(withdrawn(event.status.owner === undefined && next.stuck === undefined ? { ...next, stuck: "unwritable" } : next));
  return stay({ ...next, outgoing: ui.outgoing.filter(isAnswered) }, ...ui.outgoing.map(delivered));
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

/** What has to be put right outside is told outside, at once. */
function openFailed(ui: Ui, event: Extract<UiEvent, { readonly type: "open-failed" }>): Reduced {
  const failed = withdrawn({ ...ui, phase: "failed", failure: event.diagnostic });
  const { exit } = event.diagnostic;
  return stay(failed, ...(exit === 2 || exit === 3 ? [{ type: "quit", status: exit } as const] : []));
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

function refused(ui: Ui, id: number, { what, next }: Diagnostic): Reduced {
  const failed = ui.outgoing.find((each) => each.id === id);
  const without: Ui = { ...ui, outgoing: ui.outgoing.filter((each) => each.id !== id) };
  const returned = failed === undefined || (failed.request.type === "run-command" && !failed.request.isTyped) ? [] : [failed.text];
  return tell(giveBack(without, returned), "error", sanitizeLine(`${what} ${next}`.trim()), 10_000);
}

/** Texts that were not delivered come back before what is being typed. */
function giveBack(ui: Ui, texts: readonly string[]): Ui {
  const parts = [...texts, ui.draft.text].filter((text) => text.trim() !== "");
  return texts.length === 0 ? ui : { ...ui, draft: withText(ui.draft, parts.join("\n\n")) };
}

function happened(ui: Ui, event: SmithEvent, at: number): Reduced {
  if (event.type === "generation") return pluginsChanged(ui, event.changed);
  if (event.type !== "model") return stay(observed(ui, event, at));
  const by = event.by === undefined ? "" : `, chosen by ${sanitizeLine(event.by)}`;
  return tell(ui, "info", `model is ${sanitizeLine(`${event.model.provider}/${event.model.model}`)} now${by}`, 8000);
}

function observed(ui: Ui, event: SmithEvent, at: number): Ui {
  switch (event.type) {
    case "run_start":
      return { ...ui, running: true, runStartedAt: at, retry: undefined, stopping: false };
    case "run_end":
      return { ...past(ui, event), running: false, stopping: false, retry: undefined, approvals: [], reason: undefined };
    case "assistant_start":
    case "assistant_delta":
      return ui.retry === undefined ? ui : { ...ui, retry: undefined };
    case "failover":
      return { ...ui, retry: undefined };
    case "retry":
      return { ...ui, retry: { attempt: event.attempt, max: event.max, why: retryWords(event), until: at + event.delayMs } };
    case "queue":
      return { ...ui, queue: event.items };
    case "approval":
      return addApproval(ui, event);
    case "approval_settled":
      return withoutApproval(ui, event.id);
    case "question":
      return ask(ui, event);
    case "question_settled":
      return settled(ui, event.id);
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
    case "status":
    case "generation":
    case "mcp":
    case "model":
      return ui;
    case "error":
      return { ...ui, stuck: stuckAfter(event.diagnostic.code, ui.stuck) };
  }
}

/** A file that was deleted stays so; what a repair put in its place can be opened for writing. */
const stuckAfter = (code: string, before: Ui["stuck"]): Ui["stuck"] =>
  code === "session.removed" ? "removed" : code === "session.history-repaired" ? undefined : before;

type Asking = Pick<Approval, "id" | "name" | "argsSummary" | "args"> & { readonly why?: string; readonly rule?: string };

function addApproval(ui: Ui, { id, name, argsSummary, args, why, rule }: Asking): Ui {
  if (ui.approvals.some((known) => known.id === id)) return ui;
  return { ...ui, approvals: [...ui.approvals, { id, name, argsSummary, args, why, rule, shownAt: undefined }] };
}

/** What was being written about the call at the front goes with it. */
function withoutApproval(ui: Ui, call: CallId): Ui {
  const approvals = ui.approvals.filter(({ id }) => id !== call);
  return ui.approvals[0]?.id === call ? { ...ui, approvals, reason: undefined, detailTop: 0 } : { ...ui, approvals };
}

/** A frame was painted. Keys count from the one that shows the question at the front; under another page it is not seen. No text is scrolled beyond `lastTop`. */
export function markShown(ui: Ui, at: number, lastTop = Number.POSITIVE_INFINITY): Ui {
  const seen = seenNow(ui.detailTop > lastTop ? { ...ui, detailTop: lastTop } : ui, at);
  const sure = surePage(seen);
  return sure?.shownAt === undefined && sure !== undefined ? { ...seen, overlay: { ...sure, shownAt: at } } : seen;
}

function seenNow(ui: Ui, at: number): Ui {
  const [front, ...rest] = ui.approvals;
  const { asked } = ui;
  const isSeen = ui.overlay === "none";
  const shownAt = isSeen ? at : undefined;
  if (front !== undefined) return isSeen === (front.shownAt !== undefined) ? ui : { ...ui, approvals: [{ ...front, shownAt }, ...rest] };
  return asked === undefined || isSeen === (asked.shownAt !== undefined) ? ui : { ...ui, asked: { ...asked, shownAt } };
}

/** What an event adds to history and totals. */
function past(ui: Ui, event: Extract<SmithEvent, { readonly type: "user" | "tool_end" | "run_end" }>): Ui {
  switch (event.type) {
    case "user":
      return event.source === "notice" ? ui : { ...ui, history: { ...ui.history, entries: remember(ui.history, event.text).entries } };
    case "run_end":
      return { ...ui, turns: ui.turns + 1 };
    case "tool_end":
      if (event.diff === undefined || event.mutation !== "applied") return ui;
      return { ...ui, files: new Set([...ui.files, ...diffFiles(event.diff)]) };
  }
}
