import { applyPatch, reversePatch, parsePatch } from "diff";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lineChanges } from "../../../src/effect/text/line-diff.js";
import { composeSpans, type Span, spanBetween } from "../../../src/effect/text/spans.js";
import { MAX_DIFF_CHARACTERS, unifiedDiff } from "../../../src/effect/text/unified-diff.js";

const line = fc.constantFrom("", "a", "b", "c", "  a", "x\r", "€", "+", "-- q", "++ r");
const text = fc
  .tuple(fc.array(line, { maxLength: 40 }), fc.boolean())
  .map(([lines, ends]) => lines.join("\n") + (ends && lines.length > 0 ? "\n" : ""));

const counted = (diff: string, sign: string): number =>
  diff
    .split("\n")
    .slice(2)
    .filter((each) => each.startsWith(sign)).length;

describe("the diff", () => {
  test("leads from one text to the other, and back when it is turned round", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { diff, addedLines, removedLines } = unifiedDiff({ path: "t", before, after });
        if (before === after) {
          expect(diff).toBe("");
          return;
        }
        expect([addedLines, removedLines]).toEqual([counted(diff, "+"), counted(diff, "-")]);
        const [patch] = parsePatch(diff);
        if (patch === undefined) throw new Error("no patch");
        expect(applyPatch(before, patch, { autoConvertLineEndings: false })).toBe(after);
        expect(applyPatch(after, reversePatch(patch), { autoConvertLineEndings: false })).toBe(before);
      }),
      { numRuns: 500 },
    );
  });

  test("is the same from spans that are known, whatever lies between them", () => {
    const replaced = fc.tuple(
      text,
      fc.array(fc.tuple(fc.nat(60), fc.nat(5), fc.constantFrom("", "Z", "Z\n", "\n", "p\nq")), { maxLength: 6 }),
    );
    fc.assert(
      fc.property(replaced, ([before, cuts]) => {
        let spans: readonly Span[] = [];
        let current = before;
        for (const [at, length, fresh] of cuts) {
          const oldStart = Math.min(at, current.length);
          const oldEnd = Math.min(oldStart + length, current.length);
          spans = composeSpans(spans, [{ oldStart, oldEnd, newStart: oldStart, newEnd: oldStart + fresh.length }]);
          current = current.slice(0, oldStart) + fresh + current.slice(oldEnd);
        }
        let rebuilt = "";
        let from = 0;
        for (const span of spans) {
          rebuilt += before.slice(from, span.oldStart) + current.slice(span.newStart, span.newEnd);
          from = span.oldEnd;
        }
        expect(rebuilt + before.slice(from)).toBe(current);
        const { diff } = unifiedDiff({ path: "t", before, after: current, spans });
        expect(diff === "" ? before : applyPatch(before, diff, { autoConvertLineEndings: false })).toBe(current);
      }),
      { numRuns: 500 },
    );
  });

  test("names the side that is not there", () => {
    expect(unifiedDiff({ path: "n", before: undefined, after: "x\n" }).diff).toBe("--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n");
    expect(unifiedDiff({ path: "n", before: "x\n", after: undefined }).diff).toBe("--- a/n\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n");
    expect(unifiedDiff({ path: "n", before: undefined, after: "" }).diff).toBe("--- /dev/null\n+++ b/n\n");
  });

  test("shows bytes that only look the same as changed", () => {
    const decode = (units: string): string => Buffer.from(units, "latin1").toString("utf8");
    const { diff } = unifiedDiff({ path: "t", before: "\xe9\n", after: "\xe8\n", decode });
    expect(diff).toContain("-\ufffd\n+\ufffd\n");
  });
});

describe("bounds", () => {
  const numbered = (word: string, count: number): string => Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join("");

  test("a rewrite of everything is counted whole and shown as far as there is room, and says so", () => {
    const { diff, addedLines, removedLines } = unifiedDiff({ path: "t", before: numbered("old", 40_000), after: numbered("new", 30_000) });
    expect([addedLines, removedLines]).toEqual([30_000, 40_000]);
    expect(diff.length).toBeLessThan(MAX_DIFF_CHARACTERS + 300);
    expect(diff.split("\n").at(-2)).toBe("\\ Cut: 1 of 1 hunk shown, in part; the whole change is +30000 -40000 lines");
  });

  test("hunks that do not fit are left out whole", () => {
    const before = numbered("line", 60_000);
    const after = before.replaceAll(/^line (\d+)00$/gmu, "LINE $100");
    const { diff, addedLines } = unifiedDiff({ path: "t", before, after });
    expect(addedLines).toBe(600 - 1);
    const cut = /\n\\ Cut: (\d+) of 599 hunks shown; the whole change is \+599 -599 lines\n$/u.exec(diff);
    expect(Number(cut?.[1])).toBe(diff.split("\n@@ ").length - 1);
  });

  test("one endless line is cut, and told", () => {
    const { diff } = unifiedDiff({ path: "t", before: "a".repeat(1_000_000), after: `${"a".repeat(1_000_000)}b` });
    expect(diff.length).toBeLessThan(12_000);
    expect(diff).toContain("\\ Cut: this line has 1000001 characters");
  });

  test("lines that are far apart and without order still come out right, in bounded work", () => {
    const shuffled = (step: number): string[] => Array.from({ length: 20_011 }, (_, index) => `${(index * step) % 20_011}\n`);
    const before = shuffled(7);
    const after = shuffled(7919);
    const began = performance.now();
    const changes = lineChanges(before, after);
    expect(performance.now() - began).toBeLessThan(5000);
    const rebuilt: string[] = [];
    let from = 0;
    for (const change of changes) {
      rebuilt.push(...before.slice(from, change.oldStart), ...after.slice(change.newStart, change.newEnd));
      from = change.oldEnd;
    }
    expect([...rebuilt, ...before.slice(from)]).toEqual(after);
  });

  test("two far changes in a long text are two small hunks when their places are known or near", () => {
    const before = numbered("line", 20_000);
    const after = before.replace("line 5\n", "five\n").replace("line 19990\n", "far\n");
    expect(unifiedDiff({ path: "t", before, after })).toMatchObject({ addedLines: 2, removedLines: 2 });
    expect(spanBetween(before, after)).toHaveLength(1);
  });
});
