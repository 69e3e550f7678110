import xterm from "@xterm/headless";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCapture } from "../../../../src/effect/process/output/capture.js";
import { createScreen, TERMINAL_SIZE } from "../../../../src/effect/process/output/screen.js";

const textOf = (written: string): string => {
  const screen = createScreen();
  return screen.push(written) + screen.end();
};

/** The same of a whole terminal emulator: lines, those that were wrapped as one, without blanks at their ends. */
async function emulated(written: string): Promise<string> {
  const terminal = new xterm.Terminal({
    cols: TERMINAL_SIZE.columns,
    rows: TERMINAL_SIZE.rows,
    scrollback: 10_000,
    allowProposedApi: true,
  });
  await new Promise<void>((resolve) => {
    terminal.write(written, resolve);
  });
  const { active } = terminal.buffer;
  const lines: string[] = [];
  for (let index = 0; index < active.length; index += 1) {
    const line = active.getLine(index);
    const text = line?.translateToString(true) ?? "";
    if (line?.isWrapped === true && lines.length > 0) lines[lines.length - 1] += text;
    else lines.push(text);
  }
  terminal.dispose();
  return trimmed(lines.join("\n"));
}

const trimmed = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trimEnd();

describe("what a terminal would show is the text", () => {
  test.each([
    { name: "lines", written: "one\r\ntwo\r\n", text: "one\ntwo\n" },
    { name: "a line without its end", written: "one\r\ntwo? ", text: "one\ntwo?" },
    { name: "colours", written: "\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mrgb\x1b[m\r\n", text: "red rgb\n" },
    { name: "titles and links", written: "\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b\x1b]8;;\x1b\\c\r\n", text: "abc\n" },
    { name: "a device string", written: "\x1bPq#0;2;0;0;0\x1b\\x\x1b_apc\x1b\\y\r\n", text: "xy\n" },
    { name: "a progress bar by carriage returns", written: "10%\r50%\r100%\r\ndone\r\n", text: "100%\ndone\n" },
    { name: "a shorter state over a longer one that was erased", written: "working…\r\x1b[Kok\r\n", text: "ok\n" },
    { name: "a spinner by backspaces", written: "wait |\b/\b-\b\\\b done\r\n", text: "wait  done\n" },
    { name: "bars over several rows", written: "a 1\r\nb 1\r\n\x1b[2Aa 2\r\nb 2\r\n\x1b[2A\x1b[Ja ok\r\nb ok\r\n", text: "a ok\nb ok\n" },
    { name: "a long line stays one", written: `${"x".repeat(250)}\r\nend\r\n`, text: `${"x".repeat(250)}\nend\n` },
    { name: "tabs", written: "a\tb\r\n", text: "a       b\n" },
    {
      name: "a screen that was painted and left",
      written: "before\r\n\x1b[?1049h\x1b[2J\x1b[5;5Hpaint\x1b[?1049lafter\r\n",
      text: "before\nafter\n",
    },
    { name: "a screen that is still painted", written: "before\r\n\x1b[?1049h\x1b[2J\x1b[1;1Hpaint", text: "before\n\npaint" },
    { name: "characters of two cells that are overwritten by half", written: "漢字\r\x1b[1Cx\r\n", text: " x字\n" },
    { name: "combining marks", written: "e\u0301a\r\n", text: "e\u0301a\n" },
    {
      name: "a status line below a region that scrolls",
      written: "\x1b[1;39r\x1b[40;1Hstatus\x1b[1;1Hline\r\n",
      text: `line\n${"\n".repeat(38)}status`,
    },
    { name: "a tab behind a full line", written: `${"x".repeat(120)}\ta\r\n`, text: `${"x".repeat(120)}a\n` },
    { name: "nothing taken out of a full line", written: `${"x".repeat(120)}\x1b[5Xa\r\n`, text: `${"x".repeat(119)}a\n` },
    { name: "a full line that is come back to", written: `${"x".repeat(120)}\x1b7\x1b[1;1H\x1b8a\r\n`, text: `${"x".repeat(120)}a\n` },
    {
      name: "a line feed where nothing scrolls",
      written: `\x1b[1;2r\x1b[39;1H${"x".repeat(130)}\r\n`,
      text: `${"\n".repeat(38)}${"x".repeat(130)}`,
    },
    { name: "a sequence that is cut off", written: "ok\r\n\x1b[12;3", text: "ok\n" },
    { name: "a sequence longer than any", written: `a\x1b[${"1;".repeat(500)}mb\r\n`, text: "ab\n" },
  ])("$name", ({ written, text }) => {
    expect(textOf(written)).toBe(text);
  });

  test("lines that leave the screen are given once, in order", () => {
    const screen = createScreen();
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}\r\n`);
    const left = lines.map((line) => screen.push(line)).join("");
    expect(left + screen.end()).toBe(lines.join("").replaceAll("\r", ""));
    expect(left.split("\n").length - 1).toBe(100 - TERMINAL_SIZE.rows);
  });

  test("memory stays bounded however long a line, a title or a sequence is", () => {
    const screen = createScreen();
    let most = 0;
    for (const piece of ["\x1b]0;", "\x1b[", "x\u0301"]) {
      for (let times = 0; times < 200; times += 1)
        most = Math.max(most, screen.push(piece + "\u0301".repeat(1000) + "1".repeat(1000)).length);
    }
    expect(most).toBeLessThan(40_000);
    expect(screen.shown().length).toBeLessThan(TERMINAL_SIZE.columns * TERMINAL_SIZE.rows * 20);
  });
});

const number = fc.integer({ min: 0, max: 45 });
const sequence = fc.oneof(
  fc.constantFrom(
    "\r",
    "\n",
    "\r\n",
    "\b",
    "\t",
    "\x07",
    "\x1b7",
    "\x1b8",
    "\x1bD",
    "\x1bM",
    "\x1bE",
    "\x1b[s",
    "\x1b[u",
    "\x1b[?7l",
    "\x1b[?7h",
  ),
  fc.tuple(fc.constantFrom(..."ABCDEFGdXPLMST"), number).map(([mark, count]) => `\x1b[${count}${mark}`),
  fc.tuple(fc.constantFrom(..."JK"), fc.integer({ min: 0, max: 2 })).map(([mark, part]) => `\x1b[${part}${mark}`),
  fc.tuple(number, fc.integer({ min: 0, max: 130 })).map(([row, column]) => `\x1b[${row};${column}H`),
  fc.tuple(number, number).map(([top, bottom]) => `\x1b[${top};${bottom}r`),
  fc.constantFrom("\x1b[31m", "\x1b]0;title\x07", "\x1b[?25l"),
);
/** Near the end of a row a character more or less decides where the next one stands. */
const edge = fc.tuple(number, fc.integer({ min: 117, max: 121 })).map(([row, column]) => `\x1b[${row};${column}H`);
const written = fc
  .array(fc.oneof(sequence, fc.string({ unit: fc.constantFrom(..."abc xyz.") }), edge, fc.constant("z".repeat(130))), { maxLength: 60 })
  .map((parts) => parts.join(""));

describe("any sequence of what is understood", () => {
  test("gives the text of a whole terminal emulator", async () => {
    await fc.assert(
      fc.asyncProperty(written, async (all) => {
        expect(trimmed(textOf(all))).toBe(await emulated(all));
      }),
      { numRuns: 300 },
    );
  });

  test("gives the same text however it comes in pieces", () => {
    fc.assert(
      fc.property(written, fc.string({ unit: fc.constantFrom("é", "漢", "🙂", "\x1b", "[") }), fc.array(fc.nat(400)), (all, more, cuts) => {
        const bytes = Buffer.from(all + more);
        const inPieces = (points: readonly number[]): string => {
          const capture = createCapture({ keepBytes: 1_000_000, isTerminal: true });
          for (const [index, point] of points.entries()) capture.push("stdout", bytes.subarray(points[index - 1] ?? 0, point));
          return capture.end().text;
        };
        const points = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((left, right) => left - right);
        expect(inPieces(points)).toBe(inPieces([bytes.length]));
      }),
    );
  });
});
