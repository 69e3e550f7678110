import { frameShape, headerLeft, shortPath, STARTING } from "../first-frame.js";
import { layoutDraft } from "../composer/index.js";
import { clockTime } from "../render/index.js";
import { editorWidth, isObserver, type Outgoing, type Ui, waitLeft } from "../store/index.js";
import { ellipsize, ellipsizeStart, sanitizeLine, textWidth } from "../text/index.js";
import type { ChromeView, EditorView, Piece } from "./chrome-view.js";
import { completionRows } from "./completions.js";
import type { Dialog } from "./dialog.js";
import { statusPieces } from "./status.js";
import { isLong, longToast, ROOMY } from "./toasts.js";

export interface ViewFacts {
  readonly version: string;
  readonly cwd: string;
  readonly home: string | undefined;
  readonly following: boolean;
  /** Spinner and time of what runs. */
  readonly activity: string;
  readonly dialog: Dialog | undefined;
  /** Of the monotonic clock. */
  readonly now: number;
}

const piece = (text: string, style: Piece["style"]): Piece => ({ text, style });

/** How many rows the editor may take. */
const maxEditorRows = (rows: number): number => Math.max(1, Math.min(12, Math.floor(rows / 3)));
const maxDetailRows = (rows: number): number => Math.max(1, Math.min(20, Math.floor(rows / 2) - 4));
const maxListRows = (rows: number): number => Math.max(2, Math.min(12, Math.floor(rows / 3) - 1));

/** The chrome for a state: pure, so that equal states draw nothing. */
export function chromeView(ui: Ui, facts: ViewFacts): ChromeView {
  const { columns, rows } = ui.size;
  const shape = frameShape(ui.size);
  const editor = editorView(ui, facts);
  const hasActivity = ui.running && (ui.toast === undefined || isLong(ui)) && waitLeft(ui, facts.now) === 0;
  const activityWidth = hasActivity ? textWidth(facts.activity) : 0;
  const status = statusPieces(ui, { activityWidth, now: facts.now });
  return {
    columns,
    shape,
    headerLeft: header(ui, facts),
    headerRight: headerRight(ui),
    banner: shape.header ? bannerText(ui, facts.following) : undefined,
    above: rows >= ROOMY ? above(ui) : [],
    editor,
    activityWidth,
    statusLeft: status.left,
    statusRight: status.right,
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

/** What a person has to know of all that is below. */
function bannerText(ui: Ui, following: boolean): string | undefined {
  if (isObserver(ui)) return observerBanner(ui, following);
  const wordings = ui.untrusted.map((text) => ` ${text}`);
  return wordings.find((text) => textWidth(text) < ui.size.columns) ?? wordings.at(-1);
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
  const outgoing = ui.outgoing.map((each) => line(ui.phase === "ready" ? doing(each) : "waiting", each.text));
  const queued = ui.queue.map((item) => line(item.delivery === "steer" ? "steer" : "then", item.text));
  const all = [...outgoing, ...queued];
  const shown = all.length > 4 ? [...all.slice(0, 3), [piece(` … ${String(all.length - 3)} more queued`, "hint")]] : all;
  const takeBack: readonly (readonly Piece[])[] =
    ui.queue.length > 0 && ui.size.columns >= 60 ? [[piece(" alt+↑ takes queued text back", "hint")]] : [];
  return [...shown, ...takeBack, ...completionRows(ui), ...longToast(ui)];
}

const doing = ({ request }: Outgoing): string => (request.type === "run-command" ? "running" : "sending");

function editorView(ui: Ui, { dialog }: ViewFacts): EditorView {
  if (dialog !== undefined) return questionView(ui, dialog);
  if (isObserver(ui)) return { type: "observer", text: observerHint(ui.size.columns) };
  const layout = layoutDraft(ui.draft.text, ui.draft.cursor, editorWidth(ui.size));
  return { type: "draft", rows: Math.min(layout.rows.length, maxEditorRows(ui.size.rows)), active: ui.phase !== "failed" };
}

function questionView({ size }: Ui, { title, detail, list, input, keys }: Dialog): EditorView {
  const rows = Math.min(detail.length, maxDetailRows(size.rows));
  const hidden = detail.length - rows;
  const scroll = list.length > 0 || input !== undefined ? "PgUp PgDn" : "↑ ↓";
  const inputRows = input === undefined ? 0 : layoutDraft(input.text, input.cursor, editorWidth(size)).rows.length;
  return {
    type: "question",
    title,
    rows,
    list: Math.min(list.length, maxListRows(size.rows)),
    input: Math.min(inputRows, maxEditorRows(size.rows)),
    more: hidden > 0 ? `${String(hidden)} more ${hidden === 1 ? "row" : "rows"}, ${scroll} to read all` : "",
    keys,
  };
}
