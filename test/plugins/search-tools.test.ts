import { describe, expect, test } from "vitest";
import { find } from "../../plugins/tool-find/index.js";
import { grep } from "../../plugins/tool-grep/index.js";
import { list } from "../../plugins/tool-list/index.js";
import type { GrepOutput } from "../../src/plugin/sdk.js";
import { runTool } from "./fake-context.js";

describe("list and find", () => {
  test("list marks kinds and tells what is missing", async () => {
    const output = await runTool(
      list,
      { path: "src", depth: 99 },
      {
        list: async (input) => {
          expect(input).toEqual({ path: "src", depth: 10 });
          return {
            path: "src",
            items: [
              { name: "app", kind: "directory", entries: 12 },
              { name: "new\\nline", kind: "file", bytes: 3 },
              { name: "big", kind: "file", bytes: 1_572_864 },
              { name: "l", kind: "link" },
              { name: "p", kind: "other" },
            ],
            truncated: true,
            ignoredCount: 7,
            total: { items: 80, isExact: false },
          };
        },
      },
    );
    expect(output).toEqual({
      text: "app/\t12 items\nnew\\nline\t3 B\nbig\t1.5 MB\nl@\np (not a regular file)\n[first 5 of at least 80 items; list a subfolder]\n[7 ignored left out]",
      isError: false,
      summary: "first 5 of at least 80 items",
      details: { data: { items: 5, ignored: 7, truncated: true, total: 80, exact: false } },
    });
  });

  test("list of an empty folder says so", async () => {
    const output = await runTool(list, {}, { list: async () => ({ path: "/work", items: [], truncated: false, ignoredCount: 0 }) });
    expect(output).toMatchObject({ text: "/work holds nothing to list.", summary: "0 items" });
  });

  test.each([
    [{ paths: ["a.ts", "b.ts"], truncated: false, notes: [] }, "a.ts\nb.ts", "2 files"],
    [
      { paths: ["a.ts"], truncated: true, notes: ["build is ignored"] },
      "a.ts\n[first 1 file; narrow the pattern]\n[build is ignored]",
      "first 1 file",
    ],
    [
      { paths: ["a.ts"], truncated: true, notes: [], total: { paths: 12, isExact: true } },
      "a.ts\n[first 1 of 12 files; narrow the pattern]",
      "first 1 of 12 files",
    ],
    [{ paths: [], truncated: false, notes: [] }, "No file matches *.ts in src.", "0 files"],
  ])("find words %j", async (found, text, summary) => {
    expect(await runTool(find, { pattern: "*.ts", path: "src" }, { find: async () => found })).toMatchObject({
      text,
      summary,
      isError: false,
    });
  });
});

describe("grep", () => {
  const hit = (line: number, text: string, match = true) => ({ line, text, match });
  const output = (over: Partial<GrepOutput>): GrepOutput => ({ files: [], matchCount: 0, truncated: false, notes: [], ...over });

  test("what was not found says in which files was looked", async () => {
    const found = await runTool(grep, { pattern: "needle", path: "src", glob: "*.md", type: "ts" }, { grep: async () => output({}) });
    expect(found).toMatchObject({
      text: "No line matches needle in src in files of type ts in files that fit *.md.",
      summary: "no matches",
    });
  });

  test.each([
    ["nothing", output({}), "No line matches needle.", "no matches"],
    [
      "nothing in the part that was searched",
      output({ truncated: true, total: { matches: 0, files: 0, isExact: false }, notes: ["n"] }),
      "No match of needle in what was searched, which is not all.\n[n]",
      "no matches in what was searched",
    ],
    [
      "matches by file",
      output({
        matchCount: 3,
        files: [
          { path: "c:52:d.txt", lines: [hit(1, "needle :9: x"), hit(7, "needle")] },
          { path: "b", lines: [hit(2, "needle")] },
        ],
      }),
      "c:52:d.txt\n1:needle :9: x\n7:needle\n\nb\n2:needle",
      "3 matches in 2 files",
    ],
    [
      "context with gaps",
      output({
        matchCount: 2,
        truncated: true,
        notes: ["n"],
        files: [{ path: "a", lines: [hit(1, "x", false), hit(2, "needle"), hit(9, "needle"), hit(10, "y", false)] }],
      }),
      "a\n1-x\n2:needle\n--\n9:needle\n10-y\n[first 2 matches; narrow the search]\n[n]",
      "first 2 matches",
    ],
    [
      "how much there is",
      output({
        matchCount: 1,
        truncated: true,
        total: { matches: 3451, files: 12, isExact: false },
        files: [{ path: "a", lines: [hit(2, "needle")] }],
      }),
      "a\n2:needle\n[first 1 of at least 3451 matches in 12 files; narrow the search]",
      "first 1 of at least 3451 matches",
    ],
    [
      "a window into a long line",
      output({
        matchCount: 2,
        files: [
          {
            path: "a",
            lines: [
              { ...hit(1, "xx needle yy"), cut: { length: 6003, from: 400 } },
              { ...hit(2, "needle"), cut: { length: 600, from: 0 } },
            ],
          },
        ],
      }),
      "a\n1:…xx needle yy… [characters 401-412 of 6003]\n2:needle… [characters 1-6 of 600]",
      "2 matches in 1 file",
    ],
  ])("words %s", async (_name, found, text, summary) => {
    expect(await runTool(grep, { pattern: "needle" }, { grep: async () => found })).toMatchObject({ text, summary, isError: false });
  });

  test("hands the pattern over as data and keeps numbers in bounds", async () => {
    const asked: unknown[] = [];
    const args = { pattern: "--pre=sh", path: "", glob: "-x", literal: true, ignore_case: true, context: 999, limit: 0 };
    await runTool(grep, args, {
      grep: async (input) => {
        asked.push(input);
        return output({});
      },
    });
    expect(asked).toEqual([{ pattern: "--pre=sh", glob: "-x", literal: true, ignoreCase: true, context: 20, limit: 1 }]);
  });

  test("an empty pattern is refused before any effect", async () => {
    expect(await runTool(grep, { pattern: "" }, {})).toMatchObject({ isError: true });
  });

  test("names alone, or with counts", async () => {
    const files = [
      { path: "a", lines: [], count: 7 },
      { path: "b c", lines: [], count: 1 },
    ];
    const found = output({ matchCount: 8, files });
    expect(await runTool(grep, { pattern: "x", mode: "files" }, { grep: async () => found })).toMatchObject({
      text: "a\nb c",
      summary: "2 files",
    });
    expect(await runTool(grep, { pattern: "x", mode: "count" }, { grep: async () => found })).toMatchObject({
      text: "7 a\n1 b c",
      summary: "8 matches in 2 files",
    });
    expect(await runTool(grep, { pattern: "x", mode: "words" }, {})).toMatchObject({
      isError: true,
      text: "mode is words; it is one of lines, files, count.",
    });
  });

  test("every argument reaches the host", async () => {
    const asked: unknown[] = [];
    const args = { pattern: "x", type: "ts", word: true, multiline: true, mode: "count", include_ignored: true };
    await runTool(grep, args, {
      grep: async (input) => {
        asked.push(input);
        return output({});
      },
    });
    expect(asked).toEqual([{ pattern: "x", fileType: "ts", word: true, multiline: true, mode: "count", includeIgnored: true }]);
  });
});
