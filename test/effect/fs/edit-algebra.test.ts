import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { applyPatch, createTwoFilesPatch, parsePatch, reversePatch } from "diff";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Bench } from "../support.js";
import { createBench, errorOf, makeFolder, removeFolder } from "../support.js";

let folder: string;
let bench: Bench;
let count = 0;

beforeEach(async () => {
  folder = await makeFolder();
  bench = createBench(folder);
  count = 0;
});
afterEach(async () => {
  await bench.close();
  await removeFolder(folder);
});

/** Every run has a file of its own. */
const fresh = async (content: string): Promise<string> => {
  count += 1;
  const name = `f${count}`;
  await writeFile(join(folder, name), content);
  return name;
};
const text = (name: string): Promise<string> => readFile(join(folder, name), "utf8");

const word = fc.constantFrom("a", "b", "ab", "x = 1", "", "  y", "€", "$&", "-- z", "++ w");
const lineEnd = fc.constantFrom("\n", "\r\n");
const file = fc
  .tuple(fc.boolean(), fc.array(fc.tuple(word, lineEnd), { maxLength: 14 }), word)
  .map(([hasMark, lines, last]) => (hasMark ? "\ufeff" : "") + lines.map(([each, end]) => each + end).join("") + last);
const edits = fc.array(
  fc.record({
    old: fc.constantFrom("a", "b", "ab", "a\nb", "\n", "x", "$&", "€\n", "y\r\n", ""),
    new: fc.constantFrom("", "b", "c\nd", "$&$1", "a", "\r\n", "\u00e9"),
    all: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);

/** Edits made in the most trivial way, on text whose line ends were all made `\n`. Undefined: refused. */
function model(before: string, list: readonly { old: string; new: string; all: boolean }[]): string | undefined {
  const plain = (value: string): string => value.replaceAll("\r\n", "\n");
  let current = plain(before);
  for (const edit of list) {
    const [old, put] = [plain(edit.old), plain(edit.new)];
    const pieces = old === "" ? [] : current.split(old);
    const overlaps = old !== "" && current.includes(old, current.indexOf(old) + 1);
    if (pieces.length < 2 || old === put || (!edit.all && overlaps)) return undefined;
    current = pieces.join(put);
  }
  return current === plain(before) ? undefined : current;
}

describe("any edits", () => {
  test("come out as the same edits made in the most trivial way, and are refused when these are", async () => {
    await fc.assert(
      fc.asyncProperty(file, edits, async (before, list) => {
        const mark = before.startsWith("\ufeff") ? "\ufeff" : "";
        const wanted = model(before.slice(mark.length), list);
        const path = await fresh(before);
        const { result, outcome } = await bench.call("fs.edit", { path, edits: list });
        const after = await text(path);
        if (wanted === undefined) {
          expect([outcome, result.ok, after]).toEqual(["not-applied", false, before]);
          errorOf(result);
          return;
        }
        expect(after.replaceAll("\r\n", "\n")).toBe(mark + wanted);
        if (!before.includes("\r\n")) expect(after).not.toContain("\r");
        if (!/(?<!\r)\n/u.test(before) && before.includes("\r\n")) expect(after).not.toMatch(/(?<!\r)\n/u);
        if (!result.ok) throw new Error(result.error.what);
        expect(applyPatch(before, result.value.diff, { autoConvertLineEndings: false })).toBe(after);
      }),
      { numRuns: 400 },
    );
  }, 60_000);
});

describe("any diff", () => {
  const patchOf = (path: string, before: string, after: string): string =>
    createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, { context: 3 });

  test("of before and after, applied, gives after; turned round it gives before again", async () => {
    await fc.assert(
      fc.asyncProperty(file, file, async (before, after) => {
        fc.pre(before !== after);
        const path = await fresh(before);
        const patch = patchOf(path, before, after);
        await bench.value("fs.patch", { patch });
        expect(await text(path)).toBe(after);
        await bench.value("fs.patch", { patch: patchOf(path, after, before) });
        expect(await text(path)).toBe(before);
      }),
      { numRuns: 300 },
    );
  }, 60_000);

  test("that a tool returned undoes what it did when it is turned round", async () => {
    await fc.assert(
      fc.asyncProperty(file, file, async (before, after) => {
        fc.pre(before !== after && before !== "" && !before.startsWith("\ufeff") && !after.startsWith("\ufeff"));
        const path = await fresh(before);
        const change = await bench.value("fs.write", { path, content: after });
        fc.pre(change.diff !== "");
        const written = await text(path);
        expect(applyPatch(before, change.diff, { autoConvertLineEndings: false })).toBe(written);
        const [patch] = parsePatch(change.diff);
        if (patch === undefined) throw new Error("no patch");
        expect(applyPatch(written, reversePatch(patch), { autoConvertLineEndings: false })).toBe(before);
      }),
      { numRuns: 200 },
    );
  }, 60_000);
});
