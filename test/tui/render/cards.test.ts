import { describe, expect, test } from "vitest";

import {
  type CardView,
  diffCounts,
  diffFiles,
  diffRows,
  duration,
  elapsed,
  Highlighter,
  money,
  tokens,
  type ToolCard,
  toolCardRows,
} from "../../../src/tui/render/index.js";
import { spansFromHtml } from "../../../src/tui/render/highlight.js";
import { rowText, spansWidth } from "../../../src/tui/text/index.js";

const DIFF = "--- a/src/cart.ts\n+++ b/src/cart.ts\n@@ -40,3 +40,3 @@\n x\n-  const total = 1\n+  const cents = 2\n y\n";

const card = (fields: Partial<ToolCard>): ToolCard => ({
  name: "shell",
  argsSummary: "npm test",
  state: "done",
  startedAt: 0,
  progress: "",
  result: "",
  resultSummary: "",
  isError: false,
  mutation: "not-applied",
  durationMs: 0,
  diff: undefined,
  ...fields,
});

const view = (fields: Partial<CardView> = {}): CardView => ({ width: 60, expanded: false, tick: 0, now: 4200, ...fields });
const texts = (made: ToolCard, fields?: Partial<CardView>): readonly string[] =>
  toolCardRows(made, view(fields)).map((row) => rowText(row).trimEnd());
const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${String(index)}`).join("\n");

describe("tool cards", () => {
  test("a folded reading names tool and argument on one row", () => {
    expect(texts(card({ name: "grep", argsSummary: '"total" in src', resultSummary: "14 matches", durationMs: 12 }))).toEqual([
      expect.stringMatching(/^ {3}✓ grep "total" in src +14 matches · 12 ms$/),
    ]);
  });

  test("a running one shows the newest lines and how to see the others", () => {
    expect(texts(card({ state: "running", progress: `${lines(10)}\n` }))).toEqual([
      "   ⠋ shell npm test                             running 4 s",
      "       line 7",
      "       line 8",
      "       line 9",
      "       … 7 earlier lines · ctrl+o",
    ]);
  });

  test("an unknown outcome is told once", () => {
    const [head = ""] = texts(card({ isError: true, mutation: "unknown", result: "smith ended.", resultSummary: "outcome unknown" }));
    expect(head).toMatch(/^ {3}⚠ shell npm test +outcome unknown$/);
  });

  test("an error shows its beginning and that nothing was applied", () => {
    const rows = texts(card({ isError: true, result: lines(9), resultSummary: "exit 1" }));
    expect(rows[0]).toContain("✗ shell npm test");
    expect(rows[0]).toContain("exit 1 · not applied");
    expect(rows.at(-1)).toBe("       … 3 more lines · ctrl+o");
  });

  test("an unknown outcome is said", () => {
    expect(texts(card({ mutation: "unknown" }))[0]).toMatch(/⚠ shell npm test +outcome unknown$/);
  });

  test("a change shows its diff", () => {
    const rows = texts(card({ name: "edit", argsSummary: "src/cart.ts", diff: DIFF, mutation: "applied", durationMs: 9 }));
    expect(rows[0]).toMatch(/✓ edit src\/cart.ts +\+1 −1 · applied · 9 ms$/);
    expect(rows.slice(1)).toEqual(["       40  x", "       41 -  const total = 1", "       41 +  const cents = 2", "       42  y"]);
  });

  test("unfolded output is whole and wraps", () => {
    expect(texts(card({ mutation: "applied", result: lines(50) }), { expanded: true })).toHaveLength(51);
    expect(texts(card({ mutation: "applied", result: "x".repeat(100) }), { expanded: true })).toHaveLength(3);
  });

  test.each([20, 40, 60, 120, 200])("no row is wider than %i cells", (width) => {
    const made = card({
      argsSummary: "漢字".repeat(50),
      resultSummary: "some long summary of what happened here",
      durationMs: 1234,
      diff: `${DIFF}+${"y".repeat(5000)}\n`,
      mutation: "applied",
    });
    for (const row of toolCardRows(made, view({ width }))) expect(spansWidth(row.spans)).toBeLessThanOrEqual(width);
  });
});

describe("diffs", () => {
  test("a line of a megabyte is cut", () => {
    const rows = diffRows(`--- a/x\n+++ b/x\n@@ -1 +1 @@\n-${"a".repeat(1_000_000)}\n+b\n`, 60, 2);
    expect(spansWidth(rows[0]?.spans ?? [])).toBeLessThanOrEqual(60);
  });

  test("several files are named", () => {
    expect(
      diffRows(`${DIFF}${DIFF.replaceAll("cart", "tax")}`, 60, 0)
        .map(rowText)
        .filter((line) => line.startsWith("src/")),
    ).toEqual(["src/cart.ts", "src/tax.ts"]);
  });

  test("counts and files", () => {
    expect(diffCounts(DIFF)).toEqual({ added: 1, removed: 1 });
    expect(diffFiles(DIFF)).toEqual(["src/cart.ts"]);
    expect(diffFiles("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n")).toEqual([]);
  });
});

describe("highlighting", () => {
  test("markup of the highlighter becomes spans by line", () => {
    expect(spansFromHtml('<span class="hljs-keyword">const</span> a = <span class="hljs-string">&quot;x\ny&quot;</span>')).toEqual([
      [
        { text: "const", style: "syntax-keyword" },
        { text: " a = ", style: "text" },
        { text: '"x', style: "syntax-string" },
      ],
      [{ text: 'y"', style: "syntax-string" }],
    ]);
  });

  test("colours come later and are then at hand", async () => {
    const highlighter = new Highlighter((work) => setImmediate(work));
    const colored = await new Promise<unknown>((resolve) => {
      expect(
        highlighter.lines("ts", "const a = 1;", () => {
          resolve(highlighter.lines("ts", "const a = 1;", () => undefined));
        }),
      ).toBeUndefined();
    });
    expect(colored).toMatchObject([
      [{ text: "const", style: "syntax-keyword" }, { text: " a = " }, { text: "1", style: "syntax-number" }, { text: ";" }],
    ]);
  });

  test("an unknown language stays plain for ever", () => {
    expect(
      new Highlighter(() => {
        throw new Error("must not be scheduled");
      }).lines("klingon", "x", () => undefined),
    ).toBeUndefined();
  });
});

describe("numbers", () => {
  test.each([
    [duration(12), "12 ms"],
    [duration(4230), "4.2 s"],
    [duration(72_000), "1 m 12 s"],
    [duration(7_380_000), "2 h 3 m"],
    [elapsed(4230), "4 s"],
    [tokens(950), "950"],
    [tokens(200_000), "200k"],
    [tokens(1_048_576), "1.0M"],
    [money({ cost: 0.314 }), "$0.31"],
    [money({ cost: 0.314, unpriced: 2 }), "$0.31+"],
    [money({ unpriced: 2 }), undefined],
    [money({ cost: 0.0042 }), "<$0.01"],
    [money({ cost: 0 }), "$0"],
  ])("%s is %s", (made, expected) => {
    expect(made).toBe(expected);
  });
});
