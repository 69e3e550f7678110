import type { EditAction } from "../composer/index.js";

/** Where a key is looked up; the topmost layer first. `text`: wherever text is written. */
export type KeyContext =
  | "approval"
  | "reason"
  | "ask"
  | "choose"
  | "confirm"
  | "plugin-list"
  | "plugin-detail"
  | "sure"
  | "model-list"
  | "help"
  | "observer"
  | "editor"
  | "text"
  | "global";

/** What changes the draft, the run or what is shown. */
export type CommandAction =
  "submit" | "follow-up" | "interrupt" | "cancel" | "quit-if-empty" | "expand" | "help" | "close" | "recall-queue" | "leave";

const VIEW_ACTIONS = [
  "suspend",
  "repaint",
  "page-up",
  "page-down",
  "line-up",
  "line-down",
  "top",
  "latest",
  "prompt-back",
  "prompt-forth",
  "detail-up",
  "detail-down",
  "detail-page-up",
  "detail-page-down",
] as const;

/** What moves the view or concerns the terminal. */
export type ViewAction = (typeof VIEW_ACTIONS)[number];

const DIALOG_ACTIONS = [
  "allow-once",
  "allow-session",
  "allow-project",
  "deny",
  "say-why",
  "deny-because",
  "back-to-question",
  "send-answer",
  "dismiss",
  "choice-up",
  "choice-down",
  "choice-toggle",
  "take-choice",
  "say-yes",
  "say-no",
] as const;

/** What answers a question: of a tool that wants to run, or of a plugin. */
export type DialogAction = (typeof DIALOG_ACTIONS)[number];

const PAGE_ACTIONS = [
  "row-up",
  "row-down",
  "open-row",
  "page-back",
  "able-plugin",
  "approve-plugin",
  "remove-plugin",
  "trust-project",
  "reload-plugins",
  "sure-yes",
  "sure-no",
] as const;

/** What belongs to the pages about plugins. */
export type PageAction = (typeof PAGE_ACTIONS)[number];

const MODEL_ACTIONS = ["model-up", "model-down", "model-page-up", "model-page-down", "take-model", "keep-model"] as const;

/** What belongs to the page of models. */
export type ModelAction = (typeof MODEL_ACTIONS)[number];

export type Action =
  | { readonly type: "edit"; readonly edit: EditAction }
  | { readonly type: CommandAction }
  | { readonly type: ViewAction }
  | { readonly type: DialogAction }
  | { readonly type: PageAction }
  | { readonly type: ModelAction };

const VIEWS: ReadonlySet<string> = new Set(VIEW_ACTIONS);
const DIALOGS: ReadonlySet<string> = new Set(DIALOG_ACTIONS);
const PAGES: ReadonlySet<string> = new Set(PAGE_ACTIONS);

const MODELS: ReadonlySet<string> = new Set(MODEL_ACTIONS);

export const isModelAction = (action: Action): action is { readonly type: ModelAction } => MODELS.has(action.type);
export const isViewAction = (action: Action): action is { readonly type: ViewAction } => VIEWS.has(action.type);
export const isDialogAction = (action: Action): action is { readonly type: DialogAction } => DIALOGS.has(action.type);
export const isPageAction = (action: Action): action is { readonly type: PageAction } => PAGES.has(action.type);

export interface Binding {
  readonly context: KeyContext;
  readonly keys: string;
  readonly action: Action;
  /** For the help page; bindings with the same text share a line. */
  readonly help?: string;
}

const bind = (context: KeyContext, keys: string, type: Exclude<Action["type"], "edit">, help?: string): Binding => ({
  context,
  keys,
  // One of the kinds above: the compiler does not try so many names one by one.
  action: { type } as Action,
  ...(help === undefined ? {} : { help }),
});

const editing = (keys: string, edit: EditAction, help?: string): Binding => ({
  context: "text",
  keys,
  action: { type: "edit", edit },
  ...(help === undefined ? {} : { help }),
});

/** The keys of the interface. Chords are written `ctrl+alt+shift+name`. */
const KEYMAP: readonly Binding[] = [
  bind("observer", "q", "leave", "leave"),
  bind("observer", "escape", "leave", "leave"),
  bind("observer", "f", "latest", "follow what comes"),
  bind("observer", "end", "latest", "follow what comes"),
  bind("observer", "home", "top"),
  bind("observer", "up", "line-up", "scroll by a line"),
  bind("observer", "down", "line-down", "scroll by a line"),
  bind("observer", "space", "page-down"),
  bind("observer", "ctrl+d", "leave"),
  bind("observer", "?", "help", "this page"),

  bind("editor", "enter", "submit", "send; while smith works: steer"),
  bind("editor", "tab", "follow-up", "while smith works: send when it is done"),
  editing("shift+enter", "newline", "new line"),
  editing("alt+enter", "newline", "new line"),
  editing("ctrl+j", "newline", "new line"),
  editing("ctrl+enter", "newline"),
  bind("editor", "escape", "cancel", "stop the turn; queued text comes back here"),
  bind("global", "ctrl+c", "interrupt", "clear the draft, else stop, twice: quit"),
  bind("editor", "ctrl+d", "quit-if-empty", "quit, when the draft is empty"),
  bind("editor", "alt+up", "recall-queue", "take queued text back into the editor"),
  bind("editor", "?", "help", "this page, when the draft is empty"),
  bind("global", "f1", "help"),

  bind("global", "pageup", "page-up", "scroll by a page (the wheel scrolls too)"),
  bind("global", "pagedown", "page-down", "scroll by a page (the wheel scrolls too)"),
  bind("global", "shift+up", "line-up", "scroll by a line"),
  bind("global", "shift+down", "line-down", "scroll by a line"),
  bind("global", "ctrl+end", "latest", "to the latest line"),
  bind("global", "shift+end", "latest"),
  bind("global", "ctrl+home", "top", "to the first line that is loaded; again: earlier"),
  bind("global", "ctrl+up", "prompt-back", "to your prompt before, after"),
  bind("global", "ctrl+down", "prompt-forth", "to your prompt before, after"),
  bind("global", "ctrl+o", "expand", "unfold tool output and thinking"),
  bind("global", "ctrl+l", "repaint", "paint the screen again"),
  bind("global", "ctrl+z", "suspend", "suspend; fg comes back"),

  editing("left", "left"),
  editing("ctrl+b", "left"),
  editing("right", "right"),
  editing("ctrl+f", "right"),
  editing("up", "up", "row up and down; at the edge: earlier prompts"),
  editing("ctrl+p", "up"),
  editing("down", "down", "row up and down; at the edge: earlier prompts"),
  editing("ctrl+n", "down"),
  editing("home", "line-start", "start and end of the line"),
  editing("ctrl+a", "line-start"),
  editing("end", "line-end", "start and end of the line"),
  editing("ctrl+e", "line-end"),
  editing("alt+<", "draft-start"),
  editing("alt+shift+<", "draft-start"),
  editing("alt+>", "draft-end"),
  editing("alt+shift+>", "draft-end"),
  editing("ctrl+left", "word-left", "by a word"),
  editing("alt+left", "word-left"),
  editing("alt+b", "word-left"),
  editing("ctrl+right", "word-right", "by a word"),
  editing("alt+right", "word-right"),
  editing("alt+f", "word-right"),
  editing("backspace", "delete-left"),
  editing("shift+backspace", "delete-left"),
  editing("ctrl+h", "delete-left"),
  editing("delete", "delete-right"),
  editing("ctrl+w", "kill-blank-word-left", "cut a word"),
  editing("alt+backspace", "kill-word-left"),
  editing("ctrl+backspace", "kill-word-left"),
  editing("alt+d", "kill-word-right"),
  editing("ctrl+delete", "kill-word-right"),
  editing("ctrl+u", "kill-to-start", "cut to the start, to the end of the line"),
  editing("ctrl+k", "kill-to-end", "cut to the start, to the end of the line"),
  editing("ctrl+y", "yank", "paste what was cut; alt+y: the cut before"),
  editing("alt+y", "yank-cycle"),
  editing("ctrl+t", "transpose"),
  editing("ctrl+_", "undo", "undo, redo"),
  editing("ctrl+shift+z", "redo"),
  editing("ctrl+-", "undo"),
  editing("alt+z", "redo", "undo, redo"),

  bind("approval", "y", "allow-once"),
  bind("approval", "s", "allow-session"),
  bind("approval", "p", "allow-project"),
  bind("approval", "n", "say-why"),
  bind("approval", "tab", "say-why"),
  bind("approval", "escape", "deny"),
  bind("approval", "up", "detail-up"),
  bind("approval", "down", "detail-down"),
  bind("reason", "enter", "deny-because"),
  bind("reason", "escape", "back-to-question"),

  bind("ask", "enter", "send-answer"),
  bind("ask", "escape", "dismiss"),
  bind("ask", "pageup", "detail-page-up"),
  bind("ask", "pagedown", "detail-page-down"),
  bind("choose", "up", "choice-up"),
  bind("choose", "down", "choice-down"),
  bind("choose", "space", "choice-toggle"),
  bind("choose", "enter", "take-choice"),
  bind("choose", "escape", "dismiss"),
  bind("choose", "pageup", "detail-page-up"),
  bind("choose", "pagedown", "detail-page-down"),
  bind("confirm", "y", "say-yes"),
  bind("confirm", "n", "say-no"),
  bind("confirm", "escape", "dismiss"),
  bind("confirm", "up", "detail-up"),
  bind("confirm", "down", "detail-down"),

  bind("plugin-list", "up", "row-up"),
  bind("plugin-list", "down", "row-down"),
  bind("plugin-list", "pageup", "row-up"),
  bind("plugin-list", "pagedown", "row-down"),
  bind("plugin-list", "enter", "open-row"),
  bind("plugin-list", "escape", "close"),
  bind("plugin-list", "q", "close"),
  bind("plugin-detail", "up", "detail-up"),
  bind("plugin-detail", "down", "detail-down"),
  bind("plugin-detail", "pageup", "detail-page-up"),
  bind("plugin-detail", "pagedown", "detail-page-down"),
  bind("plugin-detail", "enter", "page-back"),
  bind("plugin-detail", "escape", "page-back"),
  bind("plugin-detail", "q", "close"),
  ...(["plugin-list", "plugin-detail"] as const).flatMap((context) => [
    bind(context, "e", "able-plugin"),
    bind(context, "a", "approve-plugin"),
    bind(context, "d", "remove-plugin"),
    bind(context, "t", "trust-project"),
    bind(context, "r", "reload-plugins"),
  ]),
  bind("model-list", "up", "model-up"),
  bind("model-list", "ctrl+p", "model-up"),
  bind("model-list", "down", "model-down"),
  bind("model-list", "ctrl+n", "model-down"),
  bind("model-list", "pageup", "model-page-up"),
  bind("model-list", "pagedown", "model-page-down"),
  bind("model-list", "enter", "take-model"),
  bind("model-list", "tab", "keep-model"),
  bind("model-list", "escape", "close"),
  bind("sure", "y", "sure-yes"),
  bind("sure", "n", "sure-no"),
  bind("sure", "enter", "sure-no"),
  bind("sure", "escape", "sure-no"),
  bind("sure", "up", "detail-up"),
  bind("sure", "down", "detail-down"),
  bind("sure", "pageup", "detail-page-up"),
  bind("sure", "pagedown", "detail-page-down"),

  bind("help", "escape", "close"),
  bind("help", "q", "close"),
  bind("help", "?", "close"),
  bind("help", "enter", "close"),
  bind("help", "f1", "close"),
  bind("help", "up", "detail-up"),
  bind("help", "down", "detail-down"),
  bind("help", "pageup", "detail-page-up"),
  bind("help", "pagedown", "detail-page-down"),
];

const INDEX: ReadonlyMap<string, Action> = new Map(KEYMAP.map(({ context, keys, action }) => [`${context} ${keys}`, action]));

/** The action of a chord in the first of the contexts that binds it. */
export function resolveChord(chord: string, contexts: readonly KeyContext[]): Action | undefined {
  for (const context of contexts) {
    const action = INDEX.get(`${context} ${chord}`);
    if (action !== undefined) return action;
  }
  return undefined;
}

/** Actions that a key of a plugin may stand for, by the name they are written with: what works in the editor, and what is there everywhere. */
const FREE: ReadonlyMap<string, Action> = new Map(
  KEYMAP.filter(({ context }) => context === "editor" || context === "text" || context === "global").map(({ action }) => [
    action.type === "edit" ? action.edit : action.type,
    action,
  ]),
);

export const freeAction = (name: string): Action | undefined => FREE.get(name);
export const freeActionNames = (): readonly string[] => [...FREE.keys()];

/** Lines of the help page, for who writes or for who only reads along: what, and its keys. Keys that are `taken` do something else. */
export function helpLines(
  context: "editor" | "observer",
  taken: ReadonlySet<string>,
): readonly { readonly keys: string; readonly what: string }[] {
  const bindings = KEYMAP.filter(
    ({ context: bound, keys }) =>
      (bound === context || bound === "global" || (context === "editor" && bound === "text")) && !(context === "editor" && taken.has(keys)),
  );
  const lines = new Map<string, string[]>();
  for (const { help, keys } of bindings) {
    if (help === undefined) continue;
    const known = lines.get(help);
    if (known === undefined) lines.set(help, [keys]);
    else known.push(keys);
  }
  return [...lines].map(([what, keys]) => ({ what, keys: keys.join(", ") }));
}
