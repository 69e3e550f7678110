import { Box } from "ink";
import { memo, type ReactNode } from "react";

import type { ChromeView, PageView, Piece } from "../frame/index.js";
import { Editor } from "./editor.js";
import { Line, SlotArea } from "./line.js";

const Header = memo(function Header({
  left,
  right,
  columns,
}: {
  readonly left: string;
  readonly right: string;
  readonly columns: number;
}): ReactNode {
  return (
    <Box width={columns} height={1} justifyContent="space-between" paddingRight={2} flexShrink={0}>
      <Box flexShrink={1}>
        <Line pieces={[{ text: left, style: "header" }]} />
      </Box>
      <Box flexShrink={0}>
        <Line pieces={[{ text: right, style: "header" }]} />
      </Box>
    </Box>
  );
});

function StatusLine({ view }: { readonly view: ChromeView }): ReactNode {
  return (
    <Box width={view.columns} height={1} flexShrink={0} paddingRight={1}>
      {view.activityWidth > 0 ? <SlotArea name="slot-activity" width={view.activityWidth} height={1} /> : null}
      <Box flexGrow={1} flexShrink={1}>
        <Line pieces={view.statusLeft} />
      </Box>
      <Box flexShrink={0} paddingLeft={2}>
        <Line pieces={view.statusRight} />
      </Box>
    </Box>
  );
}

function Above({ lines }: { readonly lines: readonly (readonly Piece[])[] }): ReactNode {
  return lines.map((pieces, index) => <Line key={index} pieces={pieces} />);
}

/** Everything but the transcript, from top to bottom. */
export function Chrome({ view }: { readonly view: ChromeView }): ReactNode {
  return (
    <Box flexDirection="column" width={view.columns}>
      {view.shape.header ? <Header left={view.headerLeft} right={view.headerRight} columns={view.columns} /> : null}
      {view.banner === undefined ? null : <Line pieces={[{ text: view.banner, style: "banner" }]} />}
      <Above lines={view.above} />
      <Editor view={view} />
      {view.shape.hints ? <StatusLine view={view} /> : null}
    </Box>
  );
}

/** A page over everything else. Its text goes into the slot. */
export function Page({ view }: { readonly view: PageView }): ReactNode {
  return (
    <Box flexDirection="column" borderStyle="round" width={view.columns} paddingX={1}>
      <Line pieces={[{ text: view.title, style: "heading" }]} />
      <SlotArea name="slot-detail" width={view.columns - 4} height={view.rows} />
      {view.footer.map((text, index) => (
        <Line key={index} pieces={[{ text, style: "hint" }]} />
      ))}
    </Box>
  );
}
