import { edit, insert, paste } from "../composer/index.js";
import {
  type Action,
  type CommandAction,
  type DialogAction,
  isDialogAction,
  isModelAction,
  isPageAction,
  isViewAction,
  type KeyContext,
  resolveChord,
  type ViewAction,
} from "../focus/index.js";
import { chord, type InputEvent, type Key } from "../terminal/index.js";
import { answerAsked, beginReason, chooseDigit, denyBecause, dropReason, giveVerdict } from "./people/index.js";
import { actOnModels, modelsPage, wantsModels } from "./models/index.js";
import { actOnPage, surePage } from "./plugins/index.js";
import { tell } from "./toast.js";
import { cancel, editing, followUp, interrupt, isLineOnly, runLine, submit } from "./typing.js";
import {
  type Binding,
  type Command,
  editorWidth,
  isAsked,
  isObserver,
  type Reduced,
  textAt,
  textPlace,
  type Ui,
  withTextAt,
} from "./ui.js";

/** Keys that come sooner after a question appeared were typed for something else. */
export const FRESH_KEYS_MS = 150;

const stay = (ui: Ui, ...commands: readonly Command[]): Reduced => ({ ui, commands });

const contexts = (ui: Ui): readonly KeyContext[] => {
  if (ui.overlay === "help") return ["help", "global"];
  if (typeof ui.overlay === "object") return pageContexts(ui);
  if (ui.approvals.length > 0) return ui.reason === undefined ? ["approval", "global"] : ["reason", "text", "global"];
  if (ui.asked !== undefined) return ui.asked.question.type === "ask" ? ["ask", "text", "global"] : [ui.asked.question.type, "global"];
  return isObserver(ui) ? ["observer", "global"] : ["editor", "text", "global"];
};

const pageContexts = (ui: Ui): readonly KeyContext[] =>
  modelsPage(ui) === undefined ? [pageContext(ui), "global"] : ["model-list", "text", "global"];

const pageContext = ({ overlay }: Ui): KeyContext =>
  typeof overlay === "object" && overlay.type === "plugins" ? (overlay.isOpen ? "plugin-detail" : "plugin-list") : "sure";

/** Pure: one input event on top of the state. `at` is of the monotonic clock. */
export function reduceInput(ui: Ui, input: InputEvent, at: number): Reduced {
  const done = taken(ui, input, at);
  // Once for a draft: what is listed comes back, or nothing does.
  return wantsModels(done.ui) && !wantsModels(ui) ? after(done, stay(done.ui, { type: "models", deed: { type: "list" } })) : done;
}

function taken(ui: Ui, input: InputEvent, at: number): Reduced {
  switch (input.type) {
    case "text":
      return text(ui, input.text, at);
    case "key":
      return pressed(ui, input.key, at);
    case "paste":
      return stay(isFresh(ui, at) ? ui : pasted(ui, input.text));
    case "wheel":
      return ui.overlay === "none" ? stay(ui, { type: "scroll", rows: input.rows }) : scrollDetail(ui, Math.sign(input.rows));
    case "focus":
      return stay(ui);
    case "reply":
      return input.reply.type === "background" ? stay(ui, { type: "background", luminance: input.reply.luminance }) : stay(ui);
  }
}

function pasted(ui: Ui, text: string): Ui {
  const place = textPlace(ui);
  if (place === undefined) return ui;
  const fitting = isLineOnly(ui, place) ? text.trim().replace(/\s*[\r\n]+\s*/g, " ") : text;
  return withTextAt(ui, place, paste(textAt(ui, place), fitting));
}

/** A single character may be a key of a layer above the editor; in the editor only `?` on an empty draft is. */
function text(ui: Ui, typed: string, at: number): Reduced {
  const place = textPlace(ui);
  if (place === undefined) return [...typed].reduce<Reduced>((done, char) => after(done, typedChar(done.ui, char, at)), stay(ui));
  if (isFresh(ui, at)) return stay(ui);
  if (place === "draft" && typed === "?" && ui.draft.text === "") return stay({ ...ui, overlay: "help", detailTop: 0 });
  return stay(withTextAt(ui, place, insert(textAt(ui, place), typed)));
}

/** What opened a place to write in takes the rest of what was typed with it. */
const typedChar = (ui: Ui, char: string, at: number): Reduced =>
  textPlace(ui) === undefined
    ? pressed(ui, { name: char === " " ? "space" : char, ctrl: false, alt: false, shift: false }, at)
    : text(ui, char, at);

const after = (before: Reduced, next: Reduced): Reduced => ({ ui: next.ui, commands: [...before.commands, ...next.commands] });

/** A question has only just come up, or no frame has shown it yet. */
function isFresh(ui: Ui, at: number): boolean {
  const front = surePage(ui) ?? (ui.overlay === "none" ? (ui.approvals[0] ?? ui.asked) : undefined);
  return front !== undefined && at - (front.shownAt ?? at) < FRESH_KEYS_MS;
}

function pressed(ui: Ui, key: Key, at: number): Reduced {
  const name = chord(key);
  if (name !== "ctrl+c" && isFresh(ui, at)) return stay(ui);
  const bound = bindingFor(ui, name);
  if (bound !== undefined) return runBinding(ui, bound, at);
  const action = resolveChord(name, contexts(ui));
  if (action !== undefined) return act(ui, action, at);
  if (ui.overlay === "none" && ui.asked?.question.type === "choose" && ui.approvals.length === 0 && /^[1-9]$/.test(name))
    return chooseDigit(ui, Number(name));
  return isObserver(ui) && ui.overlay === "none" ? readOnly(ui) : stay(ui);
}

/** Keys of plugins count where nothing is asked and no page is open. The key that stops the turn stops it whatever a plugin wants. */
function bindingFor(ui: Ui, name: string): Binding | undefined {
  if (ui.overlay !== "none" || isAsked(ui) || isObserver(ui)) return undefined;
  return name === "escape" && ui.running ? undefined : ui.bindings.get(name);
}

function runBinding(ui: Ui, { does }: Binding, at: number): Reduced {
  switch (does.type) {
    case "nothing":
      return stay(ui);
    case "action":
      return act(ui, does.action, at);
    case "command":
      return runLine(ui, does.line);
  }
}

const readOnly = (ui: Ui): Reduced => tell(ui, "warning", "read-only: what is typed here is not sent; q leaves");

function act(ui: Ui, action: Action, at: number): Reduced {
  if (action.type === "edit") return editing(ui, action.edit);
  if (isViewAction(action)) return actOnView(ui, action.type);
  if (isDialogAction(action)) return actOnDialog(ui, action.type);
  if (isPageAction(action)) return actOnPage(ui, action.type);
  if (isModelAction(action)) return actOnModels(ui, action.type);
  return actOnDraft(ui, action.type, at);
}

function actOnDraft(ui: Ui, action: CommandAction, at: number): Reduced {
  switch (action) {
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
        ? stay(ui, { type: "quit", status: ui.phase === "failed" ? (ui.failure?.exit ?? 1) : 0 })
        : stay({ ...ui, draft: edit(ui.draft, "delete-right", editorWidth(ui.size)) });
    case "leave":
      return stay(ui, { type: "quit", status: 0 });
    case "recall-queue":
      return ui.queue.length > 0 ? stay(ui, { type: "recall" }) : stay(ui);
    case "help":
      return stay({ ...ui, overlay: ui.overlay === "none" ? "help" : "none", detailTop: 0 });
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
    case "detail-page-up":
      return scrollDetail(ui, -DETAIL_PAGE);
    case "detail-page-down":
      return scrollDetail(ui, DETAIL_PAGE);
  }
}

function actOnDialog(ui: Ui, action: DialogAction): Reduced {
  switch (action) {
    case "allow-once":
      return giveVerdict(ui, "once");
    case "allow-session":
      return giveVerdict(ui, "session");
    case "allow-project":
      return giveVerdict(ui, "project");
    case "deny":
      return giveVerdict(ui, "deny");
    case "say-why":
      return beginReason(ui);
    case "deny-because":
      return denyBecause(ui);
    case "back-to-question":
      return dropReason(ui);
    case "send-answer":
    case "dismiss":
    case "choice-up":
    case "choice-down":
    case "choice-toggle":
    case "take-choice":
    case "say-yes":
    case "say-no":
      return answerAsked(ui, action);
  }
}

/** Less than any page shows, so that no row is passed over unseen. */
const DETAIL_PAGE = 6;

/** The view clamps at the end of what it shows. */
const scrollDetail = (ui: Ui, by: number): Reduced => stay({ ...ui, detailTop: Math.max(0, ui.detailTop + by) });
