import type { Ui } from "../store/index.js";
import { sanitizeLine, span, textWidth, wrapSpans } from "../text/index.js";
import type { Piece } from "./chrome-view.js";

/** Rows of a screen that has room for more than what is always there. */
export const ROOMY = 10;

export const TONES = { error: "error", warning: "warning", info: "accent" } as const;

/** A message is read whole: what is too long for the last row has rows of its own above the editor. */
export const isLong = ({ toast, size }: Ui): boolean =>
  toast !== undefined && size.rows >= ROOMY && textWidth(toast.text) > size.columns - 2;

export function longToast(ui: Ui): readonly (readonly Piece[])[] {
  if (ui.toast === undefined || !isLong(ui)) return [];
  const rest = [span(" ")];
  const rows = wrapSpans([span(sanitizeLine(ui.toast.text), TONES[ui.toast.tone])], { width: ui.size.columns - 1, first: rest, rest });
  return rows.slice(0, Math.floor(ui.size.rows / 3)).map(({ spans }) => spans);
}
