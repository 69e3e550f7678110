import type { CallId, JsonObject } from "../../base/index.js";
import type { SessionStatus } from "../../runtime/index.js";
import type { AccessMode, Diagnostic, ExitStatus, QueuedInput, SmithEvent } from "../../schema/index.js";
import { type Draft, EMPTY_DRAFT, EMPTY_HISTORY, type PromptHistory } from "../composer/index.js";
import type { FrameSize } from "../first-frame.js";
import type { InputEvent } from "../terminal/index.js";

/** A tool call that waits for a person's word. */
export interface Approval {
  readonly id: CallId;
  readonly name: string;
  readonly argsSummary: string;
  readonly args: JsonObject;
  /** Of the monotonic clock; set when it came to the front. Keys that come too soon after were meant for something else. */
  readonly shownAt: number | undefined;
}

/** What the session is asked to change about itself. */
export type SessionChange =
  | { readonly type: "set-mode"; readonly mode: AccessMode }
  | { readonly type: "rename"; readonly name: string }
  /** Goes on with the turn that an earlier process left open. */
  | { readonly type: "resume-work" }
  /** A person's word on an effect whose outcome is unknown. */
  | { readonly type: "reconcile"; readonly effect: string; readonly outcome: "applied" | "not-applied"; readonly note: string };

/** Text on its way to the session: shown until the admission is acknowledged, put back into the editor when it fails. */
export interface Outgoing {
  readonly id: number;
  /** As it was typed. */
  readonly text: string;
  readonly request: { readonly type: "prompt"; readonly delivery: "steer" | "follow-up" | undefined } | SessionChange;
}

export interface Toast {
  readonly id: number;
  readonly tone: "info" | "warning" | "error";
  readonly text: string;
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
  readonly overlay: "none" | "help";
  /** First visible row of the approval's or the help page's text. */
  readonly detailTop: number;
  readonly expanded: boolean;
  readonly running: boolean;
  /** Of the monotonic clock. */
  readonly runStartedAt: number;
  readonly stopping: boolean;
  readonly retry: { readonly attempt: number; readonly max: number; readonly reason: string } | undefined;
  readonly toast: Toast | undefined;
  /** Until when a second Ctrl-C quits, on the monotonic clock. */
  readonly quitUntil: number;
  readonly counter: number;
  readonly turns: number;
  readonly costUsd: number | undefined;
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
  | { readonly type: "answer"; readonly call: CallId; readonly verdict: "once" | "session" | "deny" }
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

export const initialUi = (size: FrameSize): Ui => ({
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
  overlay: "none",
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
  costUsd: undefined,
  files: new Set(),
});

export const isObserver = (ui: Ui): boolean => ui.status?.access === "read";

/** What is typed goes into the editor. */
export const takesText = (ui: Ui): boolean => ui.overlay === "none" && ui.approvals.length === 0 && !isObserver(ui);

/** Cells for the text of the editor: the frame less border and mark. One cell is kept for the caret. */
export const editorWidth = (size: FrameSize): number => Math.max(2, size.columns - (size.rows >= 7 && size.columns >= 12 ? 6 : 3));
