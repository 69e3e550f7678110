import xterm from "@xterm/headless";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { type Frame, FrameWriter } from "../../../src/tui/terminal/index.js";
import { fitSpans, type Row, span } from "../../../src/tui/text/index.js";
import { compileTheme, darkTheme } from "../../../src/tui/theme/index.js";

const COLUMNS = 20;
const ROWS = 10;
const theme = compileTheme(darkTheme, "truecolor");

async function screenOf(...output: readonly string[]): Promise<readonly string[]> {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  for (const text of ["\x1b[?7l", ...output])
    await new Promise<void>((resolve) => {
      terminal.write(text, resolve);
    });
  return Array.from({ length: ROWS }, (_, row) => terminal.buffer.active.getLine(row)?.translateToString(true) ?? "");
}

const frame = (rows: readonly Row[], scroll?: Frame["scroll"]): Frame => ({
  rows: Array.from({ length: ROWS }, (_, index) => rows[index] ?? { spans: [] }),
  columns: COLUMNS,
  caret: { row: 0, column: 0 },
  ...(scroll === undefined ? {} : { scroll }),
});

const writer = (): FrameWriter => new FrameWriter(theme, { sync: true, scrollRegions: true });
const texts = (rows: readonly string[]): readonly Row[] => rows.map((text) => ({ spans: text === "" ? [] : [span(text)] }));

const line = fc.array(
  fc.record({
    text: fc.string({ unit: fc.constantFrom("a", "b", " ", "漢", "👍", "👩‍👩‍👧", "e\u0301", "é"), maxLength: 8 }),
    style: fc.constantFrom("text" as const, "strong" as const, "diff-add" as const),
  }),
  { maxLength: 4 },
);
const screenful = fc.array(
  line.map((spans): Row => ({ spans: spans.filter(({ text }) => text !== "") })),
  { maxLength: ROWS },
);

describe("frame writer", () => {
  test("the same frame twice writes nothing", () => {
    const one = writer();
    expect(one.encode(frame(texts(["a", "b"])))).not.toBe("");
    expect(one.encode(frame(texts(["a", "b"])))).toBe("");
  });

  test("a row that grew is written from where it changed", () => {
    const one = writer();
    one.encode(frame(texts(["hello wor"])));
    expect(one.encode(frame(texts(["hello world"])))).toBe("\x1b[?2026h\x1b[1;10H\x1b[0mld\x1b[0m\x1b[1;1H\x1b[?2026l");
  });

  test("any frame after any other looks as if it had been drawn alone", async () => {
    await fc.assert(
      fc.asyncProperty(screenful, screenful, async (before, after) => {
        const one = writer();
        const bytes = [one.encode(frame(before)), one.encode(frame(after))];
        expect(await screenOf(...bytes)).toEqual(await screenOf(writer().encode(frame(after))));
      }),
      { numRuns: 120 },
    );
  });

  test("a scrolled part is moved instead of written again, with the same result", async () => {
    const list = Array.from({ length: 40 }, (_, index) => `line number ${String(index)}`);
    for (const by of [1, 2, 3, -1, -2]) {
      const at = (from: number): Frame => frame(texts(["head", ...list.slice(from, from + 7), "foot", "end"]), { start: 1, end: 8 });
      const one = writer();
      const first = one.encode(at(10));
      const second = one.encode(at(10 + by));
      expect(second.length).toBeLessThan(first.length);
      expect(second).toMatch(/\x1b\[2;8r\x1b\[\d[ST]\x1b\[r/);
      expect(await screenOf(first, second)).toEqual(await screenOf(writer().encode(at(10 + by))));
    }
  });

  test("rows wider than the screen are cut, and the next cell is named after clusters terminals disagree on", async () => {
    const family = "👩‍👩‍👧";
    const bordered: Row = { spans: [span("│", "border"), ...fitSpans([span(`${family}x`)], COLUMNS - 2), span("│", "border")] };
    const shown = await screenOf(writer().encode(frame([bordered, { spans: [span("y".repeat(50))] }])));
    expect(shown[0]?.endsWith("│")).toBe(true);
    expect(shown[1]).toBe("y".repeat(COLUMNS));
    expect(shown[2]).toBe("");
  });

  test("a control character in a row is a bug, whoever made it", () => {
    expect(() => writer().encode(frame([{ spans: [span("a\x1b[2Jb")] }]))).toThrow("control character");
  });

  test("without sync and scroll regions neither is written", () => {
    const one = new FrameWriter(theme, { sync: false, scrollRegions: false });
    const bytes = one.encode(frame(texts(["a"]))) + one.encode(frame(texts(["b"]), { start: 0, end: 9 }));
    expect(bytes).not.toContain("2026");
    expect(bytes).not.toMatch(/\x1b\[\d+;\d+r/);
  });

  test("a caret that is hidden is hidden once", () => {
    const one = writer();
    one.encode(frame(texts(["a"])));
    const hidden = { ...frame(texts(["a"])), caret: undefined };
    expect(one.encode(hidden)).toContain("\x1b[?25l");
    expect(one.encode(hidden)).toBe("");
  });

  test("invalidated, everything is painted again", () => {
    const one = writer();
    const first = one.encode(frame(texts(["a"])));
    one.invalidate();
    expect(one.encode(frame(texts(["a"])))).toBe(first);
  });
});
