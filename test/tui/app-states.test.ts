import { afterEach, describe, expect, test } from "vitest";

import type { CallId, EntryId, SubmissionId } from "../../src/base/index.js";
import { FRESH_KEYS_MS } from "../../src/tui/store/index.js";
import { answer, exchange, FakeSession, fakeId, numberedLines, question, runStart } from "../support/fake-session.js";
import { createManualClock } from "../support/manual-clock.js";
import { fakeModels } from "../support/fake-models.js";
import { createApps } from "../support/tui-app.js";
import { until } from "../support/virtual-screen.js";

const { start, end } = createApps();

afterEach(end);

describe("a question", () => {
  test("shows the whole command with its control characters, and takes y, s or n", async () => {
    const clock = createManualClock();
    const app = await start(undefined, { clock });
    app.session.emit(runStart(), question("echo good; touch pwned #\x1b[60D\x1b[Kecho good"));
    await app.shows("shell wants to run");
    await app.shows("echo good; touch pwned #␛[60D␛[Kecho good");
    await clock.advance(FRESH_KEYS_MS);
    app.type("s");
    await app.lacks("wants to run");
    expect(app.session.called("answer").map(([, verdict]) => verdict)).toEqual(["session"]);
  });

  test("keys that were under way when it appeared do not answer it", async () => {
    const clock = createManualClock();
    const app = await start(undefined, { clock });
    app.session.emit(runStart(), question("rm -rf /"));
    app.type("y\r");
    await app.shows("shell wants to run");
    await clock.advance(FRESH_KEYS_MS - 1);
    app.type("y");
    expect(app.session.called("answer")).toEqual([]);
    await clock.advance(1);
    app.type("n");
    await app.shows("why not, or what to do instead");
    app.type("\r");
    await app.lacks("wants to run");
    expect(app.session.called("answer").map(([, verdict]) => verdict)).toEqual(["deny"]);
  });

  test("a command longer than the dialog can be read to its end", async () => {
    const clock = createManualClock();
    const app = await start(undefined, { clock });
    app.session.emit(runStart(), question(numberedLines(40)));
    await app.shows("32 more rows");
    await app.lacks("row 39");
    await clock.advance(FRESH_KEYS_MS);
    app.type("\x1b[B".repeat(32));
    await app.shows("row 39");
  });

  test("the next one waits its turn, the draft is untouched", async () => {
    const clock = createManualClock();
    const app = await start(undefined, { clock });
    app.type("draft");
    app.session.emit(runStart(), question("first"), question("second"));
    await app.shows("(1 of 2)");
    await clock.advance(FRESH_KEYS_MS);
    app.type("y");
    await app.shows("second");
    await clock.advance(FRESH_KEYS_MS);
    app.type("y");
    await app.shows("│ › draft");
    expect(app.session.called("answer")).toHaveLength(2);
  });
});

describe("what cannot be trusted", () => {
  const HOSTILE = "\x1b]0;t\x07\x1b]52;c;ZXZpbA==\x07\x1b[2J\x9b31m\x07\u202eX\rY [good](https://evil.example)";

  test("escape codes of the model and of tools never reach the terminal", async () => {
    const app = await start();
    const id = fakeId<CallId>();
    app.session.set({ name: `n${HOSTILE}`, model: { provider: "f", model: `m${HOSTILE}` } });
    app.session.emit(
      runStart(),
      { type: "user", entry: fakeId<EntryId>(), text: `u${HOSTILE}`, source: "prompt" },
      { type: "assistant_delta", text: `a${HOSTILE}` },
      answer(`a${HOSTILE}`),
      { type: "tool_start", id, name: `tool${HOSTILE}`, args: {}, argsSummary: `s${HOSTILE}` },
      { type: "tool_progress", id, text: HOSTILE },
      {
        type: "tool_end",
        id,
        name: "tool",
        result: HOSTILE,
        isError: true,
        resultSummary: `r${HOSTILE}`,
        mutation: "applied",
        durationMs: 1,
        diff: `--- a/x\n+++ b/x\n@@ -1 +1 @@\n-${HOSTILE}\n+b\n`,
      },
      { type: "notice", text: HOSTILE },
      { type: "retry", attempt: 1, max: 3, reason: HOSTILE, delayMs: 10 },
      { type: "unknown_effect", effect: fakeId(), operation: HOSTILE, summary: HOSTILE, startedAt: 0 },
      {
        type: "error",
        diagnostic: { code: "x.y", what: HOSTILE, why: HOSTILE, next: HOSTILE, severity: "error", retry: { type: "never" } },
      },
      { type: "queue", items: [{ submission: fakeId<SubmissionId>(), delivery: "steer", text: HOSTILE }] },
    );
    await app.shows("https://evil.example");
    const { log } = app.screen;
    expect(log).not.toContain("\x1b]0;");
    expect(log).not.toContain("\x1b]52;");
    expect(log).not.toContain("\x1b[2J");
    expect(log).not.toMatch(/[\x07\x80-\x9f\u202e\r]/);
  });

  test("wide and joined characters keep borders in place and the caret in its cell", async () => {
    const app = await start({ columns: 40, rows: 12 });
    app.type("漢字👩‍👩‍👧x🇩🇪é☀️ｱﾊﾞกำ");
    await app.shows("漢字");
    for (const line of app.screen.lines().slice(-4, -1)) expect(line.trimEnd().endsWith("│") || /[╮╯]$/.test(line)).toBe(true);
    const width = app.screen.terminal.buffer.active.getLine(9)?.getCell(39)?.getChars();
    expect(width).toBe("│");
    expect(app.screen.caret.column).toBeGreaterThan(20);
  });
});

describe("other states", () => {
  test("an observer sees who writes, follows, scrolls and leaves with q", async () => {
    const session = new FakeSession();
    session.set({ access: "read", owner: { pid: 4121, host: "atlas", startedAt: 0, version: "0.1.0" } });
    session.past = [...exchange(session, "hello", numberedLines(60))];
    const app = await start(undefined, { session });
    await app.shows(/READ-ONLY · written by smith \(pid 4121 on atlas\) since \d\d:\d\d · following ▶/);
    app.type("\x1b[5~");
    await app.shows("paused ‖");
    session.emit(answer("more from the writer"));
    app.type("f");
    await app.shows("more from the writer");
    app.type("q");
    const end = await app.end;
    expect(end.status).toBe(0);
    expect(end.farewell).toContain("observe again:  smith -r abcd7f3a");
    expect(session.called("submit")).toEqual([]);
  });

  test("? on an empty draft shows the keys, Esc closes, and text keeps its question marks", async () => {
    const app = await start({ columns: 100, rows: 48 });
    app.type("?");
    await app.shows("keys and commands");
    await app.shows("Hold Shift");
    app.type("\x1b");
    await app.lacks("keys and commands");
    app.type("why?");
    await app.shows("│ › why?");
  });

  test("slash commands act here; unknown ones stay in the editor with a hint", async () => {
    const app = await start(undefined, { models: fakeModels() });
    app.type("/mo");
    await app.shows("/model [SELECTION]  another model");
    app.type("de plan\r");
    await until(() => app.session.called("setMode").length === 1);
    expect(app.session.called("setMode")).toEqual([["plan"]]);
    app.type("/name tax import\r");
    await app.shows("tax import");
    app.type("/model\r");
    await app.shows("fake/sonnet, by ANTHROPIC_API_KEY");
    app.type("\x1b");
    await app.lacks("ANTHROPIC_API_KEY");
    app.type("/hel me\r");
    await app.shows("did you mean /help?");
    await app.shows("│ › /hel me");
    expect(app.session.called("submit")).toEqual([]);
  });

  test("the menu of commands marks what is chosen; Enter completes it, then runs it", async () => {
    const app = await start(undefined, { models: fakeModels() });
    app.type("/");
    await app.shows(" › /help");
    app.type("\x1b[B\x1b[B");
    await app.shows(" › /model [SELECTION]");
    await app.shows("↑ ↓ choose · Enter complete");
    app.type("\r");
    await app.shows("› /model ");
    app.type("\r");
    await app.shows("fake/sonnet, by ANTHROPIC_API_KEY");
  });

  test("a paste is not sent, a large one is folded, and both arrive whole", async () => {
    const app = await start();
    const pasted = Array.from({ length: 200 }, (_, index) => `line ${String(index)}`).join("\r\n");
    app.type(`\x1b[200~${pasted}\x1b[20`);
    app.type("1~");
    await app.shows("[paste 1: 200 lines]");
    expect(app.session.called("submit")).toEqual([]);
    app.type(" end\r");
    await until(() => app.session.called("submit").length === 1);
    expect(app.session.called("submit")[0]?.[0]).toBe(`${pasted.replaceAll("\r\n", "\n")} end`);
  });

  test("lines pasted without markers are not sent one by one", async () => {
    const app = await start();
    app.type("line\r".repeat(40));
    await app.shows("[paste 1: 40 lines]");
    expect(app.session.called("submit")).toEqual([]);
  });

  test("a paste whose end never comes does not lock the keyboard", async () => {
    const app = await start();
    app.type("\x1b[200~lost");
    await app.shows("│ › lost");
    app.type("!");
    await app.shows("│ › lost!");
  });

  test("Ctrl-O unfolds tool output", async () => {
    const app = await start();
    const id = fakeId<CallId>();
    app.session.emit(
      { type: "tool_start", id, name: "shell", args: {}, argsSummary: "ls" },
      {
        type: "tool_end",
        id,
        name: "shell",
        result: numberedLines(8),
        isError: false,
        resultSummary: "8 lines",
        mutation: "applied",
        durationMs: 5,
      },
    );
    await app.shows("… 5 earlier lines · ctrl+o");
    app.type("\x0f");
    await app.shows("row 0");
    app.type("\x0f");
    await app.lacks("row 0");
  });

  test("NO_COLOR draws without a colour, TERM=dumb without modes", async () => {
    const plain = await start(undefined, { env: { TERM: "xterm-256color", NO_COLOR: "1" } });
    plain.session.emit(answer("# Title\n\n`code`"));
    await plain.shows("code");
    expect(plain.screen.log).not.toMatch(/\x1b\[[0-9;]*(?:3[0-8]|4[0-8]|9[0-7])[;m]/);
    const dumb = await start(undefined, { env: { TERM: "dumb" } });
    await dumb.shows("›");
    expect(dumb.screen.log).not.toContain("\x1b[?1000h");
    expect(dumb.screen.log).not.toContain("\x1b[>1u");
  });

  test("a light background asks for the light theme", async () => {
    const app = await start();
    app.type("\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
    app.session.emit(answer("`code`"));
    await app.shows("code");
    await until(
      () => app.screen.log.includes("38;5;130"),
      () => JSON.stringify(app.screen.log.slice(-400)),
    );
  });

  test("the prompt of the command line is sent once the session is open, a draft stays", async () => {
    const app = await start(undefined, { initialPrompt: "from the shell", typedAhead: Buffer.from("typed") });
    await app.shows(" › from the shell");
    await app.shows("│ › typed");
  });
});
