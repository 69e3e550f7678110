import { frameShape, headerLeft, shortPath, STARTING } from "../first-frame.js";
import { layoutDraft } from "../composer/index.js";
import { money, tokens } from "../render/index.js";
import { clockTime } from "../render/index.js";
import { editorWidth, isObserver, menuOf, slashMatches, type Ui } from "../store/index.js";
import { ellipsize, ellipsizeStart, sanitizeLine, span, textWidth, wrapSpans } from "../text/index.js";
import type { ChromeView, EditorView, HelpView, Piece } from "./chrome-view.js";

export interface ViewFacts {
  readonly version: string;
  readonly cwd: string;
  readonly home: string | undefined;
  readonly following: boolean;
  /** Spinner and time of what runs. */
  readonly activity: string;
  /** Rows of the question's text, for what the dialog may show of it. */
  readonly detailRows: number;
}

const piece = (text: string, style: Piece["style"]): Piece => ({ text, style });

/** Cells between the two sides of the last row, and after it. */
const STATUS_MARGIN = 3;

/** How many rows the editor may take. */
const maxEditorRows = (rows: number): number => Math.max(1, Math.min(12, Math.floor(rows / 3)));
export const maxDetailRows = (rows: number): number => Math.max(1, Math.min(20, Math.floor(rows / 2) - 4));

/** The chrome for a state: pure, so that equal states draw nothing. */
export function chromeView(ui: Ui, facts: ViewFacts): ChromeView {
  const { columns, rows } = ui.size;
  const shape = frameShape(ui.size);
  const editor = editorView(ui, facts);
  const hasRight = ui.toast === undefined || isLong(ui) || textWidth(ui.toast.text) < columns / 2 - 4;
  const right = hasRight ? fitRight(statusRight(ui), columns) : [];
  const activityWidth = ui.running && (ui.toast === undefined || isLong(ui)) ? textWidth(facts.activity) : 0;
  return {
    columns,
    shape,
    headerLeft: header(ui, facts),
    headerRight: headerRight(ui),
    banner: isObserver(ui) && shape.header ? observerBanner(ui, facts.following) : undefined,
    above: rows >= ROOMY ? above(ui) : [],
    editor,
    activityWidth,
    statusLeft: fitGroups(statusLeft(ui), columns - activityWidth - widthOf(right) - STATUS_MARGIN),
    statusRight: right,
  };
}

function header(ui: Ui, facts: ViewFacts): string {
  const full = headerLeft({ version: facts.version, cwd: facts.cwd, ...(facts.home === undefined ? {} : { home: facts.home }) });
  const room = ui.size.columns - textWidth(headerRight(ui)) - 4;
  if (textWidth(full) <= room) return full;
  const path = shortPath(facts.cwd, facts.home);
  return ` smith · ${ellipsizeStart(path, Math.max(4, room - 9))}`;
}

function headerRight(ui: Ui): string {
  if (ui.phase === "failed") return "no session";
  const { status } = ui;
  if (ui.phase === "starting" || status === undefined) return STARTING;
  const name = status.name === undefined || status.name === "" ? "" : sanitizeLine(status.name);
  if (name !== "") return ellipsize(name, Math.floor(ui.size.columns / 2));
  return status.modelSource === "offline" ? "offline model" : "";
}

/** The longest wording there is room for. */
function observerBanner(ui: Ui, following: boolean): string {
  const state = following ? "following ▶" : "paused ‖";
  const wordings = [...observed(ui).map((by) => ` READ-ONLY · ${by} · ${state}`), ` READ-ONLY · ${state}`];
  return wordings.find((text) => textWidth(text) < ui.size.columns) ?? ellipsize(` READ-ONLY · ${state}`, ui.size.columns - 1);
}

const KEYS = "PgUp PgDn scroll · f follow · q leave";

function observerHint(columns: number): string {
  const full = ` reading along: ${KEYS} (it says how to go on)`;
  return textWidth(full) < columns ? full : ` ${KEYS}`;
}

/** Who writes the session that is read, in fewer and fewer words. */
function observed({ status, stuck }: Ui): readonly string[] {
  const owner = status?.owner;
  if (owner !== undefined) {
    const pid = `pid ${String(owner.pid)}`;
    const since = clockTime(owner.startedAt).slice(0, 5);
    return [`written by smith (${pid} on ${sanitizeLine(owner.host)}) since ${since}`, `written by smith (${pid})`, pid];
  }
  if (stuck === "removed") return ["the session was deleted: this is what was read of it", "deleted"];
  if (stuck === "unwritable") return ["nobody writes it, but it cannot be continued: the reason is at its end", "cannot be continued"];
  return ["nobody writes it any more: q, then open it again to go on", "nobody writes it any more", "no writer"];
}

function above(ui: Ui): readonly (readonly Piece[])[] {
  const room = Math.max(10, ui.size.columns - 24);
  const line = (label: string, text: string): readonly Piece[] => [
    piece(` ${label.padEnd(7)} `, "hint"),
    piece(ellipsize(sanitizeLine(text), room), "muted"),
  ];
  const outgoing = ui.outgoing.map(({ text }) => line(ui.phase === "ready" ? "sending" : "waiting", text));
  const queued = ui.queue.map((item) => line(item.delivery === "steer" ? "steer" : "then", item.text));
  const all = [...outgoing, ...queued];
  const shown = all.length > 4 ? [...all.slice(0, 3), [piece(` … ${String(all.length - 3)} more queued`, "hint")]] : all;
  const takeBack: readonly (readonly Piece[])[] =
    ui.queue.length > 0 && ui.size.columns >= 60 ? [[piece(" alt+↑ takes queued text back", "hint")]] : [];
  return [...shown, ...takeBack, ...completions(ui), ...longToast(ui)];
}

/** Rows of a screen that has room for more than what is always there. */
const ROOMY = 10;

/** A message is read whole: what is too long for the last row has rows of its own above the editor. */
const isLong = ({ toast, size }: Ui): boolean => toast !== undefined && size.rows >= ROOMY && textWidth(toast.text) > size.columns - 2;

function longToast(ui: Ui): readonly (readonly Piece[])[] {
  if (ui.toast === undefined || !isLong(ui)) return [];
  const rest = [span(" ")];
  const rows = wrapSpans([span(sanitizeLine(ui.toast.text), TONES[ui.toast.tone])], { width: ui.size.columns - 1, first: rest, rest });
  return rows.slice(0, Math.floor(ui.size.rows / 3)).map(({ spans }) => spans);
}

const TONES = { error: "error", warning: "warning", info: "accent" } as const;

function completions(ui: Ui): readonly (readonly Piece[])[] {
  if (ui.approvals.length > 0 || isObserver(ui)) return [];
  const menu = menuOf(ui);
  return slashMatches(ui.draft.text).map((each) => {
    const { name, argument, what } = each;
    const isChosen = each === menu?.chosen;
    return [
      piece(isChosen ? " › " : "   ", "key"),
      piece(`/${name}`, isChosen ? "selection" : "key"),
      piece(argument === "" ? "" : ` ${argument}`, "muted"),
      piece(`  ${what}`, "hint"),
    ];
  });
}

function editorView(ui: Ui, facts: ViewFacts): EditorView {
  const question = ui.approvals[0];
  if (question !== undefined) {
    const rows = Math.min(facts.detailRows, maxDetailRows(ui.size.rows));
    const hidden = facts.detailRows - rows;
    const of = ui.approvals.length > 1 ? ` (1 of ${String(ui.approvals.length)})` : "";
    return {
      type: "question",
      title: ellipsize(` ${sanitizeLine(question.name)} wants to run${of} `, ui.size.columns - 6),
      rows,
      more: hidden > 0 ? ` ${String(hidden)} more rows, ↑ ↓ to read all` : "",
      keys: [
        piece("y", "key"),
        piece(" once   ", "text"),
        piece("s", "key"),
        piece(
          ui.size.columns < 64 ? " this session   " : ` every ${ellipsize(sanitizeLine(question.name), 24)} call this session   `,
          "text",
        ),
        piece("n", "key"),
        piece(" no", "text"),
      ],
    };
  }
  if (isObserver(ui)) return { type: "observer", text: observerHint(ui.size.columns) };
  const layout = layoutDraft(ui.draft.text, ui.draft.cursor, editorWidth(ui.size));
  return { type: "draft", rows: Math.min(layout.rows.length, maxEditorRows(ui.size.rows)), active: ui.phase !== "failed" };
}

/** Pieces that are read together: shown whole or left out. */
type Group = readonly Piece[];

const hints = (...pairs: readonly (readonly [string, string])[]): readonly Group[] =>
  pairs.map(([keys, what], index) => [piece(index === 0 ? " " : " · ", "hint"), piece(keys, "key"), piece(` ${what}`, "hint")]);

const widthOf = (pieces: readonly Piece[]): number => pieces.reduce((sum, { text }) => sum + textWidth(text), 0);

/** The first stays in any case; of the others those that there is room for. */
function fitGroups([first = [], ...others]: readonly Group[], room: number): readonly Piece[] {
  return others.reduce((kept, group) => (widthOf(kept) + widthOf(group) <= room ? [...kept, ...group] : kept), first);
}

function statusLeft(ui: Ui): readonly Group[] {
  if (ui.toast !== undefined && !isLong(ui)) return [[piece(` ${sanitizeLine(ui.toast.text)}`, TONES[ui.toast.tone])]];
  if (ui.phase === "failed") return hints(["Ctrl-D", "quit"]);
  if (ui.approvals.length > 0) return hints(["y", "once"], ["s", "session"], ["n", "no"], ["Ctrl-C", "stop"]);
  if (isObserver(ui)) return hints(["?", "keys"], ["q", "leave"]);
  const menu = menuOf(ui);
  if (menu !== undefined) return hints(["↑ ↓", "choose"], ["Enter", menu.isWhole ? "run" : "complete"]);
  if (ui.phase === "starting") return [[piece(` ${STARTING}`, "hint")], ...hints(["Enter", "sends when ready"])];
  return ui.running ? turnHints(ui) : hints(["Enter", "send"], ["Shift+Enter", "newline"], ["/", "command"], ["?", "keys"]);
}

function turnHints(ui: Ui): readonly Group[] {
  if (ui.stopping) return [[piece(" stopping …", "warning")]];
  if (ui.retry !== undefined)
    return [
      [piece(` retry ${String(ui.retry.attempt)} of ${String(ui.retry.max)}: ${ui.retry.reason}`, "warning")],
      ...hints(["Esc", "stop"]),
    ];
  return hints(["Esc", "stop"], ["Enter", "steer"], ["Tab", "queue"]);
}

function statusRight(ui: Ui): readonly string[] {
  const { status } = ui;
  if (status === undefined) return [];
  const model = sanitizeLine(status.model.model);
  const { contextTokens, contextLimit } = status;
  const share = contextTokens === undefined || contextLimit === undefined ? "?" : String(Math.round((contextTokens / contextLimit) * 100));
  const context =
    contextLimit === undefined
      ? contextTokens === undefined || contextTokens === 0
        ? ""
        : `${tokens(contextTokens)} tokens`
      : `${share}% of ${tokens(contextLimit)}`;
  return [ellipsize(model, 28), context, ui.costUsd === undefined ? "" : money(ui.costUsd), status.mode].filter((part) => part !== "");
}

/** The mode stays whatever the width; the model goes last of the others. */
function fitRight(parts: readonly string[], columns: number): readonly Piece[] {
  let kept = parts;
  const width = (): number => kept.reduce((sum, part) => sum + textWidth(part) + 2, 0);
  while (kept.length > 1 && width() > columns * 0.55) kept = [...kept.slice(0, -2), ...kept.slice(-1)];
  return kept.map((part, index) => piece(index === kept.length - 1 ? part : `${part}  `, index === kept.length - 1 ? "muted" : "hint"));
}

const HELP_COLUMNS = 78;

/** Of the help page's box. It covers the whole width where little would be left beside it. */
export const helpColumns = (columns: number): number => (columns <= HELP_COLUMNS + 4 ? columns : HELP_COLUMNS);

/** The help page's box: as large as needed, never larger than the screen. */
export function helpView(ui: Ui, lines: number): HelpView {
  const rows = Math.max(1, Math.min(lines, ui.size.rows - 4));
  return {
    columns: Math.max(10, helpColumns(ui.size.columns)),
    rows,
    title: " keys and commands ",
    footer: lines > rows ? " ↑ ↓ more · Esc closes " : " Esc closes ",
  };
}
