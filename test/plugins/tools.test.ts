import { describe, expect, test } from "vitest";
import { edit } from "../../plugins/tool-edit/index.js";
import { read } from "../../plugins/tool-read/index.js";
import { nu } from "../../plugins/tool-nu/index.js";
import { shell } from "../../plugins/tool-shell/index.js";
import { write } from "../../plugins/tool-write/index.js";
import type { FsReadOutput, ProcessOutput } from "../../src/plugin/sdk.js";
import { runTool } from "./fake-context.js";

type TextWindow = Extract<FsReadOutput, { type: "text" }>;

const window = (over: Partial<TextWindow>): TextWindow => ({
  type: "text",
  path: "a.ts",
  lines: ["one", "two"],
  firstLine: 1,
  totalLines: 2,
  totalBytes: 8,
  cutLines: [],
  truncated: false,
  encoding: "utf-8",
  ...over,
});

const readWith = async (output: FsReadOutput, args: Parameters<typeof read>[0] = { path: "a.ts" }) =>
  runTool(read, args, { read: async () => output });

describe("read", () => {
  test("numbers every line and says nothing more of a whole file", async () => {
    expect(await readWith(window({}))).toEqual({
      text: "1\tone\n2\ttwo",
      isError: false,
      summary: "1-2 of 2",
      details: { data: { firstLine: 1, lastLine: 2, totalLines: 2, totalBytes: 8 } },
    });
  });

  test.each([
    ["more lines follow", window({ totalLines: 9, truncated: true }), "1\tone\n2\ttwo\n[lines 1-2 of 9; continue with offset=3]"],
    ["the window is the end", window({ firstLine: 8, totalLines: 9 }), "8\tone\n9\ttwo\n[lines 8-9 of 9; this is the end]"],
    [
      "a line was cut",
      window({ cutLines: [{ line: 2, length: 1_000_000 }] }),
      "1\tone\n2\ttwo\n[line 2 is shown cut; it has 1000000 characters; grep shows the part around a match]",
    ],
    [
      "lines were cut",
      window({
        cutLines: [
          { line: 1, length: 3000 },
          { line: 2, length: 4000 },
        ],
      }),
      "1\tone\n2\ttwo\n[line 1 is shown cut; it has 3000 characters]\n[line 2 is shown cut; it has 4000 characters; grep shows the part around a match]",
    ],
    ["the file is UTF-16", window({ encoding: "utf-16le" }), "1\tone\n2\ttwo\n[the file is UTF-16LE; edits keep that]"],
    ["the file is empty", window({ lines: [], totalLines: 0, totalBytes: 0 }), "a.ts is empty."],
    [
      "it is a PDF",
      window({ encoding: "pdf" }),
      "1\tone\n2\ttwo\n[text of a PDF; how it looks is not shown, and it cannot be edited as text]",
    ],
    [
      "bytes are no UTF-8",
      window({ invalid: { count: 2, firstLine: 7 } }),
      "1\tone\n2\ttwo\n[2 bytes are no UTF-8, the first on line 7; shown as \ufffd, and \ufffd does not match them in an edit]",
    ],
    [
      "there is a NUL",
      window({ nul: { count: 1, firstLine: 500 } }),
      "1\tone\n2\ttwo\n[1 NUL byte, the first on line 500; shown as \u2400; the file cannot be edited as text]",
    ],
    [
      "it is binary",
      { type: "binary", path: "a.bin", totalBytes: 12 } as const,
      "a.bin is a binary file, 12 bytes; it has no text to show.",
    ],
    [
      "it is a zip",
      { type: "binary", path: "a", totalBytes: 12, what: "zip archive" } as const,
      "a is binary: zip archive, 12 bytes; it has no text to show. List or unpack it with a program of its kind.",
    ],
    [
      "it is UTF-16 without a mark",
      { type: "binary", path: "a", totalBytes: 12, what: "UTF-16 text without a byte order mark, little-endian" } as const,
      "a is binary: UTF-16 text without a byte order mark, little-endian, 12 bytes; it has no text to show. Find out its encoding and convert it in a shell, for example with iconv -f ENCODING -t UTF-8.",
    ],
    [
      "it is a folder",
      { type: "directory", path: "src", entries: 3, names: ["a/", "b"] } as const,
      "src is a folder with 3 names; list shows it deeper, find looks for names.\na/\nb\n[1 more]",
    ],
    [
      "it is a huge folder",
      { type: "directory", path: "src", entries: 2, names: ["a/", "b"], isCounted: false } as const,
      "src is a folder with over 2 names; list shows it deeper, find looks for names.\na/\nb",
    ],
  ])("tells when %s", async (_name, output, text) => {
    expect(await readWith(output)).toMatchObject({ text, isError: false });
  });

  test("an image is handed on by its name, with its facts for people", async () => {
    const image = { ref: "image-1", mediaType: "image/png", bytes: 12_345, width: 640, height: 480 } as const;
    expect(await readWith({ type: "image", path: "a.png", image, totalBytes: 12_345 })).toEqual({
      text: "a.png: image, image/png, 640x480, 12 KB.",
      isError: false,
      summary: "image/png, 640x480, 12 KB",
      images: ["image-1"],
      details: { data: { kind: "image", mediaType: "image/png", totalBytes: 12_345, width: 640, height: 480 } },
    });
  });

  test("an offset after the end is an error that says how long the file is", async () => {
    expect(await readWith(window({ lines: [], firstLine: 50, totalLines: 9 }), { path: "a.ts", offset: 50 })).toEqual({
      text: "a.ts has 9 lines; there is nothing at offset 50.",
      isError: true,
    });
  });

  test.each([
    [{ path: "a", offset: 0 }, "offset is 0; lines count from 1."],
    [{ path: "a", limit: 0 }, "limit is 0; ask for at least 1 line."],
  ])("refuses %j before any effect", async (args, text) => {
    expect(await runTool(read, args, {})).toEqual({ text, isError: true });
  });

  test("passes on only what was given", async () => {
    const asked: unknown[] = [];
    const answer = async (input: unknown) => {
      asked.push(input);
      return window({});
    };
    await runTool(read, { path: "a" }, { read: answer });
    await runTool(read, { path: "a", offset: 3, limit: 4 }, { read: answer });
    expect(asked).toEqual([{ path: "a" }, { path: "a", offset: 3, limit: 4 }]);
  });
});

describe("write and edit", () => {
  const change = { path: "a.ts", created: false, diff: "@@", addedLines: 6, removedLines: 4, replacements: 2 };

  test.each([
    ["a new file", { ...change, created: true, addedLines: 2, removedLines: 0 }, "Created a.ts (2 lines).", "new, +2"],
    ["a replaced file", change, "Replaced a.ts (+6 -4 lines).", "+6 -4"],
    ["no difference", { ...change, diff: "" }, "a.ts already had exactly this content; nothing changed.", "no change"],
  ])("write tells of %s", async (_name, output, text, summary) => {
    expect(await runTool(write, { path: "a.ts", content: "a\nb" }, { write: async () => output })).toMatchObject({
      text,
      summary,
      isError: false,
    });
  });

  test("edit hands the texts over as they are and returns the diff apart", async () => {
    const edits = [{ old: "MARK", new: "pid=$$ all=$& pre=$` one=$1", all: true }];
    const asked: unknown[] = [];
    const output = await runTool(
      edit,
      { path: "run.sh", edits },
      {
        edit: async (input) => {
          asked.push(input);
          return change;
        },
      },
    );
    expect(asked).toEqual([{ path: "run.sh", edits }]);
    expect(output).toEqual({
      text: "Edited a.ts: 2 replacements, +6 -4 lines.",
      isError: false,
      summary: "+6 -4",
      details: { diff: "@@", data: { replacements: 2 } },
    });
  });

  test.each([
    [[], "edits is empty; give at least one replacement."],
    [[{ old: "", new: "x" }], "edits[0].old is empty; give the text to replace, or use write to create a file."],
    [
      [
        { old: "a", new: "b" },
        { old: "x", new: "x" },
      ],
      "edits[1].old and edits[1].new are the same text; nothing was changed.",
    ],
  ])("edit refuses %j before any effect", async (edits, text) => {
    expect(await runTool(edit, { path: "a", edits }, {})).toEqual({ text, isError: true });
  });

  test("a failed operation is not reworded", async () => {
    const error = new Error("what. why. next.");
    const failing = runTool(edit, { path: "a", edits: [{ old: "a", new: "b" }] }, { edit: async () => Promise.reject(error) });
    await expect(failing).rejects.toBe(error);
  });
});

const ended = (over: Partial<ProcessOutput>): ProcessOutput => ({
  exitCode: 0,
  signal: null,
  timedOut: false,
  aborted: false,
  output: "up\n",
  omittedBytes: 0,
  durationMs: 1234,
  leftRunning: false,
  ...over,
});

describe("nu", () => {
  test("says where all of a long output is", async () => {
    const run = async (outputFile?: string) =>
      (
        await runTool(
          nu,
          { script: "x" },
          { run: async () => ended({ output: "up", omittedBytes: 7, ...(outputFile === undefined ? {} : { outputFile }) }) },
        )
      ).text;
    expect(await run("/state/command-1.log")).toBe(
      "up\n[7 bytes left out of the middle of the output; all of it is in /state/command-1.log]",
    );
    expect(await run()).toBe("up\n[7 bytes left out of the middle of the output]");
  });
});

describe("shell", () => {
  test.each([
    ["success", ended({}), "up", false, "exit 0 · 1.2 s"],
    ["silence", ended({ output: "", durationMs: 9 }), "(no output)", false, "exit 0 · 9 ms"],
    ["a failure", ended({ exitCode: 2, durationMs: 125_000 }), "up\nexit code 2", true, "exit 2 · 2 min 5 s"],
    ["a silent failure", ended({ exitCode: 1, output: "" }), "exit code 1", true, "exit 1 · 1.2 s"],
    ["a signal", ended({ exitCode: null, signal: "SIGSEGV" }), "up\nended by signal SIGSEGV", true, "SIGSEGV · 1.2 s"],
    [
      "a timeout",
      ended({ exitCode: null, signal: "SIGTERM", timedOut: true }),
      "up\n[timed out after 120 s and was ended; what it had done so far stays done]",
      true,
      "timed out · 1.2 s",
    ],
    ...["", "Continue? [y/N] ", "Password:", ">>> "].map((output): [string, ProcessOutput, string, boolean, string] => [
      `a timeout behind ${JSON.stringify(output)}`,
      ended({ exitCode: null, signal: "SIGTERM", timedOut: true, output }),
      `${output}${output === "" ? "" : "\n"}[timed out after 120 s and was ended; what it had done so far stays done; it may have waited for input, and there is none]`,
      true,
      "timed out · 1.2 s",
    ]),
    [
      "a flood with a file",
      ended({ omittedBytes: 700, outputFile: "/state/command-1.log" }),
      "up\n[700 bytes left out of the middle of the output; all of it is in /state/command-1.log]",
      false,
      "exit 0 · 1.2 s",
    ],
    ["an abort", ended({ exitCode: null, aborted: true }), "up\n[stopped by the user before it ended]", true, "stopped · 1.2 s"],
    [
      "a flood and a background child",
      ended({ omittedBytes: 700, leftRunning: true }),
      "up\n[700 bytes left out of the middle of the output]\n[a background process it started may still be running]",
      false,
      "exit 0 · 1.2 s",
    ],
  ])("tells of %s", async (...[, output, text, isError, summary]) => {
    expect(await runTool(shell, { command: "x" }, { run: async () => output })).toMatchObject({ text, isError, summary });
  });

  test.each([
    [undefined, 120_000],
    [2, 2000],
    [0, 1000],
    [9999, 600_000],
  ])("timeout_s %s gives the process %d ms", async (timeout_s, timeoutMs) => {
    const asked: unknown[] = [];
    await runTool(
      shell,
      { command: "x", cwd: "sub", ...(timeout_s === undefined ? {} : { timeout_s }) },
      {
        run: async (input) => {
          asked.push(input);
          return ended({});
        },
      },
    );
    expect(asked).toEqual([{ command: "x", cwd: "sub", timeoutMs }]);
  });

  test("a blank command is refused before any effect", async () => {
    expect(await runTool(shell, { command: "  " }, {})).toMatchObject({ isError: true });
  });
});
