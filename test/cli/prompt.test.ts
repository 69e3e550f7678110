import { describe, expect, test } from "vitest";
import { readPrompt } from "../../src/cli/eval/prompt.js";
import type { InputPort } from "../../src/cli/index.js";
import type { LineWord } from "../../src/cli/program.js";
import { createFakeHost, createFakeInput, type FakeHostOptions, type FakeInput } from "./fake-host.js";

interface Asked {
  readonly prompt?: string;
  readonly code?: string;
  readonly notices: readonly string[];
  readonly closed: boolean;
}

const words = (...texts: readonly string[]): readonly LineWord[] => texts.map((text) => ({ text, literal: false }));

interface Asking {
  readonly words?: readonly LineWord[];
  readonly stdin?: FakeInput;
  readonly files?: FakeHostOptions["files"];
  /** Runs once someone waits for the idle time. */
  readonly whenWaiting?: (host: ReturnType<typeof createFakeHost>) => Promise<void> | void;
  readonly signal?: AbortSignal;
}

async function ask(asking: Asking): Promise<Asked> {
  const stdin = asking.stdin ?? createFakeInput("terminal");
  const host = createFakeHost({ stdin, ...(asking.files === undefined ? {} : { files: asking.files }) });
  const notices: string[] = [];
  const running = readPrompt(asking.words ?? [], {
    stdin,
    clock: host.clock,
    cwd: "/p",
    readFile: (path, maxBytes) => host.readFile(path, maxBytes),
    notice: (text) => notices.push(text),
    signal: asking.signal ?? new AbortController().signal,
  });
  if (asking.whenWaiting !== undefined) {
    await host.clock.sleeping();
    await asking.whenWaiting(host);
  }
  const result = await running;
  return { ...(result.ok ? { prompt: result.value } : { code: result.error.code }), notices, closed: stdin.closed };
}

describe("the prompt", () => {
  test.each<[string, Asking, string]>([
    ["words are joined by one blank", { words: words("fix", "the bug") }, "fix the bug"],
    ["a word is kept exactly", { words: words("  a\n\tb  ") }, "  a\n\tb  "],
    ["100 kB in one word", { words: words("x".repeat(100_000)) }, "x".repeat(100_000)],
    ["standard input, without its final line end", { stdin: createFakeInput("idle-prone", "do it\n") }, "do it"],
    ["standard input with CRLF", { stdin: createFakeInput("file", "a\r\nb\r\n") }, "a\r\nb"],
    ["only one final line end goes", { stdin: createFakeInput("file", "a\n\n") }, "a\n"],
    ["- alone is standard input", { words: words("-"), stdin: createFakeInput("idle-prone", "do it") }, "do it"],
    [
      "a file on standard input is attached after the words",
      { words: words("sum up"), stdin: createFakeInput("file", "a\nb") },
      "sum up\n\n<stdin>\na\nb\n</stdin>",
    ],
    [
      "a pipe with text is attached",
      { words: words("sum up"), stdin: createFakeInput("idle-prone", "a\n") },
      "sum up\n\n<stdin>\na\n</stdin>",
    ],
    ["an empty file attaches nothing", { words: words("hi"), stdin: createFakeInput("file", "") }, "hi"],
    ["a terminal is not read beside words", { words: words("hi"), stdin: createFakeInput("terminal") }, "hi"],
    [
      "@file is included after the words",
      { words: words("explain", "@a.ts"), files: { "/p/a.ts": "let a;\n" } },
      'explain\n\n<file path="a.ts">\nlet a;\n</file>',
    ],
    ["@file alone is a prompt", { words: words("@/abs/t.md"), files: { "/abs/t.md": "task" } }, '<file path="/abs/t.md">\ntask\n</file>'],
    ["@ alone is a word", { words: words("a", "@") }, "a @"],
    [
      "words after -- mean nothing but themselves",
      {
        words: [
          { text: "-", literal: true },
          { text: "@b", literal: true },
          { text: "-x", literal: true },
        ],
      },
      "- @b -x",
    ],
  ])("%s", async (_name, asking, prompt) => {
    expect(await ask(asking)).toMatchObject({ prompt, notices: [], closed: true });
  });

  test.each<[string, Asking, string]>([
    ["no words and a terminal", {}, "usage.no-prompt"],
    ["no words and nothing on standard input", { stdin: createFakeInput("file", "") }, "usage.no-prompt"],
    ["an empty pipe", { stdin: createFakeInput("idle-prone", "") }, "usage.no-prompt"],
    ["only white space on standard input", { stdin: createFakeInput("file", " \n\t\n") }, "usage.no-prompt"],
    ["an empty word", { words: words("") }, "usage.no-prompt"],
    ["a blank word beside a pipe with text", { words: words(" "), stdin: createFakeInput("file", "text") }, "usage.no-prompt"],
    ["a file that is not there", { words: words("@none") }, "input.file"],
    ["a folder", { words: words("@dir"), files: { "/p/dir": { code: "EISDIR" } } }, "input.file"],
    ["a binary file", { words: words("@b"), files: { "/p/b": new Uint8Array([65, 0, 66]) } }, "input.file"],
    ["a file that is not UTF-8", { words: words("@b"), files: { "/p/b": new Uint8Array([65, 0xff]) } }, "input.file"],
    ["a file over the bound", { words: words("@b"), files: { "/p/b": "x".repeat(10 * 1_048_576 + 1) } }, "input.file"],
    ["standard input over the bound", { stdin: createFakeInput("file", "x".repeat(10 * 1_048_576 + 1)) }, "input.too-long"],
    ["zero bytes on standard input", { stdin: createFakeInput("file", "a\0b") }, "input.not-text"],
  ])("%s is a usage error", async (_name, asking, code) => {
    expect(await ask(asking)).toMatchObject({ code, notices: [], closed: true });
  });

  test("bytes that are not UTF-8 become the replacement character, with a notice", async () => {
    const asked = await ask({ stdin: createFakeInput("file", new Uint8Array([0x61, 0xff])) });
    expect(asked).toMatchObject({ prompt: "a\ufffd" });
    expect(asked.notices).toHaveLength(1);
  });

  test("a replacement character that was really sent needs no notice", async () => {
    expect(await ask({ stdin: createFakeInput("file", "a\ufffd") })).toMatchObject({ prompt: "a\ufffd", notices: [] });
  });
});

describe("a pipe that brings nothing", () => {
  const second = async (host: ReturnType<typeof createFakeHost>): Promise<void> => host.clock.advance(1000);

  test("beside words it is left alone after 1 s, with a notice, and closed", async () => {
    const asked = await ask({ words: words("hi"), stdin: createFakeInput("idle-prone"), whenWaiting: second });
    expect(asked).toEqual({
      prompt: "hi",
      notices: ["standard input has brought nothing for 1 s and is left out; give - as a word to wait for it"],
      closed: true,
    });
  });

  test("one byte within the second is enough to wait for the rest", async () => {
    const stdin = createFakeInput("idle-prone");
    const asked = await ask({
      words: words("hi"),
      stdin,
      whenWaiting: async (host) => {
        await host.clock.advance(999);
        stdin.push("a");
        await host.clock.advance(0);
        await host.clock.advance(60_000);
        stdin.push("b\n");
        stdin.end();
      },
    });
    expect(asked).toMatchObject({ prompt: "hi\n\n<stdin>\nab\n</stdin>", notices: [] });
  });

  test.each<[string, readonly LineWord[], string]>([
    ["with - it is waited for", words("hi", "-"), "hi\n\n<stdin>\nlate\n</stdin>"],
    ["without words it is waited for", [], "late"],
  ])("%s, and that is said", async (_name, given, prompt) => {
    const stdin = createFakeInput("idle-prone");
    const asked = await ask({
      words: given,
      stdin,
      whenWaiting: async (host) => {
        await second(host);
        stdin.push("late");
        stdin.end();
      },
    });
    expect(asked).toEqual({ prompt, notices: ["waiting for standard input"], closed: true });
  });

  test("an abort ends the wait", async () => {
    const stop = new AbortController();
    const asked = await ask({
      stdin: createFakeInput("idle-prone"),
      signal: stop.signal,
      whenWaiting: () => {
        stop.abort();
      },
    });
    expect(asked.closed).toBe(true);
  });
});

test("standard input that cannot be read is a diagnostic, not a crash", async () => {
  const broken: InputPort = {
    kind: "file",
    chunks: () => ({ next: () => Promise.reject(new Error("EISDIR: illegal operation on a directory")) }),
    close: () => undefined,
  };
  const host = createFakeHost();
  const result = await readPrompt([], {
    stdin: broken,
    clock: host.clock,
    cwd: "/p",
    readFile: (path, maxBytes) => host.readFile(path, maxBytes),
    notice: () => undefined,
    signal: new AbortController().signal,
  });
  expect(result).toMatchObject({ ok: false, error: { code: "input.unreadable", exit: 2 } });
});
