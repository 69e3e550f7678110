import type { FrameShape } from "../first-frame.js";
import type { Row } from "../text/index.js";
import type { StyleName } from "../theme/index.js";

/** A styled piece of a chrome line: short and sanitized. */
export interface Piece {
  readonly text: string;
  readonly style: StyleName;
}

/** What the editor's place shows. */
export type EditorView =
  | { readonly type: "draft"; readonly rows: number; readonly active: boolean }
  | { readonly type: "observer"; readonly text: string }
  | { readonly type: "question"; readonly title: string; readonly rows: number; readonly more: string; readonly keys: readonly Piece[] };

/** Everything around the transcript, as plain data. Equal views draw equal lines. Text that grows or is untrusted goes into slots, not through here. */
export interface ChromeView {
  readonly columns: number;
  readonly shape: FrameShape;
  readonly headerLeft: string;
  readonly headerRight: string;
  readonly banner: string | undefined;
  /** Lines above the editor: the queue, what is being sent, commands that fit. */
  readonly above: readonly (readonly Piece[])[];
  readonly editor: EditorView;
  /** Cells for spinner and elapsed time; 0 when nothing runs. */
  readonly activityWidth: number;
  readonly statusLeft: readonly Piece[];
  readonly statusRight: readonly Piece[];
}

export interface HelpView {
  readonly columns: number;
  readonly rows: number;
  readonly title: string;
  readonly footer: string;
}

export type SlotName = "slot-editor" | "slot-detail" | "slot-activity";

/** A rectangle that the compositor fills; rows count from the first of the lines it is in. */
export interface Slot {
  readonly row: number;
  readonly column: number;
  readonly width: number;
  readonly height: number;
}

export interface ChromeLines {
  /** How many of the lines belong above the transcript. */
  readonly top: number;
  readonly lines: readonly Row[];
  readonly slots: ReadonlyMap<SlotName, Slot>;
}

/** Lays out the chrome. `draw` is synchronous and cheap when the view equals the last one. */
export interface ChromeSurface {
  draw(view: ChromeView): ChromeLines;
  drawHelp(view: HelpView): ChromeLines;
  close(): void;
}

/** Finds the rectangles that were drawn as runs of a slot style. */
export function findSlots(lines: readonly Row[], widthOf: (text: string) => number): ReadonlyMap<SlotName, Slot> {
  const slots = new Map<SlotName, Slot>();
  for (const [row, line] of lines.entries()) {
    let column = 0;
    for (const { text, style } of line.spans) {
      const width = widthOf(text);
      if (style === "slot-editor" || style === "slot-detail" || style === "slot-activity") {
        const known = slots.get(style);
        slots.set(style, known === undefined ? { row, column, width, height: 1 } : { ...known, height: row - known.row + 1 });
      }
      column += width;
    }
  }
  return slots;
}
