import { describe, expect, test } from "vitest";

import { RENDER_LIMITS, type RenderNode } from "../../../src/schema/index.js";
import { safeView, type ToolCard, toolCardRows } from "../../../src/tui/render/index.js";
import { viewRows } from "../../../src/tui/render/view/index.js";
import { isPrintable, type Row, rowText, span, textWidth } from "../../../src/tui/text/index.js";

const rows = (node: RenderNode, width = 40): readonly Row[] => viewRows(safeView(node), [], { width, colors: undefined });
const texts = (node: RenderNode, width = 40): readonly string[] => rows(node, width).map((row) => rowText(row).trimEnd());

const text = (...words: readonly string[]): RenderNode => ({ type: "text", spans: words.map((word) => ({ text: word })) });

describe("what a plugin shows", () => {
  test("text keeps its roles and line ends, and is wrapped", () => {
    const [row] = rows({
      type: "text",
      spans: [
        { text: "ok ", role: "success" },
        { text: "and", role: "muted" },
      ],
    });
    expect(row?.spans.map(({ text: word, style }) => [word, style])).toEqual([
      ["ok ", "success"],
      ["and", "muted"],
    ]);
    expect(texts(text("one\ntwo"))).toEqual(["one", "two"]);
    expect(texts(text("a word or two"), 8)).toEqual(["a word", "or two"]);
  });

  test("a link shows where it leads, unless that is its text", () => {
    expect(texts({ type: "text", spans: [{ text: "docs", href: "https://a.example/" }] })).toEqual(["docs (https://a.example/)"]);
    expect(texts({ type: "text", spans: [{ text: "https://a.example/", href: "https://a.example/" }] })).toEqual(["https://a.example/"]);
    expect(texts({ type: "text", spans: [{ text: "javascript:x", href: "javascript:x" }] })).toEqual(["javascript:x (javascript:x)"]);
  });

  test("code is cut at the edge with a mark, and coloured where colours are known", () => {
    expect(texts({ type: "code", text: "const x = 1;\n" })).toEqual(["  const x = 1;"]);
    expect(texts({ type: "code", text: "0123456789" }, 8)).toEqual(["  012345", "↳ 6789"]);
    const colors = { lines: () => [[span("const", "syntax-keyword")]] };
    const [row] = viewRows(safeView({ type: "code", text: "const", language: "ts" }), [], { width: 20, colors });
    expect(row?.spans.at(-1)).toEqual({ text: "const", style: "syntax-keyword" });
  });

  test("a diff has line numbers and signs", () => {
    const diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    expect(texts({ type: "diff", text: diff })).toEqual(["1 -a", "1 +b"]);
  });

  test("a table has columns; where they do not fit, lines", () => {
    const table: RenderNode = { type: "table", columns: ["file", "findings"], rows: [["a.ts", "2"], ["b.ts"]] };
    expect(texts(table)).toEqual(["file  findings", "──────────────", "a.ts  2", "b.ts"]);
    expect(texts(table, 6)).toEqual(["file:", "a.ts", "findin", "gs: 2", "file:", "b.ts"]);
  });

  test("lists are marked and nested, groups have a title", () => {
    const list: RenderNode = { type: "list", ordered: true, items: [text("one"), { type: "list", items: [text("a"), text("b")] }] };
    expect(texts(list)).toEqual(["1. one", "2. • a", "   • b"]);
    expect(texts({ type: "group", title: "Found", children: [text("x"), text("y")] })).toEqual(["Found", "  x", "  y"]);
  });

  test("an image is a line that says what it shows", () => {
    expect(texts({ type: "image", mediaType: "image/png", base64: "A".repeat(4096), alt: "a graph" })).toEqual([
      "▣ a graph · image/png, 3 KiB",
    ]);
  });

  test.each([
    [{ done: 1, total: 4 }, "building █████░░░░░░░░░░░░░░░ 25 %"],
    [{ done: 9, total: 4 }, `building ${"█".repeat(20)} 100 %`],
    [{ done: 12 }, "building 12"],
    [{ done: 1, total: 0 }, "building 1"],
  ])("progress of %o", (progress, shown) => {
    expect(texts({ type: "progress", label: "building", ...progress })).toEqual([shown]);
  });

  test("is bounded again, whoever wrote the file it comes from", () => {
    let deep: RenderNode = text("bottom");
    for (let level = 0; level < 50; level += 1) deep = { type: "group", children: [deep] };
    expect(texts(deep)).toEqual(["… nested too deep to be shown"]);
    const wide: RenderNode = { type: "group", children: Array.from({ length: RENDER_LIMITS.nodes + 50 }, () => text("x")) };
    expect(texts(wide)).toHaveLength(RENDER_LIMITS.nodes);
    expect(texts(wide).at(-1)).toBe("… more than can be shown");
  });

  const EVIL = "a\x1b]52;c;x\x07\x9b2J\u202e\tb\r\nc";
  const HOSTILE: RenderNode = {
    type: "group",
    title: EVIL,
    children: [
      { type: "text", spans: [{ text: EVIL, href: EVIL }] },
      { type: "code", text: EVIL, language: EVIL },
      { type: "diff", text: `--- a\n+++ b\n@@ -1 +1 @@\n+${EVIL}` },
      { type: "table", columns: [EVIL], rows: [[EVIL, EVIL]] },
      { type: "list", items: [{ type: "progress", label: EVIL, done: Number.NaN, total: 3 }] },
      { type: "image", mediaType: EVIL, base64: "", alt: EVIL },
    ],
  };

  test.each([1, 4, 9, 40, 200])("never holds a control character nor exceeds %i cells", (width) => {
    for (const row of rows(HOSTILE, width)) {
      expect(isPrintable(rowText(row))).toBe(true);
      if (width >= 9) expect(textWidth(rowText(row))).toBeLessThanOrEqual(width);
    }
  });
});

describe("the card of a call that brings a view", () => {
  const card = (fields: Partial<ToolCard>): ToolCard => ({
    name: "lint",
    argsSummary: "src",
    state: "done",
    startedAt: 0,
    progress: "",
    result: "plain result",
    resultSummary: "2 findings",
    isError: false,
    mutation: "not-applied",
    durationMs: 0,
    diff: undefined,
    view: safeView({ type: "list", items: Array.from({ length: 30 }, (_, index) => text(`finding ${String(index)}`)) }),
    ...fields,
  });
  const shown = (made: ToolCard, expanded: boolean): readonly string[] =>
    toolCardRows(made, { width: 60, expanded, tick: 0, now: 0 }).map((row) => rowText(row).trimEnd());

  test("shows its beginning, and all of it unfolded; the plain result is the model's", () => {
    const folded = shown(card({}), false);
    expect(folded).toHaveLength(10);
    expect(folded.at(-1)).toBe("       … 22 more lines · ctrl+o");
    const unfolded = shown(card({}), true);
    expect([unfolded.length, unfolded.at(-1)]).toEqual([31, "       • finding 29"]);
    expect(unfolded.join()).not.toContain("plain result");
  });

  test("what went wrong is told before it", () => {
    expect(shown(card({ isError: true, result: "exit 1" }), false).slice(1, 3)).toEqual(["       exit 1", "       • finding 0"]);
  });

  test("what was really changed is shown after it", () => {
    const diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    expect(shown(card({ view: safeView(text("done")), diff }), false).slice(1)).toEqual(["       done", "       1 -a", "       1 +b"]);
  });
});
