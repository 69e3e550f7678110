import { afterEach, describe, expect, test } from "vitest";

import { answer, assistantStart, exchange, FakeSession, numberedLines, runEnd, runStart } from "../support/fake-session.js";
import { createApps, type RunningApp } from "../support/tui-app.js";
import { until } from "../support/virtual-screen.js";

const { start, end } = createApps();

afterEach(end);

describe("a conversation", () => {
  test("Enter sends the draft, the answer streams in, totals are told at the end", async () => {
    const app = await start();
    app.type("hello there\r");
    await app.shows(" › hello there");
    expect(app.session.called("submit")).toEqual([["hello there", undefined]]);
    app.session.emit(assistantStart(), { type: "assistant_delta", text: "Hi **you" });
    await app.shows("Hi **you");
    app.session.set({ cost: 0.42 });
    app.session.emit({ type: "assistant_delta", text: "**." }, answer("Hi **you**."), runEnd());
    await app.shows("   Hi you.");
    await app.shows("   · $0.02");
    await app.shows("$0.42  ask-writes");
    app.type("/quit\r");
    const end = await app.end;
    expect(end.status).toBe(0);
    expect(end.farewell).toBe(
      " › hello there\n\n   Hi you.\n\n   · $0.02\n\n 1 turn · $0.42\n resume:  smith -r abcd7f3a      read:  smith sessions get abcd7f3a\n",
    );
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
    await app.shows("Esc stop · Enter steer · Tab queue");
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
    app.session.onSubmit = () => ({
      ok: false,
      error: {
        code: "session.sealed",
        what: "The session is closed.",
        why: "it is",
        next: "Start another one.",
        severity: "error",
        retry: { type: "never" },
      },
    });
    app.type("precious\r");
    await app.shows("The session is closed. Start another one.");
    await app.shows("│ › precious");
  });

  test("a session that cannot be opened says why and keeps the text", async () => {
    const app = await start(undefined, {
      typedAhead: Buffer.from("kept\r"),
      open: () =>
        Promise.resolve({
          ok: false,
          error: {
            code: "session.busy",
            what: "the session is busy",
            why: "pid 7 writes it",
            next: "smith -c later",
            severity: "error",
            retry: { type: "never" },
          },
        }),
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
    expect(terminal.modes).toMatchObject({
      mouseTrackingMode: "none",
      bracketedPasteMode: false,
      sendFocusMode: false,
      wraparoundMode: true,
    });
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
    session.past = [...exchange(session, "start", numberedLines(100))];
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
    app.session.emit(runStart(), assistantStart());
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

  test("a page that was wanted before it was there is shown when it comes", async () => {
    const session = new FakeSession();
    session.past = Array.from({ length: 400 }, (_, index) => exchange(session, `prompt ${String(index)}`, `reply ${String(index)}`)).flat();
    const first = session.backlog.bind(session);
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    session.backlog = async (options) => {
      if (options.before !== undefined) await gate;
      return await first(options);
    };
    const app = await start({ columns: 80, rows: 24 }, { session });
    await app.shows("reply 399");
    app.type("\x1b[1;5H");
    await app.shows("prompt 340");
    app.type("\x1b[5~");
    await until(() => app.screen.settled);
    release();
    await app.shows("prompt 337");
  });

  test("resizing keeps the place and leaves no leftovers", async () => {
    const app = await filled();
    app.type("\x1b[5~\x1b[5~\x1b[5~");
    await app.shows("▼ latest");
    const [top] = body(app);
    for (const [columns, rows] of [
      [40, 24],
      [120, 24],
      [40, 5],
      [120, 50],
      [80, 24],
    ] as const)
      app.screen.resize(columns, rows);
    await until(
      () => app.screen.settled && body(app)[0] === top,
      () => app.screen.text(),
    );
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
    app.session.emit(runStart(), assistantStart(), { type: "assistant_delta", text: "begin  \n" });
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
