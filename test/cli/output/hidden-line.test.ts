import { describe, expect, test } from "vitest";
import { lineOf, readHiddenLine } from "../../../src/cli/output/hidden-line.js";
import { createFakeTerminal } from "../auth/support.js";

describe("what was typed means", () => {
  test.each<[string, string, object]>([
    ["a line", "abc\r", { type: "line", text: "abc" }],
    ["a pasted line with marks around it", "\u001b[200~abc\u001b[201~\n", { type: "line", text: "abc" }],
    ["only its first line", "abc\ndef\r", { type: "line", text: "abc" }],
    ["without what was taken back", "abx\u007fc\b\bbc\r", { type: "line", text: "abc" }],
    ["what came after all was taken back", "wrong\u0015right\r", { type: "line", text: "right" }],
    ["no arrow keys", "a\u001b[Db\u001bOAc\r", { type: "line", text: "abc" }],
    ["an empty line", "\r", { type: "line", text: "" }],
    ["giving up", "abc\u0003", { type: "interrupted" }],
    ["the end", "\u0004", { type: "ended" }],
    ["what was there before the end", "abc\u0004", { type: "line", text: "abc" }],
  ])("%s", (_name, typed, meaning) => {
    expect(lineOf(typed)).toEqual(meaning);
  });
});

describe("a line that is not shown", () => {
  test("may come in pieces, within a character too", async () => {
    const terminal = createFakeTerminal();
    const reading = readHiddenLine(terminal.port, new AbortController().signal);
    for (const byte of Buffer.from("aé1\r")) terminal.type(Buffer.from([byte]));
    expect(await reading).toEqual({ type: "line", text: "aé1" });
    expect(terminal.raw).toEqual([true, false]);
  });

  test("ends with an abort, the terminal as it was", async () => {
    const terminal = createFakeTerminal();
    const stop = new AbortController();
    const reading = readHiddenLine(terminal.port, stop.signal);
    expect(terminal.restores.size).toBe(1);
    stop.abort();
    expect(await reading).toEqual({ type: "ended" });
    expect([terminal.raw, terminal.listeners(), terminal.restores.size]).toEqual([[true, false], 0, 0]);
  });

  test("is not waited for beyond what a key can be", async () => {
    const terminal = createFakeTerminal();
    const reading = readHiddenLine(terminal.port, new AbortController().signal);
    terminal.type("x".repeat(70_000));
    expect((await reading).type).toBe("line");
  });
});
