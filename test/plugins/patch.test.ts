import { describe, expect, test } from "vitest";
import { patch } from "../../plugins/tool-patch/index.js";
import { write } from "../../plugins/tool-write/index.js";
import { runTool } from "./fake-context.js";

const file = { path: "a.ts", action: "changed", created: false, diff: "D1\n", addedLines: 2, removedLines: 1, replacements: 1 } as const;

describe("patch", () => {
  test("tells what became of every file, and joins the diffs", async () => {
    const asked: unknown[] = [];
    const output = await runTool(
      patch,
      { patch: "*** Begin Patch" },
      {
        patch: async (input) => {
          asked.push(input);
          return { files: [file, { ...file, path: "b.ts", action: "moved", from: "c.ts", diff: "D2\n", addedLines: 0, removedLines: 0 }] };
        },
      },
    );
    expect(asked).toEqual([{ patch: "*** Begin Patch" }]);
    expect(output).toEqual({
      text: "Patched 2 files:\nchanged a.ts (+2 -1 lines)\nmoved c.ts to b.ts",
      isError: false,
      summary: "2 files, +2 -1",
      details: {
        diff: "D1\nD2\n",
        data: {
          files: [
            { path: "a.ts", action: "changed", addedLines: 2, removedLines: 1 },
            { path: "b.ts", action: "moved", from: "c.ts", addedLines: 0, removedLines: 0 },
          ],
        },
      },
    });
  });

  test("refuses an empty patch before any effect", async () => {
    expect(await runTool(patch, { patch: " \n" }, {})).toMatchObject({ isError: true });
  });
});

test("write says when it replaced what was never read", async () => {
  const change = { path: "a.ts", created: false, diff: "@@", addedLines: 6, removedLines: 1, replacements: 0, replacedUnseen: true };
  const output = await runTool(write, { path: "a.ts", content: "x" }, { write: async () => change });
  expect(output).toMatchObject({
    text: "Replaced a.ts (+6 -1 lines). It was never read in this session; what it held is gone (1 line).",
    details: { data: { created: false, replacedUnseen: true } },
  });
});
