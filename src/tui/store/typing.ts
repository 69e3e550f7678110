import { browse, cleared, edit, type EditAction, expand, insert, withText } from "../composer/index.js";
import { command } from "./commands.js";
import { chooseNext, commandsOf, completed, menuOf } from "./menu.js";
import { noSession, send, sendPluginCommand } from "./outgoing.js";
import { parseSlash, type SlashParse } from "./slash.js";
import { tell } from "./toast.js";
import {
  type Command,
  editorWidth,
  isAsked,
  isObserver,
  type Reduced,
  textAt,
  type TextPlace,
  textPlace,
  type Ui,
  withTextAt,
} from "./ui.js";

const QUIT_WINDOW_MS = 2000;

const stay = (ui: Ui, ...commands: readonly Command[]): Reduced => ({ ui, commands });

/** An editing key, where text is being written. */
export function editing(ui: Ui, action: EditAction): Reduced {
  const place = textPlace(ui);
  if (place === undefined) return stay(ui);
  if (place !== "draft") return stay(isLineOnly(ui, place) && action === "newline" ? ui : edited(ui, place, action));
  return action === "up" || action === "down" ? stay(vertical(ui, action)) : stay(edited(ui, "draft", action));
}

/** In the list of commands, in the draft, and at its edge through earlier prompts. */
function vertical(ui: Ui, action: "up" | "down"): Ui {
  const by = action === "up" ? -1 : 1;
  const menu = menuOf(ui);
  if (menu !== undefined) return chooseNext(ui, menu, by);
  const next = edited(ui, "draft", action);
  if (next.draft !== ui.draft) return next;
  const browsed = browse(ui.history, ui.draft, by);
  return { ...ui, draft: browsed.draft, history: browsed.history };
}

/** Whether what is written there has no line breaks. */
export const isLineOnly = (ui: Ui, place: TextPlace): boolean =>
  place === "reason" ||
  place === "filter" ||
  (place === "answer" && ui.asked?.question.type === "ask" && ui.asked.question.multiline !== true);

const edited = (ui: Ui, place: TextPlace, action: EditAction): Ui =>
  withTextAt(ui, place, edit(textAt(ui, place), action, editorWidth(ui.size)));

/** Enter. A backslash before it is the newline of terminals that cannot tell Shift+Enter. */
export function submit(ui: Ui, delivery: "steer" | "follow-up"): Reduced {
  const { draft } = ui;
  if (draft.text.charAt(draft.cursor - 1) === "\\") {
    return stay({ ...ui, draft: insert(edit(draft, "delete-left", editorWidth(ui.size)), "\n") });
  }
  if (draft.text.trim() === "") return stay(ui);
  const menu = menuOf(ui);
  if (menu?.isWhole === false) return stay(completed(ui, menu));
  const text = expand(draft);
  const slash = parseSlash(text, commandsOf(ui));
  if (slash.type !== "none") return runSlash(ui, text, slash);
  if (ui.phase === "failed") return noSession(ui);
  return send(ui, text, ui.running ? delivery : undefined);
}

/** Commands of plugins are not known while the session is being opened: what is none of the interface's waits and is looked up then. */
function runSlash(ui: Ui, text: string, slash: Exclude<SlashParse, { readonly type: "none" }>): Reduced {
  switch (slash.type) {
    case "command":
      return command(ui, slash);
    case "contributed":
      return sendPluginCommand(ui, text, { type: "run-command", name: slash.name, args: slash.args, isTyped: true });
    case "unknown":
      return ui.contributions === undefined && ui.phase === "starting" && slash.word !== ""
        ? sendPluginCommand(ui, text, { type: "run-command", name: slash.word, args: slash.args, isTyped: true })
        : unknown(ui, slash.word, slash.near);
  }
}

const unknown = (ui: Ui, word: string, near: string | undefined): Reduced =>
  tell(
    ui,
    "warning",
    near === undefined
      ? `there is no /${word}; /help lists what there is, a blank before it makes it text`
      : `there is no /${word}; did you mean /${near}?`,
  );

/** A command that a key stands for: the draft stays what it is. */
export function runLine(ui: Ui, line: string): Reduced {
  const slash = parseSlash(line, commandsOf(ui));
  if (slash.type === "contributed")
    return sendPluginCommand(ui, line, { type: "run-command", name: slash.name, args: slash.args, isTyped: false });
  if (slash.type === "command") {
    const done = command(ui, slash);
    return { ...done, ui: { ...done.ui, draft: ui.draft } };
  }
  return tell(ui, "warning", `there is no ${line.split(" ")[0] ?? line}`);
}

/** Tab: completes a command's name, else sends for after the run. */
export function followUp(ui: Ui): Reduced {
  const menu = menuOf(ui);
  if (menu !== undefined) return stay(completed(ui, menu));
  return ui.running ? submit(ui, "follow-up") : stay(ui);
}

/** Esc: close what is open, stop what runs; never destructive when pressed again. */
export function cancel(ui: Ui): Reduced {
  if (ui.running && !ui.stopping) return stay({ ...ui, stopping: true }, { type: "abort" });
  if (ui.history.browsing !== undefined)
    return stay({ ...ui, draft: withText(ui.draft, ui.history.browsing.stash), history: { entries: ui.history.entries } });
  return stay({ ...ui, toast: undefined });
}

/** Ctrl-C: clears the draft; else stops the turn; twice within two seconds quits. */
export function interrupt(ui: Ui, at: number): Reduced {
  if (ui.overlay !== "none") return stay({ ...ui, overlay: "none", detailTop: 0 });
  if (at < ui.quitUntil) return stay(ui, { type: "quit", status: 130 });
  const armed: Ui = { ...ui, quitUntil: at + QUIT_WINDOW_MS };
  if (isObserver(ui)) return tell(armed, "info", "Ctrl-C again leaves", QUIT_WINDOW_MS);
  if (ui.draft.text !== "" && !isAsked(ui))
    return tell({ ...armed, draft: cleared(ui.draft) }, "info", "draft cleared, ctrl+_ brings it back; Ctrl-C again quits", QUIT_WINDOW_MS);
  const told = tell(armed, "info", "Ctrl-C again quits", QUIT_WINDOW_MS);
  return ui.running && !ui.stopping ? { ui: { ...told.ui, stopping: true }, commands: [...told.commands, { type: "abort" }] } : told;
}
