import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { BlockSplitter, markdownRows, splitBlocks } from "../../../src/tui/render/index.js";
import { lexBlocks } from "../../../src/tui/render/blocks.js";
import { rowText, spansWidth } from "../../../src/tui/text/index.js";

const rowsOf = (source: string, width = 40): readonly string[] =>
  markdownRows(source, { width, block: 0, colors: undefined }).map((row) => rowText(row).trimEnd());

describe("markdown to rows", () => {
  test.each([
    ["a paragraph joins soft breaks", "one\ntwo", ["one two"]],
    ["hard breaks stay", "one  \ntwo", ["one", "two"]],
    ["headings lose their marks", "## Title", ["Title"]],
    ["lists hang", "- one\n- two\n  - three\n1. x", ["• one", "• two", "  • three", "", "1. x"]],
    ["ordered lists keep their numbers", "9. a\n10. b", [" 9. a", "10. b"]],
    ["tasks", "- [ ] open\n- [x] done", ["☐ open", "☑ done"]],
    ["code is indented and keeps its blanks", "```ts\nif (a) {\n  b();\n}\n```", ["  if (a) {", "    b();", "  }"]],
    [
      "a line of code wider than the row goes on behind a mark",
      `\`\`\`\n${"x".repeat(38)}yz\nnext\n\`\`\``,
      [`  ${"x".repeat(38)}`, "↳ yz", "  next"],
    ],
    ["quotes have a bar", "> a\n> b", ["│ a b"]],
    ["a rule spans the width", "---", ["─".repeat(40)]],
    ["tables are aligned", "| a | b |\n|---|--:|\n| x | 1 |\n| long | 22 |", ["a      b", "────────", "x      1", "long  22"]],
    ["the target of a link is shown", "[good](https://evil.example)", ["good (https://evil.example)"]],
    ["a link that is its own text is not doubled", "<https://a.example>", ["https://a.example"]],
    ["a link of another scheme is not one", "[x](javascript:alert)", ["x (javascript:alert)"]],
    ["HTML is text", "<b>bold</b> &amp; &lt;", ["<b>bold</b> & <"]],
    ["emphasis", "**bold** *it* `code` ~~gone~~", ["bold it code gone"]],
    ["references stay text", "[a]: http://x.example\n\n[a]", ["[a]: http://x.example", "", "[a]"]],
  ])("%s", (_name, source, expected) => {
    expect(rowsOf(source)).toEqual(expected);
  });

  test("no row is wider than asked, at any width", () => {
    const source =
      "# Title 漢字\n\n- a list with a long item that wraps\n  - nested 👩‍👩‍👧 more words\n\n| col | another column |\n|---|---|\n| x | some longer cell text here |\n\n> quoted text that wraps\n\n```\ncode that is longer than the row is wide\n```";
    for (let width = 4; width <= 60; width += 1) {
      for (const row of markdownRows(source, { width, block: 0, colors: undefined }))
        expect(spansWidth(row.spans)).toBeLessThanOrEqual(Math.max(width, 8));
    }
  });

  test("deep nesting ends", () => {
    expect(() => rowsOf(`${"> ".repeat(200)}x`)).not.toThrow();
    expect(() => rowsOf(Array.from({ length: 60 }, (_, depth) => `${"  ".repeat(depth)}- x`).join("\n"))).not.toThrow();
  });
});

const PARTS = [
  "A paragraph\nof two lines.",
  "# Heading",
  "- one\n- two",
  "- one\n\n- loose",
  "- item\n\n  with a paragraph",
  "- item\n\n      indented code in it",
  "1. a\n2. b",
  "```js\nconst a = 1;\n\n\nconst b = 2;\n```",
  "```\nno language\n```",
  "~~~\ntilde ``` inside\n~~~",
  "````\n```\nnested\n```\n````",
  "    indented\n\n    code",
  "> quote\n> more",
  "| a | b |\n|---|---|\n| 1 | 2 |",
  "---",
  "Title\n=====",
  "<div>\nhtml\n</div>",
  "<!-- a comment\n\nwith a blank -->",
  "text with `code` and **bold**",
  "* star\n* list",
  "para right before\n```\nfence\n```",
  "[ref]: https://x.example",
];

describe("blocks of a stream", () => {
  test("any cut into pieces gives the same blocks", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PARTS), { maxLength: 8 }), fc.array(fc.nat(400), { maxLength: 8 }), (parts, cuts) => {
        const text = parts.join("\n\n");
        const edges = [...new Set([0, ...cuts.map((cut) => Math.min(cut, text.length)), text.length])].sort((a, b) => a - b);
        const splitter = new BlockSplitter();
        let seen = 0;
        for (const [index, end] of edges.slice(1).entries()) {
          const before = [...splitter.closed];
          splitter.push(text.slice(edges[index], end));
          // Closed blocks are final.
          expect(splitter.closed.slice(0, before.length)).toEqual(before);
          expect(splitter.closed.join("").length + splitter.tail.length).toBeGreaterThanOrEqual(seen);
          seen = splitter.closed.join("").length;
        }
        splitter.end();
        expect(splitter.closed).toEqual(splitBlocks(text));
      }),
      { numRuns: 400 },
    );
  });

  test("frozen blocks give the rows of a full parse", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 7 }), (parts) => {
        const text = parts.join("\n\n");
        const bySplit = splitBlocks(text).flatMap((block, index) => [...(index > 0 ? [""] : []), ...rowsOf(block)]);
        expect(bySplit).toEqual(rowsOf(text));
      }),
      { numRuns: 600 },
    );
  });

  test("an open fence is known with its language before its end", () => {
    const splitter = new BlockSplitter();
    splitter.push("text\n\n```ts\nconst a");
    expect(splitter.closed).toEqual(["text\n\n"]);
    expect(splitter.openFence).toEqual({ info: "ts", contentStart: 6 });
    splitter.push(" = 1;\n```\n");
    expect(splitter.openFence).toBeUndefined();
    expect(splitter.closed).toHaveLength(2);
  });

  test("lexing never throws", () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom("#", "`", "*", "_", "[", "]", "(", ")", "<", ">", "-", "|", "\n", " ", "a", "!", "\\", "~"),
          maxLength: 60,
        }),
        (text) => {
          expect(
            lexBlocks(text)
              .map(({ raw }) => raw)
              .join("").length,
          ).toBeGreaterThanOrEqual(0);
          expect(Array.isArray(splitBlocks(text))).toBe(true);
        },
      ),
    );
  });
});
