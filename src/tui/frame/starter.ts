import { firstFrameRows, type FirstFrameFacts, type FrameSize, PROMPT_MARK } from "../first-frame.js";
import { EMPTY_ROW, type Row, span } from "../text/index.js";
import type { ChromeLines, ChromeSurface, ChromeView } from "./chrome-view.js";

/** The first frame as chrome, so that typing shows before the real chrome is loaded. */
export function createStarterChrome(size: () => FrameSize, facts: FirstFrameFacts): ChromeSurface {
  return {
    draw: (view) => starterLines(view, size(), facts),
    drawPage: () => ({ top: 0, lines: [], slots: new Map() }),
    close: () => undefined,
  };
}

function starterLines(view: ChromeView, size: FrameSize, facts: FirstFrameFacts): ChromeLines {
  const { rows, editorRow, editorColumn } = firstFrameRows(size, facts);
  const { shape } = view;
  const top = shape.header ? 1 : 0;
  const footRows = (shape.box ? 3 : 1) + (shape.hints ? 1 : 0);
  const foot = rows.slice(-footRows).map((line): Row => (line === "" ? EMPTY_ROW : { spans: [span(line, "border")] }));
  const promptIndex = footRows - (rows.length - editorRow);
  const extra = view.editor.type === "draft" ? view.editor.rows - 1 : 0;
  const blank = (foot[promptIndex] ?? EMPTY_ROW).spans.map((each) => ({
    ...each,
    text: each.text.replace(PROMPT_MARK, " ".repeat(PROMPT_MARK.length)),
  }));
  const grown = [
    ...foot.slice(0, promptIndex + 1),
    ...Array.from({ length: extra }, (): Row => ({ spans: blank })),
    ...foot.slice(promptIndex + 1),
  ];
  const header: readonly Row[] = shape.header ? [{ spans: [span(rows[0] ?? "", "header")] }] : [];
  const width = Math.max(1, size.columns - editorColumn - (shape.box ? 2 : 1));
  return {
    top,
    lines: [...header, ...grown],
    slots: new Map([["slot-editor", { row: top + promptIndex, column: editorColumn, width, height: extra + 1 }]]),
  };
}
