import { layoutDraft } from "../composer/index.js";
import { editorWidth, type Ui } from "../store/index.js";
import { EMPTY_ROW, fitSpans, overlaySpans, type Row, span } from "../text/index.js";
import type { Frame } from "../terminal/index.js";
import type { ChromeLines, Slot } from "./chrome-view.js";

/** The parts of one frame. */
export interface FrameParts {
  readonly ui: Ui;
  readonly chrome: ChromeLines;
  /** Rows of the transcript's window, at most as many as there is room for. */
  readonly body: readonly Row[];
  readonly gap: Row | undefined;
  readonly detail: readonly Row[];
  readonly activity: string;
  readonly help: { readonly lines: ChromeLines; readonly rows: readonly Row[] } | undefined;
}

/** Rows between the chrome's two parts, less the gap. */
export const bodyHeight = (rows: number, chrome: ChromeLines, gap: boolean): number =>
  Math.max(0, rows - chrome.lines.length - (gap ? 1 : 0));

/** Puts the parts on one screen: exactly `rows` rows, with the caret's cell. */
export function compose(parts: FrameParts): Frame {
  const { ui, chrome } = parts;
  const { columns, rows } = ui.size;
  const height = bodyHeight(rows, chrome, parts.gap !== undefined);
  const top = chrome.lines.slice(0, chrome.top);
  const body = Array.from({ length: height }, (_, index) => parts.body[index] ?? EMPTY_ROW);
  const bottom = chrome.lines.slice(chrome.top);
  const screen: Row[] = [...top, ...body, ...(parts.gap === undefined ? [] : [parts.gap]), ...bottom];
  const shift = screen.length - chrome.lines.length;
  const slotAt = (slot: Slot): Slot => (slot.row < chrome.top ? slot : { ...slot, row: slot.row + shift });
  const editor = chrome.slots.get("slot-editor");
  const caret = editor === undefined ? undefined : fillEditor(screen, slotAt(editor), ui);
  fillSlot(screen, chrome.slots.get("slot-detail"), slotAt, scrolled(parts.detail, chrome.slots.get("slot-detail"), ui.detailTop));
  fillSlot(screen, chrome.slots.get("slot-activity"), slotAt, [{ spans: [span(parts.activity, "accent")] }]);
  if (parts.help !== undefined) fillHelp(screen, parts.help, ui);
  // Too small a terminal shows the end: the editor matters most.
  const cut = Math.max(0, screen.length - rows);
  const shown = screen.slice(cut);
  const at = caret === undefined || caret.row < cut ? undefined : { row: caret.row - cut, column: Math.min(caret.column, columns - 1) };
  return {
    rows: shown,
    columns,
    caret: parts.help === undefined ? at : undefined,
    ...(cut === 0 && parts.help === undefined ? { scroll: { start: chrome.top, end: chrome.top + height } } : {}),
  };
}

const scrolled = (rows: readonly Row[], slot: Slot | undefined, top: number): readonly Row[] =>
  rows.slice(Math.min(top, Math.max(0, rows.length - (slot?.height ?? rows.length))));

function fillSlot(screen: Row[], slot: Slot | undefined, slotAt: (slot: Slot) => Slot, rows: readonly Row[]): void {
  if (slot === undefined) return;
  const { row, column, width, height } = slotAt(slot);
  for (let index = 0; index < height; index += 1) put(screen, row + index, column, fitSpans(rows[index]?.spans ?? [], width));
}

function put(screen: Row[], row: number, column: number, spans: Row["spans"]): void {
  const base = screen[row];
  if (base !== undefined) screen[row] = { spans: overlaySpans(base.spans, spans, column) };
}

/** The visible part of the draft around the caret. */
function fillEditor(screen: Row[], slot: Slot, ui: Ui): { readonly row: number; readonly column: number } {
  const layout = layoutDraft(ui.draft.text, ui.draft.cursor, editorWidth(ui.size));
  const hidden = Math.max(0, layout.rows.length - slot.height);
  const first = Math.min(hidden, Math.max(0, layout.caretRow - Math.floor(slot.height / 2)));
  for (let index = 0; index < slot.height; index += 1)
    put(screen, slot.row + index, slot.column, fitSpans([span(layout.rows[first + index]?.text ?? "")], slot.width));
  return { row: slot.row + layout.caretRow - first, column: slot.column + Math.min(layout.caretColumn, slot.width) };
}

function fillHelp(screen: Row[], help: NonNullable<FrameParts["help"]>, ui: Ui): void {
  const { lines, rows } = help;
  const width = Math.max(0, ...lines.lines.map((line) => line.spans.reduce((sum, { text }) => sum + text.length, 0)));
  const column = Math.max(0, Math.floor((ui.size.columns - width) / 2));
  const top = Math.max(0, Math.floor((ui.size.rows - lines.lines.length) / 2));
  const page = lines.lines.map((line) => ({ spans: line.spans }));
  fillSlot(page, lines.slots.get("slot-detail"), (slot) => slot, scrolled(rows, lines.slots.get("slot-detail"), ui.detailTop));
  for (const [index, line] of page.entries()) put(screen, top + index, column, fitSpans(line.spans, width));
}
