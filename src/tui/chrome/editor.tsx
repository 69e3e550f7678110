import { Box } from "ink";
import type { ReactNode } from "react";

import { PROMPT_MARK } from "../first-frame.js";
import type { ChromeView, EditorView, Piece } from "../frame/index.js";
import { Line, SlotArea } from "./line.js";

/** Text that is being written, behind its mark. */
function Written({ width, rows, style }: { readonly width: number; readonly rows: number; readonly style: Piece["style"] }): ReactNode {
  return (
    <Box>
      <Box flexShrink={0} width={PROMPT_MARK.length}>
        <Line pieces={[{ text: PROMPT_MARK, style }]} />
      </Box>
      <SlotArea name="slot-editor" width={width} height={rows} />
    </Box>
  );
}

function Draft({
  view,
  editor,
}: {
  readonly view: ChromeView;
  readonly editor: Extract<EditorView, { readonly type: "draft" }>;
}): ReactNode {
  const boxed = view.shape.box;
  const width = Math.max(1, view.columns - (boxed ? 6 : 3));
  const inside = <Written width={width} rows={editor.rows} style={editor.active ? "accent" : "faint"} />;
  if (!boxed) return inside;
  return (
    <Box borderStyle="round" paddingLeft={1} width={view.columns} height={editor.rows + 2} flexShrink={0}>
      {inside}
    </Box>
  );
}

function Question({
  view,
  editor,
}: {
  readonly view: ChromeView;
  readonly editor: Extract<EditorView, { readonly type: "question" }>;
}): ReactNode {
  const width = Math.max(4, view.columns - 4);
  const keys = editor.keys.map((pieces, index) => <Line key={index} pieces={pieces} />);
  const input = editor.input === 0 ? null : <Written width={Math.max(1, width - 2)} rows={editor.input} style="warning" />;
  const list = editor.list === 0 ? null : <SlotArea name="slot-list" width={width} height={editor.list} />;
  if (!view.shape.box) {
    return (
      <Box flexDirection="column">
        {input ?? list ?? <SlotArea name="slot-detail" width={width} height={1} />}
        {keys}
      </Box>
    );
  }
  return (
    <Box borderStyle="single" flexDirection="column" paddingX={1} width={view.columns} flexShrink={0}>
      <Line pieces={[{ text: editor.title, style: "warning" }]} />
      {editor.rows === 0 ? null : <SlotArea name="slot-detail" width={width} height={editor.rows} />}
      {editor.more === "" ? null : <Line pieces={[{ text: editor.more, style: "warning" }]} />}
      {list}
      {input}
      {keys}
    </Box>
  );
}

/** The place where a person answers: the draft, a question, or why there is neither. */
export function Editor({ view }: { readonly view: ChromeView }): ReactNode {
  const { editor } = view;
  switch (editor.type) {
    case "draft":
      return <Draft view={view} editor={editor} />;
    case "question":
      return <Question view={view} editor={editor} />;
    case "observer":
      return <Line pieces={[{ text: editor.text, style: "muted" }]} />;
  }
}
