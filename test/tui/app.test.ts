import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";

import type { CallId, EntryId, SubmissionId } from "../../src/base/index.js";
import { type BareEvent, exchange, FakeSession, fakeId } from "../support/fake-session.js";
import { type RunningApp, startApp } from "../support/tui-app.js";
import { until } from "../support/virtual-screen.js";

const apps: RunningApp[] = [];

async function start(size: { readonly columns: number; readonly rows: number } = { columns: 80, rows: 24 }, options: Parameters<typeof startApp>[1] = {}): Promise<RunningApp> {
  const app = await startApp(size, options);
  apps.push(app);
  return app;
}

afterEach(async () => {
  for (const app of apps.splice(0)) await app.quit();
});

const model = { provider: "fake", model: "sonnet" };
const long = (lines: number, from = 0): string => Array.from({ length: lines }, (_, index) => `row ${String(from + index)}  `).join("\n");
const receipt = (): SubmissionId => fakeId<SubmissionId>();
const runStart = (): BareEvent => ({ type: "run_start", submission: receipt(), model, cwd: "/work" });
const runEnd = (): BareEvent => ({ type: "run_end", status: "ok", reason: "done", reply: "", receipt: receipt(), cost: 0.02 });
const answer = (text: string): BareEvent => ({ type: "assistant", entry: fakeId<EntryId>(), text, stop: "stop", model });

describe("a conversation", () => {
  test("Enter sends the draft, the answer streams in, totals are told at the end", async () => {
    const app = await start();
    app.type("hello there\r");
    await app.shows(" › hello there");
    expect(app.session.called("submit")).toEqual([["hello there", undefined]]);
    app.session.emit({ type: "assistant_start", request: "r", model }, { type: "assistant_delta", text: "Hi **you" });
    await app.shows("Hi **you");
    app.session.emit({ type: "assistant_delta", text: "**." }, answer("Hi **you**."), runEnd());
    await app.shows("   Hi you.");
    await app.shows("$0.02");
    app.type("/quit\r");
    const end = await app.end;
    expect(end.status).toBe(0);
    expect(end.farewell).toBe(" › hello there\n\n   Hi you.\n\n 1 turn · $0.02\n resume:  smith -r abcd7f3a      share:  smith sessions export abcd7f3a --format md\n");
    expect(app.session.called("close")).toEqual([[true]]);
  });

  test("keys typed before the session is open are kept, and sent when it is", async () => {
    const session = new FakeSession();
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const app = await start(undefined, {
      session,
      typedAhead: Buffer.from("first\rsec"),
      open: async () => {
        setTimeout(release, 30);
        await gate;
        return { ok: true, value: session };
      },
    });
    app.type("ond");
    await app.shows("│ › second");
    await until(() => session.called("submit").length > 0);
    expect(session.called("submit")).toEqual([["first", undefined]]);
  });

  test("while smith works Enter steers, Tab waits for the end, and both are listed", async () => {
    const app = await start();
    app.session.emit(runStart());
    await app.shows("Enter steer · Tab after it is done");
    app.type("now\r");
    await app.shows("steer   now");
    app.type("later\t");
    await app.shows("then    later");
    expect(app.session.called("submit")).toEqual([
      ["now", "steer"],
      ["later", "follow-up"],
    ]);
  });

  test("Esc stops the turn and queued text returns to the editor before what is typed", async () => {
    const app = await start();
    app.session.emit(runStart());
    await app.shows("Esc stop");
    app.type("now\r");
    await app.shows("steer   now");
    app.type("draft");
    app.type("\x1b");
    await app.shows("■ stopped");
    await app.shows(/│ › now +│\n│ +│\n│ {3}draft/);
    expect(app.session.called("abort")).toHaveLength(1);
  });

  test("Alt+Up takes queued text back without stopping", async () => {
    const app = await start();
    app.session.emit(runStart());
    await app.shows("Esc stop");
    app.type("now\r");
    await app.shows("steer   now");
    app.type("\x1b[1;3A");
    await app.shows("│ › now");
    expect(app.session.called("abort")).toHaveLength(0);
  });

  test("a refused submission comes back with the reason", async () => {
    const app = await start();
    app.session.onSubmit = () => ({ ok: false, error: { code: "session.sealed", what: "the session is closed", why: "it is", next: "start another", severity: "error", retry: { type: "never" } } });
    app.type("precious\r");
    await app.shows("the session is closed; start another");
    await app.shows("│ › precious");
  });

  test("a session that cannot be opened says why and keeps the text", async () => {
    const app = await start(undefined, {
      typedAhead: Buffer.from("kept\r"),
      open: () => Promise.resolve({ ok: false, error: { code: "session.busy", what: "the session is busy", why: "pid 7 writes it", next: "smith -c later", severity: "error", retry: { type: "never" } } }),
    });
    await app.shows("the session is busy");
    await app.shows("→ smith -c later");
    await app.shows("│ › kept");
  });
});

describe("leaving", () => {
  test("Ctrl-C clears the draft, then quits with 130 when pressed again", async () => {
    const app = await start();
    app.type("draft");
    await app.shows("│ › draft");
    app.type("\x03");
    await app.shows("draft cleared");
    app.type("\x03");
    expect((await app.end).status).toBe(130);
  });

  test("Ctrl-D quits on an empty draft only", async () => {
    const app = await start();
    app.type("x");
    await app.shows("│ › x");
    app.type("\x04");
    app.type("\x7f\x04");
    expect((await app.end).status).toBe(0);
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
  ] as const)("%s ends with %i", async (signal, status) => {
    const app = await start();
    app.process.signal(signal);
    expect((await app.end).status).toBe(status);
  });

  test("an error of ours restores the terminal first and ends with 70", async () => {
    const app = await start();
    app.process.fatal(new Error("broken \x1b[2J invariant"));
    const end = await app.end;
    expect(end.status).toBe(70);
    expect(end.farewell).toContain("broken  invariant");
  });

  test("the terminal is as before: modes are popped in reverse, the caret is shown last", async () => {
    const app = await start();
    app.type("\x04");
    await app.end;
    await until(() => app.screen.settled);
    const { terminal, log, keys } = app.screen;
    expect(terminal.buffer.active.type).toBe("normal");
    expect(terminal.modes).toMatchObject({ mouseTrackingMode: "none", bracketedPasteMode: false, sendFocusMode: false, wraparoundMode: true });
    expect(log.split("\x1b[>1u")).toHaveLength(2);
    expect(log.split("\x1b[<u")).toHaveLength(2);
    expect(log.endsWith("\x1b[?25h\x1b[?1049l\x1b[?25h")).toBe(true);
    expect(keys.raw).toBe(false);
    expect(keys.listenerCount("data")).toBe(0);
  });

  test("Ctrl-Z restores, stops, and SIGCONT paints everything again", async () => {
    const app = await start();
    app.type("draft");
    await app.shows("│ › draft");
    app.type("\x1a");
    await until(() => app.process.stopped === 1 && app.screen.settled && app.screen.terminal.buffer.active.type === "normal");
    expect(app.screen.keys.raw).toBe(false);
    app.process.signal("SIGCONT");
    await until(() => app.screen.settled && app.screen.terminal.buffer.active.type === "alternate");
    await app.shows("│ › draft");
    app.type("!");
    await app.shows("│ › draft!");
  });

  test("the end of the input is a hang-up", async () => {
    const app = await start();
    app.screen.keys.emit("end");
    expect((await app.end).status).toBe(129);
  });
});

describe("the window onto the transcript", () => {
  async function filled(rows = 24): Promise<RunningApp> {
    const session = new FakeSession();
    session.past = [...exchange(session, "start", long(100))];
    const app = await start({ columns: 80, rows }, { session });
    await app.shows("row 99");
    return app;
  }

  const body = (app: RunningApp): readonly string[] => app.screen.lines().slice(1, -5);

  test("streaming does not move what is being read; a marker counts what is new and leads back", async () => {
    const app = await filled();
    app.type("\x1b[5~\x1b[5~");
    await app.shows("▼ latest");
    const before = body(app);
    app.session.emit(runStart(), { type: "assistant_start", request: "r", model });
    for (let step = 0; step < 100; step += 1) {
      app.session.emit({ type: "assistant_delta", text: `new ${String(step)}  \n` });
      if (step % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await app.shows("▼ 101 new");
    expect(body(app)).toEqual(before);
    app.type("\x1b[1;5F");
    await app.shows("new 99");
    await app.lacks("▼");
  });

  test("the wheel scrolls by three rows, several notches in one read at once", async () => {
    const app = await filled();
    app.type("\x1b[<64;10;10M\x1b[<64;10;10M");
    await app.shows("▼ latest");
    await app.shows("row 93");
    await app.lacks("row 94");
    app.type("\x1b[<65;10;10M\x1b[<65;10;10M");
    await app.shows("row 99");
    await app.lacks("▼");
  });

  test("older pages load when the top is reached, without a jump", async () => {
    const session = new FakeSession();
    session.past = Array.from({ length: 400 }, (_, index) => exchange(session, `prompt ${String(index)}`, `reply ${String(index)}`)).flat();
    const app = await start({ columns: 80, rows: 24 }, { session });
    await app.shows("reply 399");
    app.type("\x1b[1;5H");
    await app.shows("prompt 340");
    await until(() => session.called("backlog").length === 2);
    app.type("\x1b[5~");
    await app.shows("prompt 337");
    app.type("\x1b[6~");
    await app.shows("prompt 340");
  });

  test("resizing keeps the place and leaves no leftovers", async () => {
    const app = await filled();
    app.type("\x1b[5~\x1b[5~\x1b[5~");
    await app.shows("▼ latest");
    const [top] = body(app);
    for (const [columns, rows] of [[40, 24], [120, 24], [40, 5], [120, 50], [80, 24]] as const) app.screen.resize(columns, rows);
    await until(() => app.screen.settled && body(app)[0] === top, () => app.screen.text());
    const shown = app.screen.lines();
    app.type("\x0c");
    await until(() => app.screen.settled);
    await app.shows(shown.join("\n"));
  });

  test("five rows are enough to type and to read", async () => {
    const app = await filled(5);
    app.type("abc");
    await app.shows("› abc");
    expect(app.screen.lines()).toHaveLength(5);
  });

  test("a scroll of new output does not write the whole screen", async () => {
    const app = await filled(40);
    app.session.emit(runStart(), { type: "assistant_start", request: "r", model }, { type: "assistant_delta", text: "begin  \n" });
    await app.shows("begin");
    await until(() => app.screen.settled);
    const before = app.screen.bytes;
    app.session.emit({ type: "assistant_delta", text: "one more  \n" });
    await app.shows("one more");
    expect(app.screen.bytes - before).toBeLessThan(1500);
    expect(app.screen.log).not.toContain("\x1b[3J");
    expect(app.screen.log).not.toContain("\x1b[2J");
  });

  test("idle: not a byte, not a frame", async () => {
    const app = await filled();
    app.type("x");
    await app.shows("│ › x");
    await until(() => app.screen.settled);
    const { bytes, writes } = app.screen;
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect([app.screen.bytes, app.screen.writes]).toEqual([bytes, writes]);
  });
});

describe("a question", () => {
  const ask = (command: string): BareEvent => ({ type: "approval", id: fakeId<CallId>(), name: "shell", argsSummary: command, args: { command } });

  test("shows the whole command with its control characters, and takes y, s or n", async () => {
    const app = await start();
    app.session.emit(runStart(), ask("echo good; touch pwned #\x1b[60D\x1b[Kecho good"));
    await app.shows("shell wants to run");
    await app.shows("echo good; touch pwned #␛[60D␛[Kecho good");
    await new Promise((resolve) => setTimeout(resolve, 180));
    app.type("s");
    await app.lacks("wants to run");
    expect(app.session.called("answer").map(([, verdict]) => verdict)).toEqual(["session"]);
  });

  test("keys that were under way when it appeared do not answer it", async () => {
    const app = await start();
    app.session.emit(runStart(), ask("rm -rf /"));
    app.type("y\r");
    await app.shows("shell wants to run");
    app.type("y");
    await new Promise((resolve) => setTimeout(resolve, 180));
    expect(app.session.called("answer")).toEqual([]);
    app.type("n");
    await app.lacks("wants to run");
    expect(app.session.called("answer").map(([, verdict]) => verdict)).toEqual(["deny"]);
  });

  test("a command longer than the dialog can be read to its end", async () => {
    const app = await start();
    app.session.emit(runStart(), ask(long(40)));
    await app.shows("32 more rows");
    await app.lacks("row 39");
    await new Promise((resolve) => setTimeout(resolve, 180));
    app.type("\x1b[B".repeat(32));
    await app.shows("row 39");
  });

  test("the next one waits its turn, the draft is untouched", async () => {
    const app = await start();
    app.type("draft");
    app.session.emit(runStart(), ask("first"), ask("second"));
    await app.shows("(1 of 2)");
    await new Promise((resolve) => setTimeout(resolve, 180));
    app.type("y");
    await app.shows("second");
    await new Promise((resolve) => setTimeout(resolve, 180));
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
      { type: "tool_end", id, name: "tool", result: HOSTILE, isError: true, resultSummary: `r${HOSTILE}`, mutation: "applied", durationMs: 1, diff: `--- a/x\n+++ b/x\n@@ -1 +1 @@\n-${HOSTILE}\n+b\n` },
      { type: "notice", text: HOSTILE },
      { type: "retry", attempt: 1, max: 3, reason: HOSTILE, delayMs: 10 },
      { type: "unknown_effect", effect: fakeId(), operation: HOSTILE, summary: HOSTILE, startedAt: 0 },
      { type: "error", diagnostic: { code: "x.y", what: HOSTILE, why: HOSTILE, next: HOSTILE, severity: "error", retry: { type: "never" } } },
      { type: "queue", items: [{ submission: receipt(), delivery: "steer", text: HOSTILE }] },
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
    session.past = [...exchange(session, "hello", long(60))];
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
    const app = await start({ columns: 100, rows: 40 });
    app.type("?");
    await app.shows("keys and commands");
    await app.shows("Hold Shift");
    app.type("\x1b");
    await app.lacks("keys and commands");
    app.type("why?");
    await app.shows("│ › why?");
  });

  test("slash commands act here; unknown ones stay in the editor with a hint", async () => {
    const app = await start();
    app.type("/mo");
    await app.shows("/model  which model answers, and why");
    app.type("de plan\r");
    await until(() => app.session.called("setMode").length === 1);
    expect(app.session.called("setMode")).toEqual([["plan"]]);
    app.type("/name tax import\r");
    await app.shows("tax import");
    app.type("/model\r");
    await app.shows("fake/sonnet, by ANTHROPIC_API_KEY");
    app.type("/hel me\r");
    await app.shows("did you mean /help?");
    await app.shows("│ › /hel me");
    expect(app.session.called("submit")).toEqual([]);
  });

  test("Tab completes the only command that fits", async () => {
    const app = await start();
    app.type("/na\t");
    await app.shows("│ › /name ");
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
    await app.shows("[paste 1: 41 lines]");
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
    app.session.emit({ type: "tool_start", id, name: "shell", args: {}, argsSummary: "ls" }, { type: "tool_end", id, name: "shell", result: long(8), isError: false, resultSummary: "8 lines", mutation: "applied", durationMs: 5 });
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
    await until(() => app.screen.log.includes("38;5;130"), () => JSON.stringify(app.screen.log.slice(-400)));
  });

  test("the prompt of the command line is sent once the session is open, a draft stays", async () => {
    const app = await start(undefined, { initialPrompt: "from the shell", typedAhead: Buffer.from("typed") });
    await app.shows(" › from the shell");
    await app.shows("│ › typed");
  });
});

describe("golden frames", () => {
  test.each([
    [40, 12],
    [80, 24],
    [120, 40],
    [200, 60],
  ])("%ix%i", async (columns, rows) => {
    const session = new FakeSession();
    session.past = [...exchange(session, "why does the cart total drop cents? fix it and run the tests", readFileSync(new URL("../fixtures/tui/answer.md", import.meta.url), "utf8"))];
    session.set({ contextTokens: 18_000, contextLimit: 200_000, name: "fix cents in cart" });
    const app = await start({ columns, rows }, { session });
    const [grep, edit, shell] = [fakeId<CallId>(), fakeId<CallId>(), fakeId<CallId>()];
    session.emit(
      { type: "tool_start", id: grep, name: "grep", args: {}, argsSummary: '"total" in src' },
      { type: "tool_end", id: grep, name: "grep", result: "", isError: false, resultSummary: "14 matches in 5 files", mutation: "not-applied", durationMs: 12 },
      { type: "tool_start", id: edit, name: "edit", args: {}, argsSummary: "src/cart.ts" },
      { type: "tool_end", id: edit, name: "edit", result: "ok", isError: false, resultSummary: "1 edit", mutation: "applied", durationMs: 9, diff: "--- a/src/cart.ts\n+++ b/src/cart.ts\n@@ -41,2 +41,2 @@\n-  const total = items.reduce((s, i) => s + i.price, 0);\n+  const cents = items.reduce((s, i) => s + Math.round(i.price * 100), 0);\n   return total;\n" },
      { type: "tool_start", id: shell, name: "shell", args: {}, argsSummary: "npm test" },
      { type: "tool_end", id: shell, name: "shell", result: "✗ cart keeps cents\nexpected 3 got 2\n", isError: true, resultSummary: "exit 1", mutation: "unknown", durationMs: 4230 },
    );
    app.type("and update the changelog 漢字");
    await app.shows("changelog 漢字");
    await app.shows("⚠ shell");
    await until(() => app.screen.settled);
    await expect(`${app.screen.text()}\n`).toMatchFileSnapshot(`../golden/tui/conversation-${String(columns)}x${String(rows)}.txt`);
  });
});
