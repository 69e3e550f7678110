import { Box } from "ink";
import type { ReactNode } from "react";

import { PROMPT_MARK } from "../first-frame.js";
import type { ChromeView, EditorView } from "../frame/index.js";
import { Line, SlotArea } from "./line.js";

function Draft({
  view,
  editor,
}: {
  readonly view: ChromeView;
  readonly editor: Extract<EditorView, { readonly type: "draft" }>;
}): ReactNode {
  const boxed = view.shape.box;
  const width = Math.max(1, view.columns - (boxed ? 6 : 3));
  const inside = (
    <Box>
      <Box flexShrink={0} width={PROMPT_MARK.length}>
        <Line pieces={[{ text: PROMPT_MARK, style: editor.active ? "accent" : "faint" }]} />
      </Box>
      <SlotArea name="slot-editor" width={width} height={editor.rows} />
    </Box>
  );
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
  const keys = <Line pieces={editor.keys} />;
  const more = editor.more === "" ? null : <Line pieces={[{ text: editor.more, style: "warning" }]} />;
  if (!view.shape.box) {
    return (
      <Box flexDirection="column">
        <SlotArea name="slot-detail" width={width} height={1} />
        {keys}
      </Box>
    );
  }
  return (
    <Box borderStyle="single" flexDirection="column" paddingX={1} width={view.columns} flexShrink={0}>
      <Line pieces={[{ text: editor.title.trim(), style: "warning" }]} />
      <SlotArea name="slot-detail" width={width} height={editor.rows} />
      {more}
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
