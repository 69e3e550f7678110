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
  | {
      readonly type: "question";
      readonly title: string;
      /** Rows of its text, of its options, and of the answer that is written. */
      readonly rows: number;
      readonly list: number;
      readonly input: number;
      readonly more: string;
      readonly keys: readonly (readonly Piece[])[];
    };

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

/** A page over everything else. */
export interface PageView {
  readonly columns: number;
  readonly rows: number;
  readonly title: string;
  readonly footer: readonly string[];
}

export type SlotName = "slot-editor" | "slot-detail" | "slot-activity" | "slot-list";

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
  drawPage(view: PageView): ChromeLines;
  close(): void;
}

const SLOTS: ReadonlySet<StyleName> = new Set<SlotName>(["slot-editor", "slot-detail", "slot-activity", "slot-list"]);

const isSlot = (style: StyleName): style is SlotName => SLOTS.has(style);

/** Finds the rectangles that were drawn as runs of a slot style. */
export function findSlots(lines: readonly Row[], widthOf: (text: string) => number): ReadonlyMap<SlotName, Slot> {
  const slots = new Map<SlotName, Slot>();
  for (const [row, line] of lines.entries()) {
    let column = 0;
    for (const { text, style } of line.spans) {
      const width = widthOf(text);
      if (isSlot(style)) {
        const known = slots.get(style);
        slots.set(style, known === undefined ? { row, column, width, height: 1 } : { ...known, height: row - known.row + 1 });
      }
      column += width;
    }
  }
  return slots;
}
