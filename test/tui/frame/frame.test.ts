import { describe, expect, test } from "vitest";

import { ManualTimers } from "../../support/manual-timers.js";
import { firstFrame, firstFrameRows, frameShape, shortPath } from "../../../src/tui/first-frame.js";
import { FrameScheduler } from "../../../src/tui/frame/index.js";
import { detectCaps } from "../../../src/tui/terminal/index.js";
import { compileTheme, darkTheme, lightTheme, STYLE_NAMES } from "../../../src/tui/theme/index.js";
import { decodeStyles, encodeStyle } from "../../../src/tui/terminal/index.js";

describe("first frame", () => {
  const facts = { version: "0.1.0", cwd: "/home/me/src/shop", home: "/home/me" };

  test.each([
    [80, 24],
    [40, 12],
    [200, 60],
    [30, 5],
    [12, 3],
    [1, 1],
  ])("%i columns and %i rows are filled exactly", (columns, rows) => {
    const made = firstFrameRows({ columns, rows }, facts);
    expect(made.rows).toHaveLength(rows);
    for (const row of made.rows.slice(0, -1)) expect(row.length).toBeLessThanOrEqual(Math.max(columns, 4));
    expect(made.editorRow).toBeLessThan(Math.max(rows, 1));
  });

  test("it has header, welcome, editor with the draft, and status", () => {
    const bytes = firstFrame({ columns: 80, rows: 24 }, { ...facts, draft: "typed" });
    expect(bytes).toContain(" smith 0.1 · ~/src/shop");
    expect(bytes).toContain("Welcome.");
    expect(bytes).toMatch(/\x1b\[22;5Htyped\x1b\[\?25h$/);
  });

  test("a folder's name cannot move the cursor", () => {
    const bytes = firstFrame({ columns: 80, rows: 24 }, { ...facts, cwd: "/tmp/\x1b[2J\u202e" });
    expect(bytes).toContain("/tmp/?[2J?");
  });

  test("the home folder is short, its neighbour is not", () => {
    expect(shortPath("/home/me", "/home/me")).toBe("~");
    expect(shortPath("/home/me/x", "/home/me")).toBe("~/x");
    expect(shortPath("/home/meadow", "/home/me")).toBe("/home/meadow");
  });

  test("a small terminal loses header, gap and frame first, the editor never", () => {
    expect(frameShape({ columns: 80, rows: 5 })).toEqual({ header: false, gap: false, box: false, hints: true });
    expect(frameShape({ columns: 80, rows: 24 })).toEqual({ header: true, gap: true, box: true, hints: true });
  });
});

describe("frame scheduler", () => {
  const start = (): { readonly timers: ManualTimers; readonly painted: number[]; readonly scheduler: FrameScheduler } => {
    const timers = new ManualTimers();
    const painted: number[] = [];
    const scheduler = new FrameScheduler({ clock: timers.clock, frameMs: 16, timers, paint: () => painted.push(timers.time) });
    return { timers, painted, scheduler };
  };

  test("the first change is painted at once, a burst within one frame's time is one more frame", () => {
    const { timers, painted, scheduler } = start();
    scheduler.request("change");
    timers.advance(0);
    for (let step = 0; step < 10; step += 1) {
      scheduler.request("change");
      timers.advance(1);
    }
    timers.advance(20);
    expect(painted).toEqual([0, 16]);
  });

  test("a key does not wait for the frame's time", () => {
    const { timers, painted, scheduler } = start();
    scheduler.request("change");
    timers.advance(6);
    scheduler.request("change");
    scheduler.request("input");
    timers.advance(0);
    expect(painted).toEqual([0, 6]);
  });

  test("nothing to paint, no timer", () => {
    const { timers, scheduler } = start();
    scheduler.request("change");
    timers.advance(100);
    expect(timers.pending).toBe(0);
    scheduler.request("change");
    scheduler.stop();
    expect(timers.pending).toBe(0);
  });
});

describe("terminal capabilities", () => {
  test.each([
    [{ TERM: "xterm-256color" }, "ansi256"],
    [{ TERM: "xterm-256color", COLORTERM: "truecolor" }, "truecolor"],
    [{ TERM: "xterm" }, "ansi16"],
    [{ TERM: "xterm-256color", NO_COLOR: "1" }, "none"],
    [{ TERM: "dumb" }, "plain"],
    [{}, "none"],
  ])("%j draws in %s", (env, level) => {
    expect(detectCaps(env).color).toBe(level);
  });

  test("a dumb terminal gets no modes, no queries, no regions", () => {
    expect(detectCaps({ TERM: "dumb" })).toMatchObject({ sync: false, modes: false, queries: false, scrollRegions: false });
  });

  test("a slow line gets fewer frames, tmux no query, SMITH_NO_SYNC no sync", () => {
    expect(detectCaps({ TERM: "xterm", SSH_TTY: "/dev/pts/1" }).frameMs).toBe(33);
    expect(detectCaps({ TERM: "tmux-256color" }).queries).toBe(false);
    expect(detectCaps({ TERM: "xterm", SMITH_NO_SYNC: "1" }).sync).toBe(false);
  });
});

describe("themes", () => {
  test.each([
    ["truecolor", "38;2;242;119;122"],
    ["ansi256", "38;5;210"],
    ["ansi16", "31"],
    ["none", ""],
    ["plain", ""],
  ] as const)("an error in %s", (level, codes) => {
    expect(compileTheme(darkTheme, level).get("error")).toBe(codes);
  });

  test("NO_COLOR keeps bold, a dumb terminal keeps nothing", () => {
    expect(compileTheme(darkTheme, "none").get("heading")).toBe("1");
    expect(compileTheme(darkTheme, "plain").get("heading")).toBe("");
  });

  test("both themes style every name", () => {
    for (const theme of [darkTheme, lightTheme]) expect(Object.keys(theme).sort()).toEqual([...STYLE_NAMES].sort());
  });

  test("styles survive the way through a laid out line", () => {
    expect(decodeStyles(`a${encodeStyle("b", "accent")}c`).spans).toEqual([
      { text: "a", style: "text" },
      { text: "b", style: "accent" },
      { text: "c", style: "text" },
    ]);
  });
});
