import { Box } from "ink";
import { render } from "ink-testing-library";
import { afterEach, describe, expect, test } from "vitest";
import { Line, SlotArea } from "../../../src/tui/chrome/line.js";
import { encodeStyle } from "../../../src/tui/terminal/index.js";
import type { Piece } from "../../../src/tui/frame/index.js";

const mounted: ReturnType<typeof render>[] = [];

afterEach(() => {
  for (const app of mounted.splice(0)) app.unmount();
});

function draw(width: number, pieces: readonly Piece[]): readonly string[] {
  const app = render(
    <Box width={width}>
      <Line pieces={pieces} />
    </Box>,
  );
  mounted.push(app);
  return (app.lastFrame() ?? "").split("\n");
}

describe("a line of the chrome", () => {
  test("keeps its pieces in order, each behind the mark of its own style", () => {
    const [row = ""] = draw(40, [
      { text: "left ", style: "header" },
      { text: "right", style: "banner" },
    ]);
    const mark = (style: Piece["style"]): string => encodeStyle("x", style).split("x")[0] ?? "";
    expect(row.startsWith(`${mark("header")}left ${mark("banner")}right`)).toBe(true);
    expect(mark("header")).not.toBe(mark("banner"));
  });

  test("stays one row: what does not fit is cut, and the cut shows", () => {
    const rows = draw(8, [{ text: "0123456789", style: "text" }]);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toContain("0123456");
    expect(rows[0]).toContain("…");
    expect(rows[0]).not.toContain("7");
  });

  test("counts a wide character as two cells", () => {
    const rows = draw(5, [{ text: "日本語", style: "text" }]);
    expect(rows[0]).toContain("日本");
    expect(rows[0]).not.toContain("語");
  });
});

test("a slot is a marked rectangle of blanks for the compositor", () => {
  const app = render(<SlotArea name="slot-detail" width={6} height={3} />);
  mounted.push(app);
  expect(app.lastFrame()).toBe([1, 2, 3].map(() => encodeStyle(" ".repeat(6), "slot-detail")).join("\n"));
});
