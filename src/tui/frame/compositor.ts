import { layoutDraft } from "../composer/index.js";
import { editorWidth, type Ui } from "../store/index.js";
import { ellipsize, EMPTY_ROW, fitSpans, overlaySpans, type Row, span, spansWidth } from "../text/index.js";
import type { Frame } from "../terminal/index.js";
import type { ChromeLines, Slot, SlotName } from "./chrome-view.js";
import type { Dialog, WrittenText } from "./dialog.js";
import type { Page } from "./page.js";

/** The parts of one frame. */
export interface FrameParts {
  readonly ui: Ui;
  readonly chrome: ChromeLines;
  /** Rows of the transcript's window, at most as many as there is room for. */
  readonly body: readonly Row[];
  readonly gap: Row | undefined;
  readonly dialog: Dialog | undefined;
  readonly activity: string;
  readonly page: { readonly lines: ChromeLines; readonly content: Page } | undefined;
}

/** A frame, and the last row that the text of its page or dialog can begin at. */
export interface Composed {
  readonly frame: Frame;
  readonly lastTop: number;
}

/** Rows between the chrome's two parts, less the gap. */
export const bodyHeight = (rows: number, chrome: ChromeLines, gap: boolean): number =>
  Math.max(0, rows - chrome.lines.length - (gap ? 1 : 0));

/** Puts the parts on one screen: exactly `rows` rows, with the caret's cell. */
export function compose(parts: FrameParts): Composed {
  const { ui, chrome, page } = parts;
  const { columns, rows } = ui.size;
  const height = bodyHeight(rows, chrome, parts.gap !== undefined);
  const top = chrome.lines.slice(0, chrome.top);
  const body = Array.from({ length: height }, (_, index) => parts.body[index] ?? EMPTY_ROW);
  const bottom = chrome.lines.slice(chrome.top);
  const screen: Row[] = [...top, ...body, ...(parts.gap === undefined ? [] : [parts.gap]), ...bottom];
  const { caret, lastTop } = fillChrome(screen, parts);
  const paged = page === undefined ? undefined : fillPage(screen, page, ui);
  // Too small a terminal shows the end: the editor matters most.
  const cut = Math.max(0, screen.length - rows);
  const shown = paged === undefined ? caret : paged.caret;
  const at = shown === undefined || shown.row < cut ? undefined : { row: shown.row - cut, column: Math.min(shown.column, columns - 1) };
  const frame: Frame = {
    rows: screen.slice(cut),
    columns,
    caret: at,
    ...(cut === 0 && page === undefined ? { scroll: { start: chrome.top, end: chrome.top + height } } : {}),
  };
  return { frame, lastTop: paged?.lastTop ?? lastTop };
}

interface Filled {
  readonly caret: { readonly row: number; readonly column: number } | undefined;
  readonly lastTop: number;
}

const NO_DIALOG = { detail: [], list: [], focus: 0, input: undefined };

/** Fills the rectangles of the chrome, wherever they came to be on the screen. */
function fillChrome(screen: Row[], { ui, chrome, dialog, activity }: FrameParts): Filled {
  const shift = screen.length - chrome.lines.length;
  const slotNamed = (name: SlotName): Slot | undefined => {
    const slot = chrome.slots.get(name);
    return slot === undefined || slot.row < chrome.top ? slot : { ...slot, row: slot.row + shift };
  };
  const { detail, list, focus, input } = dialog ?? NO_DIALOG;
  const [editor, detailSlot, listSlot] = [slotNamed("slot-editor"), slotNamed("slot-detail"), slotNamed("slot-list")];
  fillSlot(screen, detailSlot, scrolled(detail, detailSlot, ui.detailTop));
  fillSlot(screen, listSlot, around(list, listSlot, focus));
  fillSlot(screen, slotNamed("slot-activity"), [{ spans: [span(activity, "accent")] }]);
  const caret = editor === undefined ? undefined : fillEditor(screen, editor, input ?? { ...ui.draft, placeholder: "" }, ui);
  return { caret, lastTop: lastTopOf(detail, detailSlot) };
}

const lastTopOf = (rows: readonly Row[], slot: Slot | undefined): number => Math.max(0, rows.length - (slot?.height ?? rows.length));

const scrolled = (rows: readonly Row[], slot: Slot | undefined, top: number): readonly Row[] =>
  rows.slice(Math.min(top, lastTopOf(rows, slot)));

/** The rows around one that is to be seen. */
const around = (rows: readonly Row[], slot: Slot | undefined, focus: number): readonly Row[] =>
  scrolled(rows, slot, Math.max(0, focus - Math.floor((slot?.height ?? 1) / 2)));

function fillSlot(screen: Row[], slot: Slot | undefined, rows: readonly Row[]): void {
  if (slot === undefined) return;
  const { row, column, width, height } = slot;
  for (let index = 0; index < height; index += 1) put(screen, row + index, column, fitSpans(rows[index]?.spans ?? [], width));
}

function put(screen: Row[], row: number, column: number, spans: Row["spans"]): void {
  const base = screen[row];
  if (base !== undefined) screen[row] = { spans: overlaySpans(base.spans, spans, column) };
}

/** The visible part of what is written, around the caret. */
function fillEditor(
  screen: Row[],
  slot: Slot,
  { text, cursor, placeholder }: WrittenText,
  ui: Ui,
): { readonly row: number; readonly column: number } {
  const layout = layoutDraft(text, cursor, editorWidth(ui.size));
  const hidden = Math.max(0, layout.rows.length - slot.height);
  const first = Math.min(hidden, Math.max(0, layout.caretRow - Math.floor(slot.height / 2)));
  for (let index = 0; index < slot.height; index += 1)
    put(screen, slot.row + index, slot.column, fitSpans([span(layout.rows[first + index]?.text ?? "")], slot.width));
  if (text === "" && placeholder !== "")
    put(screen, slot.row, slot.column, fitSpans([span(ellipsize(placeholder, slot.width), "faint")], slot.width));
  return { row: slot.row + layout.caretRow - first, column: slot.column + Math.min(layout.caretColumn, slot.width) };
}

/** Covers the middle of the screen. */
function fillPage(screen: Row[], { lines, content }: NonNullable<FrameParts["page"]>, ui: Ui): Filled {
  const width = Math.max(0, ...lines.lines.map((line) => spansWidth(line.spans)));
  const column = Math.max(0, Math.floor((ui.size.columns - width) / 2));
  const top = Math.max(0, Math.floor((ui.size.rows - lines.lines.length) / 2));
  const page = lines.lines.map((line) => ({ spans: line.spans }));
  const whole = lines.slots.get("slot-detail");
  const { head = [], focus, rows, caret } = content;
  const slot = whole === undefined ? undefined : below(whole, head.length);
  fillSlot(page, whole, head);
  fillSlot(page, slot, focus === undefined ? scrolled(rows, slot, ui.detailTop) : around(rows, slot, focus));
  for (const [index, line] of page.entries()) put(screen, top + index, column, fitSpans(line.spans, width));
  const at = whole === undefined || caret === undefined ? undefined : { row: top + whole.row, column: column + whole.column + caret };
  return { caret: at, lastTop: lastTopOf(rows, slot) };
}

/** What is left of a rectangle under some rows. */
const below = (slot: Slot, rows: number): Slot => ({ ...slot, row: slot.row + rows, height: Math.max(0, slot.height - rows) });
