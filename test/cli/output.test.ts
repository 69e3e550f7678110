import { describe, expect, test } from "vitest";
import { plain, painter, wantsColour } from "../../src/cli/output/colour.js";
import { clipColumns, jsonLine, visible, visibleLine } from "../../src/cli/output/visible.js";
import { createWriter } from "../../src/cli/output/writer.js";
import { renderDiagnostic } from "../../src/cli/output/render-diagnostic.js";
import { diagnostic } from "../../src/schema/index.js";
import { createFakeOutput } from "./fake-host.js";

const CSI = new RegExp(String.raw`\u001b\[\d+m`, "gu");

describe("control characters", () => {
  test.each([
    ["plain text, tabs and lines stay", "a\tb\nc é 漢 👩‍👧", "a\tb\nc é 漢 👩‍👧"],
    ["escape", "\u001b[2J", "␛[2J"],
    ["bell, backspace, delete, null", "\u0007\b\u007f\0", "␇␈␡␀"],
    ["C1", "\u009b31m\u0085", "\\u{9b}31m\\u{85}"],
    ["bidirectional marks", "\u202e\u2066\u200f", "\\u{202e}\\u{2066}\\u{200f}"],
    ["carriage return that would overwrite", "a\rb", "a␍b"],
    ["CRLF", "a\r\nb\r\n", "a\nb\n"],
    ["carriage return at the end of a piece", "a\r", "a"],
  ])("%s", (_name, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test("no code unit that starts a sequence survives, whatever surrounds it", () => {
    for (let code = 0; code < 0xa0; code += 1) {
      const shown = visible(`x${String.fromCharCode(code)}y`);
      if (code < 0x20 || code >= 0x7f) expect(shown.replace(/[\n\t]/gu, "")).toMatch(/^[\x20-\x7e\u2400-\u2421]+$/u);
    }
  });

  test("a line stays one line", () => {
    expect(visibleLine("a\n\n\tb")).toBe("a b");
  });

  test("a record as a line of JSON holds no acting character and no second line, and reads back the same", () => {
    const record = { text: "\u001b[31m\u007f\u0085\u009b31m\u202e\u2028\u2066 straße 🙂" };
    const line = jsonLine(record);
    expect(line).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]*\n$/u);
    expect(JSON.parse(line)).toEqual(record);
  });

  test.each([
    ["short", 10, "short"],
    ["exactly", 7, "exactly"],
    ["toolong", 6, "toolo…"],
    ["漢漢漢", 6, "漢漢漢"],
    ["漢漢漢", 5, "漢漢…"],
    ["👍👍", 3, "👍…"],
  ])("%s clipped to %i columns", (text, width, clipped) => {
    expect(clipColumns(text, width)).toBe(clipped);
  });
});

describe("colour", () => {
  test.each([
    ["a terminal", {}, true, true],
    ["a pipe", {}, false, false],
    ["NO_COLOR on a terminal", { NO_COLOR: "1" }, true, false],
    ["empty NO_COLOR counts as not set", { NO_COLOR: "" }, true, true],
    ["a dumb terminal", { TERM: "dumb" }, true, false],
    ["FORCE_COLOR in a pipe", { FORCE_COLOR: "1" }, false, true],
    ["FORCE_COLOR over NO_COLOR", { FORCE_COLOR: "1", NO_COLOR: "1" }, false, true],
    ["FORCE_COLOR=0", { FORCE_COLOR: "0" }, true, false],
  ])("%s", (_name, env, isTerminal, wanted) => {
    expect(wantsColour(env, { isTerminal })).toBe(wanted);
    expect(painter(env, { isTerminal })("red", "x") !== "x").toBe(wanted);
  });
});

describe("diagnostics for people", () => {
  const problem = diagnostic({
    code: "config.bad-value",
    what: "limits.max-turns is \u001b[31m5",
    why: "It takes\na number.",
    next: "Write 5.",
    source: { type: "file", path: "/c/config.kdl", line: 3, column: 13 },
    causes: [diagnostic({ code: "x.cause", what: "below", why: "w", next: "n", severity: "warning" })],
  });

  test("what, where, why, next, causes", () => {
    expect(renderDiagnostic(problem)).toBe(
      [
        "error[config.bad-value] limits.max-turns is ␛[31m5",
        "  at:   /c/config.kdl:3:13",
        "  why:  It takes",
        "        a number.",
        "  next: Write 5.",
        "  warning[x.cause] below",
        "    why:  w",
        "    next: n",
        "",
      ].join("\n"),
    );
  });

  test("colours add nothing but colours", () => {
    const coloured = renderDiagnostic(problem, painter({}, { isTerminal: true }));
    expect(coloured).not.toBe(renderDiagnostic(problem, plain));
    expect(coloured.replace(CSI, "")).toBe(renderDiagnostic(problem, plain));
  });

  test.each([
    [{ type: "provider", id: "p", url: "http://h/v1", status: 500 } as const, "provider p, http://h/v1, status 500"],
    [{ type: "session", id: "s", offset: 9 } as const, "session s, byte 9"],
    [{ type: "plugin", id: "p", file: "index.ts", line: 2 } as const, "plugin p:index.ts:2"],
  ])("%j is told as its place", (source, shown) => {
    expect(renderDiagnostic({ ...problem, source })).toContain(`  at:   ${shown}\n`);
  });

  test.each([{ type: "flag", name: "--mode" } as const, { type: "env", name: "SMITH_MODE" } as const])(
    "%j is in the words already",
    (source) => {
      expect(renderDiagnostic({ ...problem, source })).not.toContain("at:");
    },
  );

  test("a wait is told", () => {
    expect(renderDiagnostic({ ...problem, causes: [], retry: { type: "after", delayMs: 61_500 } })).toContain(
      "next: Write 5. (earliest in 62 s)\n",
    );
  });
});

describe("the writer", () => {
  test("what is written in one turn goes out in one piece", async () => {
    const port = createFakeOutput();
    const pieces: string[] = [];
    const writer = createWriter({ ...port, write: (text, done) => (pieces.push(text), done()) });
    writer.write("a");
    writer.write("b");
    await writer.flush();
    writer.write("c");
    await writer.flush();
    expect(pieces).toEqual(["ab", "c"]);
  });

  test("a producer that waits is let on when the reader has caught up", async () => {
    const port = createFakeOutput();
    const letGo = port.stall();
    const writer = createWriter(port);
    writer.write("x".repeat(1_048_577));
    expect(writer.isBehind()).toBe(true);
    let isReady = false;
    const waiting = writer.ready().then(() => {
      isReady = true;
    });
    writer.push();
    expect(isReady).toBe(false);
    letGo();
    await waiting;
    expect([isReady, writer.isBehind()]).toEqual([true, false]);
  });

  test("after the reader went away nothing waits and nothing is kept", async () => {
    const port = createFakeOutput();
    port.fail("EPIPE");
    const writer = createWriter(port);
    let told = 0;
    writer.onBroken(() => (told += 1));
    writer.write("x".repeat(2_000_000));
    await writer.flush();
    writer.write("more");
    await writer.flush();
    await writer.ready();
    writer.onBroken(() => (told += 1));
    expect([writer.state(), writer.failure(), told]).toEqual(["closed", undefined, 2]);
  });

  test("a failed write carries the system's reason", async () => {
    const port = createFakeOutput();
    port.fail("ENOSPC");
    const writer = createWriter(port);
    writer.write("x");
    await writer.flush();
    expect(writer.state()).toBe("failed");
    expect(writer.failure()?.why).toContain("ENOSPC");
  });
});
