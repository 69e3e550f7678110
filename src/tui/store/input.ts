import { browse, cleared, edit, type EditAction, expand, insert, paste, withText } from "../composer/index.js";
import { type Action, isViewAction, type KeyContext, resolveChord, type ViewAction } from "../focus/index.js";
import { chord, type InputEvent, type Key } from "../terminal/index.js";
import { command } from "./commands.js";
import { chooseNext, completed, menuOf } from "./menu.js";
import { noSession, send } from "./outgoing.js";
import { parseSlash } from "./slash.js";
import { tell } from "./toast.js";
import { type Command, editorWidth, isObserver, type Reduced, takesText, type Ui } from "./ui.js";

/** Keys that come sooner after a question appeared were typed for something else. */
export const FRESH_KEYS_MS = 150;
const QUIT_WINDOW_MS = 2000;

const stay = (ui: Ui, ...commands: readonly Command[]): Reduced => ({ ui, commands });

const contexts = (ui: Ui): readonly KeyContext[] => {
  if (ui.overlay === "help") return ["help", "global"];
  if (ui.approvals.length > 0) return ["approval", "global"];
  return isObserver(ui) ? ["observer", "global"] : ["editor", "global"];
};

/** Pure: one input event on top of the state. `at` is of the monotonic clock. */
export function reduceInput(ui: Ui, input: InputEvent, at: number): Reduced {
  switch (input.type) {
    case "text":
      return text(ui, input.text, at);
    case "key":
      return pressed(ui, input.key, at);
    case "paste":
      return takesText(ui) ? stay({ ...ui, draft: paste(ui.draft, input.text) }) : stay(ui);
    case "wheel":
      return ui.overlay === "help" ? scrollDetail(ui, Math.sign(input.rows)) : stay(ui, { type: "scroll", rows: input.rows });
    case "focus":
      return stay(ui);
    case "reply":
      return input.reply.type === "background" ? stay(ui, { type: "background", luminance: input.reply.luminance }) : stay(ui);
  }
}

/** A single character may be a key of a layer above the editor; in the editor only `?` on an empty draft is. */
function text(ui: Ui, typed: string, at: number): Reduced {
  if (!takesText(ui))
    return [...typed].reduce<Reduced>(
      (done, char) => after(done, pressed(done.ui, { name: char === " " ? "space" : char, ctrl: false, alt: false, shift: false }, at)),
      stay(ui),
    );
  if (typed === "?" && ui.draft.text === "") return stay({ ...ui, overlay: "help", detailTop: 0 });
  return stay({ ...ui, draft: insert(ui.draft, typed) });
}

const after = (before: Reduced, next: Reduced): Reduced => ({ ui: next.ui, commands: [...before.commands, ...next.commands] });

function pressed(ui: Ui, key: Key, at: number): Reduced {
  const question = ui.overlay === "none" ? ui.approvals[0] : undefined;
  const name = chord(key);
  if (question !== undefined && name !== "ctrl+c" && at - (question.shownAt ?? at) < FRESH_KEYS_MS) return stay(ui);
  const action = resolveChord(name, contexts(ui));
  if (action !== undefined) return act(ui, action, at);
  return isObserver(ui) && ui.overlay === "none" ? readOnly(ui) : stay(ui);
}

const readOnly = (ui: Ui): Reduced => tell(ui, "warning", "read-only: what is typed here is not sent; q leaves");

function act(ui: Ui, action: Action, at: number): Reduced {
  if (isViewAction(action)) return actOnView(ui, action.type);
  return actOnDraft(ui, action, at);
}

function actOnDraft(ui: Ui, action: Exclude<Action, { readonly type: ViewAction }>, at: number): Reduced {
  switch (action.type) {
    case "edit":
      return editing(ui, action.edit);
    case "submit":
      return submit(ui, "steer");
    case "follow-up":
      return followUp(ui);
    case "interrupt":
      return interrupt(ui, at);
    case "cancel":
      return cancel(ui);
    case "quit-if-empty":
      return ui.draft.text === ""
        ? stay(ui, { type: "quit", status: ui.phase === "failed" ? 1 : 0 })
        : stay({ ...ui, draft: edit(ui.draft, "delete-right", editorWidth(ui.size)) });
    case "leave":
      return stay(ui, { type: "quit", status: 0 });
    case "recall-queue":
      return ui.queue.length > 0 ? stay(ui, { type: "recall" }) : stay(ui);
    case "help":
      return stay({ ...ui, overlay: ui.overlay === "help" ? "none" : "help", detailTop: 0 });
    case "close":
      return stay({ ...ui, overlay: "none", detailTop: 0 });
    case "expand":
      return stay({ ...ui, expanded: !ui.expanded });
  }
}

function actOnView(ui: Ui, type: ViewAction): Reduced {
  switch (type) {
    case "suspend":
      return stay(ui, { type: "suspend" });
    case "repaint":
      return stay(ui, { type: "repaint" });
    case "page-up":
      return stay(ui, { type: "scroll-pages", pages: -1 });
    case "page-down":
      return stay(ui, { type: "scroll-pages", pages: 1 });
    case "line-up":
      return stay(ui, { type: "scroll", rows: -1 });
    case "line-down":
      return stay(ui, { type: "scroll", rows: 1 });
    case "top":
      return stay(ui, { type: "scroll-top" });
    case "latest":
      return stay(ui, { type: "scroll-latest" });
    case "prompt-back":
      return stay(ui, { type: "scroll-prompt", by: -1 });
    case "prompt-forth":
      return stay(ui, { type: "scroll-prompt", by: 1 });
    case "detail-up":
      return scrollDetail(ui, -1);
    case "detail-down":
      return scrollDetail(ui, 1);
    case "allow-once":
      return answer(ui, "once");
    case "allow-session":
      return answer(ui, "session");
    case "deny":
      return answer(ui, "deny");
  }
}

/** The view clamps at the end of what it shows. */
const scrollDetail = (ui: Ui, by: number): Reduced => stay({ ...ui, detailTop: Math.max(0, ui.detailTop + by) });

function answer(ui: Ui, verdict: "once" | "session" | "deny"): Reduced {
  const [question, ...rest] = ui.approvals;
  if (question === undefined) return stay(ui);
  return stay({ ...ui, approvals: rest, detailTop: 0 }, { type: "answer", call: question.id, verdict });
}

function editing(ui: Ui, action: EditAction): Reduced {
  const menu = action === "up" || action === "down" ? menuOf(ui) : undefined;
  if (menu !== undefined) return stay(chooseNext(ui, menu, action === "up" ? -1 : 1));
  const width = editorWidth(ui.size);
  const draft = edit(ui.draft, action, width);
  if (draft === ui.draft && (action === "up" || action === "down")) {
    const browsed = browse(ui.history, ui.draft, action === "up" ? -1 : 1);
    return stay({ ...ui, draft: browsed.draft, history: browsed.history });
  }
  return stay({ ...ui, draft });
}

/** Enter. A backslash before it is the newline of terminals that cannot tell Shift+Enter. */
function submit(ui: Ui, delivery: "steer" | "follow-up"): Reduced {
  const { draft } = ui;
  if (draft.text.charAt(draft.cursor - 1) === "\\") {
    return stay({ ...ui, draft: insert(edit(draft, "delete-left", editorWidth(ui.size)), "\n") });
  }
  if (draft.text.trim() === "") return stay(ui);
  const menu = menuOf(ui);
  if (menu?.isWhole === false) return stay(completed(ui, menu));
  const slash = parseSlash(draft.text);
  if (slash.type === "command") return command(ui, slash);
  if (slash.type === "unknown") {
    return tell(
      ui,
      "warning",
      slash.near === undefined
        ? `there is no /${slash.word}; /help lists what there is, a blank before it makes it text`
        : `there is no /${slash.word}; did you mean /${slash.near}?`,
    );
  }
  if (ui.phase === "failed") return noSession(ui);
  return send(ui, expand(draft), ui.running ? delivery : undefined);
}

/** Tab: completes a command's name, else sends for after the run. */
function followUp(ui: Ui): Reduced {
  const menu = menuOf(ui);
  if (menu !== undefined) return stay(completed(ui, menu));
  return ui.running ? submit(ui, "follow-up") : stay(ui);
}

/** Esc: close what is open, stop what runs; never destructive when pressed again. */
function cancel(ui: Ui): Reduced {
  if (ui.running && !ui.stopping) return stay({ ...ui, stopping: true }, { type: "abort" });
  if (ui.history.browsing !== undefined)
    return stay({ ...ui, draft: withText(ui.draft, ui.history.browsing.stash), history: { entries: ui.history.entries } });
  return stay({ ...ui, toast: undefined });
}

/** Ctrl-C: clears the draft; else stops the turn; twice within two seconds quits. */
function interrupt(ui: Ui, at: number): Reduced {
  if (ui.overlay === "help") return stay({ ...ui, overlay: "none" });
  if (at < ui.quitUntil) return stay(ui, { type: "quit", status: 130 });
  const armed: Ui = { ...ui, quitUntil: at + QUIT_WINDOW_MS };
  if (isObserver(ui)) return tell(armed, "info", "Ctrl-C again leaves", QUIT_WINDOW_MS);
  if (ui.draft.text !== "" && ui.approvals.length === 0)
    return tell({ ...armed, draft: cleared(ui.draft) }, "info", "draft cleared, ctrl+_ brings it back; Ctrl-C again quits", QUIT_WINDOW_MS);
  const told = tell(armed, "info", "Ctrl-C again quits", QUIT_WINDOW_MS);
  return ui.running && !ui.stopping ? { ui: { ...told.ui, stopping: true }, commands: [...told.commands, { type: "abort" }] } : told;
}
