import type { CallId, EffectId, JsonObject } from "../../base/index.js";
import type { SessionStatus } from "../../runtime/index.js";
import type {
  AccessMode,
  Diagnostic,
  ExitStatus,
  Question,
  QuestionAnswer,
  QueuedInput,
  SmithEvent,
  ThinkingLevel,
} from "../../schema/index.js";
import { type Draft, EMPTY_DRAFT, EMPTY_HISTORY, type PromptHistory } from "../composer/index.js";
import type { FrameSize } from "../first-frame.js";
import type { Action } from "../focus/index.js";
import type { Contributions, ThemeInfo } from "../plugins/index.js";
import type { InputEvent } from "../terminal/index.js";
import type { KnownModels, ModelDeed, ModelNews, ModelsPage } from "./models/page.js";
import type { AdminDeed, AdminNews, Page } from "./plugins/page.js";

/** A tool call that waits for a person's word. */
export interface Approval {
  readonly id: CallId;
  readonly name: string;
  readonly argsSummary: string;
  readonly args: JsonObject;
  /** Why a policy wants it asked. */
  readonly why: string | undefined;
  /** What a verdict for longer than this call allows; without one it is this very call. */
  readonly rule: string | undefined;
  /** Of the monotonic clock; set when it came to the front. Keys that come too soon after were meant for something else. */
  readonly shownAt: number | undefined;
}

/** A question of a plugin and what was done about it so far. */
export interface Asked {
  readonly id: EffectId;
  readonly plugin: string;
  readonly question: Question;
  /** Of `ask`: what is being written. */
  readonly answer: Draft;
  /** Of `choose`: the option that Enter takes, and those that were taken already. */
  readonly at: number;
  readonly taken: ReadonlySet<number>;
  readonly shownAt: number | undefined;
}

/** What a key of a plugin does. */
export interface Binding {
  readonly plugin: string;
  readonly keys: string;
  /** For the help page. */
  readonly what: string;
  readonly does:
    | { readonly type: "nothing" }
    | { readonly type: "action"; readonly action: Action }
    | { readonly type: "command"; readonly line: string };
}

/** A theme by name; `undefined`: dark or light, as the background is. */
export type ThemeWanted = "dark" | "light" | ThemeInfo | undefined;

/** What the session is asked to change about itself. */
export type SessionChange =
  | { readonly type: "set-mode"; readonly mode: AccessMode }
  | { readonly type: "rename"; readonly name: string }
  /** Another model, or level of thinking, from the next request on. Without a level it is the selection's, else the model's own. */
  | { readonly type: "set-model"; readonly selection: string }
  | { readonly type: "set-thinking"; readonly level: ThinkingLevel | undefined }
  /** Goes on with the turn that an earlier process left open. */
  | { readonly type: "resume-work" }
  /** A person's word on an effect whose outcome is unknown. */
  | { readonly type: "reconcile"; readonly effect: string; readonly outcome: "applied" | "not-applied"; readonly note: string };

/** A command of a plugin, as it goes to the session. `isTyped`: its line comes back when it is refused. */
export interface PluginCommand {
  readonly type: "run-command";
  readonly name: string;
  readonly args: string;
  readonly isTyped: boolean;
}

/** Text on its way to the session: shown until the admission is acknowledged, put back into the editor when it fails. */
export interface Outgoing {
  readonly id: number;
  /** As it was typed. */
  readonly text: string;
  readonly request: { readonly type: "prompt"; readonly delivery: "steer" | "follow-up" | undefined } | PluginCommand | SessionChange;
}

export interface Toast {
  readonly id: number;
  readonly tone: "info" | "warning" | "error";
  readonly text: string;
}

/** A wait between two attempts. */
export interface Retry {
  readonly attempt: number;
  readonly max: number;
  readonly why: string;
  readonly until: number;
}

/** All the interface knows besides the transcript. A value: `reduce` makes the next one. */
export interface Ui {
  readonly size: FrameSize;
  readonly phase: "starting" | "ready" | "failed";
  /** Why opening failed. */
  readonly failure: Diagnostic | undefined;
  readonly status: SessionStatus | undefined;
  /** Why nobody can go on with the session that is read: its end is damaged or not understood, or it was deleted. */
  readonly stuck: "unwritable" | "removed" | undefined;
  readonly draft: Draft;
  readonly history: PromptHistory;
  /** The command chosen in the menu; it holds for the draft it was chosen for. */
  readonly menu: { readonly text: string; readonly name: string } | undefined;
  readonly outgoing: readonly Outgoing[];
  readonly queue: readonly QueuedInput[];
  readonly approvals: readonly Approval[];
  /** Why the call at the front is denied, while it is being written. */
  readonly reason: Draft | undefined;
  readonly asked: Asked | undefined;
  readonly overlay: "none" | "help" | Page | ModelsPage;
  /** Models that can be selected; undefined until somebody asks for them. */
  readonly models: KnownModels | undefined;
  /** What plugins bring; undefined until it is known. */
  readonly contributions: Contributions | undefined;
  readonly bindings: ReadonlyMap<string, Binding>;
  /** Plugins that changed, until what became of them is known. */
  readonly changed: readonly string[];
  /** Name of the theme a person chose. */
  readonly theme: string | undefined;
  /** Remarks that were made. */
  readonly remarked: ReadonlySet<string>;
  /** What of the project is not used until it is trusted, in words; the longest first. */
  readonly untrusted: readonly string[];
  /** First visible row of the text of a dialog or page. */
  readonly detailTop: number;
  readonly expanded: boolean;
  readonly running: boolean;
  /** Of the monotonic clock. */
  readonly runStartedAt: number;
  readonly stopping: boolean;
  /** The same model is asked again at `until` of the monotonic clock; `attempt` is the one to come. */
  readonly retry: Retry | undefined;
  readonly toast: Toast | undefined;
  /** Until when a second Ctrl-C quits, on the monotonic clock. */
  readonly quitUntil: number;
  readonly counter: number;
  readonly turns: number;
  readonly files: ReadonlySet<string>;
}

export type UiEvent =
  | { readonly type: "input"; readonly input: InputEvent; readonly at: number }
  | { readonly type: "resized"; readonly size: FrameSize }
  | { readonly type: "opened"; readonly status: SessionStatus }
  | { readonly type: "open-failed"; readonly diagnostic: Diagnostic }
  | { readonly type: "status"; readonly status: SessionStatus }
  | { readonly type: "prompted"; readonly text: string }
  | { readonly type: "runtime"; readonly event: SmithEvent; readonly at: number }
  | { readonly type: "history"; readonly events: readonly SmithEvent[] }
  | { readonly type: "admitted"; readonly id: number }
  | { readonly type: "refused"; readonly id: number; readonly diagnostic: Diagnostic }
  | { readonly type: "contributions"; readonly contributions: Contributions }
  | { readonly type: "admin"; readonly news: AdminNews }
  | { readonly type: "models"; readonly news: ModelNews }
  | { readonly type: "returned"; readonly texts: readonly string[] }
  | { readonly type: "stopped" }
  /** `ms`: how long it is shown, where that is not the usual time. */
  | { readonly type: "told"; readonly tone: Toast["tone"]; readonly text: string; readonly ms?: number }
  | { readonly type: "toast-expired"; readonly id: number };

/** What reducing asks for; carried out by the runner, whose results come back as events. */
export type Command =
  | { readonly type: "submit"; readonly id: number; readonly text: string; readonly delivery: "steer" | "follow-up" | undefined }
  | { readonly type: "abort" }
  | { readonly type: "recall" }
  | { readonly type: "answer"; readonly call: CallId; readonly verdict: "once" | "session" | "project" | "deny"; readonly why?: string }
  | { readonly type: "answer-question"; readonly question: EffectId; readonly answer: QuestionAnswer }
  | (PluginCommand & { readonly id: number })
  | { readonly type: "admin"; readonly deed: AdminDeed }
  | { readonly type: "models"; readonly deed: ModelDeed }
  | { readonly type: "theme"; readonly theme: ThemeWanted }
  /** Said in the transcript of this run, and nowhere else. */
  | { readonly type: "remark"; readonly text: string }
  | SessionChange
  | { readonly type: "scroll"; readonly rows: number }
  | { readonly type: "scroll-pages"; readonly pages: number }
  | { readonly type: "scroll-top" }
  | { readonly type: "scroll-latest" }
  | { readonly type: "scroll-prompt"; readonly by: -1 | 1 }
  | { readonly type: "suspend" }
  | { readonly type: "repaint" }
  | { readonly type: "background"; readonly luminance: number }
  | { readonly type: "expire-toast"; readonly id: number; readonly ms: number }
  | { readonly type: "quit"; readonly status: ExitStatus };

export interface Reduced {
  readonly ui: Ui;
  readonly commands: readonly Command[];
}

export const initialUi = (size: FrameSize, theme?: string): Ui => ({
  size,
  phase: "starting",
  failure: undefined,
  status: undefined,
  stuck: undefined,
  draft: EMPTY_DRAFT,
  history: EMPTY_HISTORY,
  menu: undefined,
  outgoing: [],
  queue: [],
  approvals: [],
  reason: undefined,
  asked: undefined,
  overlay: "none",
  models: undefined,
  contributions: undefined,
  bindings: new Map(),
  changed: [],
  theme,
  remarked: new Set(),
  untrusted: [],
  detailTop: 0,
  expanded: false,
  running: false,
  runStartedAt: 0,
  stopping: false,
  retry: undefined,
  toast: undefined,
  quitUntil: 0,
  counter: 0,
  turns: 0,
  files: new Set(),
});

/** ms until the same model is asked again; 0 when nothing is waited for. */
export const waitLeft = ({ retry, running, stopping }: Ui, now: number): number =>
  retry === undefined || !running || stopping ? 0 : Math.max(0, retry.until - now);

export const isObserver = (ui: Ui): boolean => ui.status?.access === "read";

/** A question is at the front, of a tool or of a plugin. */
export const isAsked = (ui: Ui): boolean => ui.approvals.length > 0 || ui.asked !== undefined;

/** What is typed goes into the editor. */
export const takesText = (ui: Ui): boolean => ui.overlay === "none" && !isAsked(ui) && !isObserver(ui);

/** Where text is being written: the draft, why a call is denied, the answer to a plugin, or what is looked for among models. */
export type TextPlace = "draft" | "reason" | "answer" | "filter";

export function textPlace(ui: Ui): TextPlace | undefined {
  if (takesText(ui)) return "draft";
  if (ui.overlay !== "none") return filterOf(ui) === undefined ? undefined : "filter";
  if (ui.approvals.length > 0) return ui.reason === undefined ? undefined : "reason";
  return ui.asked?.question.type === "ask" ? "answer" : undefined;
}

const filterOf = ({ overlay }: Ui): Draft | undefined =>
  typeof overlay === "object" && overlay.type === "models" ? overlay.filter : undefined;

export function textAt(ui: Ui, place: TextPlace): Draft {
  switch (place) {
    case "draft":
      return ui.draft;
    case "reason":
      return ui.reason ?? EMPTY_DRAFT;
    case "answer":
      return ui.asked?.answer ?? EMPTY_DRAFT;
    case "filter":
      return filterOf(ui) ?? EMPTY_DRAFT;
  }
}

export function withTextAt(ui: Ui, place: TextPlace, draft: Draft): Ui {
  if (place === "draft") return { ...ui, draft };
  if (place === "reason") return { ...ui, reason: draft };
  if (place === "filter") return withFilter(ui, draft);
  return ui.asked === undefined ? ui : { ...ui, asked: { ...ui.asked, answer: draft } };
}

/** What was chosen is only kept for as long as the same is looked for. */
function withFilter(ui: Ui, filter: Draft): Ui {
  const { overlay } = ui;
  if (typeof overlay !== "object" || overlay.type !== "models") return ui;
  return { ...ui, overlay: { ...overlay, filter, chosen: filter.text === overlay.filter.text ? overlay.chosen : undefined } };
}

/** Cells for the text of the editor: the frame less border and mark. One cell is kept for the caret. */
export const editorWidth = (size: FrameSize): number => Math.max(2, size.columns - (size.rows >= 7 && size.columns >= 12 ? 6 : 3));
