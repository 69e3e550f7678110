import { afterEach, describe, expect, test } from "vitest";
import { after, say } from "../../support/model-server.js";
import type { PtyShell } from "../../support/pty.js";
import { until } from "../../support/virtual-screen.js";
import { offlineScreens, READY, type ScreenOptions, type Screens, type ScriptedScreens, scriptedScreens } from "./screens.js";

let here: Screens | undefined;
afterEach(async () => {
  await here?.close();
  here = undefined;
});

const TMUX: ScreenOptions = { term: "tmux-256color" };
const row = (index: number): string => `row ${String(index)} of the answer`;
/** Hard line breaks keep each on a row of its own. */
const rows = (count: number, from = 0): string => Array.from({ length: count }, (_, index) => `${row(from + index)}  \n`).join("");

/** Streams a first part, and the rest when `go` is opened, paced. */
async function streaming(
  first: string,
  rest: string,
  options: ScreenOptions = TMUX,
): Promise<{ readonly place: ScriptedScreens; readonly shell: PtyShell; readonly go: () => void }> {
  let go = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const pieces = rest.match(/[^\n]*\n/gu) ?? [rest];
  let calls = 0;
  const place = await scriptedScreens(() => {
    calls += 1;
    if (calls > 1) return say("short");
    const reply = say("", { chunks: [first, ...pieces] });
    return { ...reply, pieces: reply.pieces.flatMap((piece, index) => (index === 1 ? [piece, gate] : index > 1 ? [piece, 5] : [piece])) };
  });
  here = place;
  const shell = await place.smith("", options);
  await shell.prompt("tell me");
  return { place, shell, go };
}

/** Waits until nothing was written for `ms`. */
async function silent(shell: PtyShell, ms: number): Promise<void> {
  let [length, since] = [shell.log.length, performance.now()];
  await until(
    () => {
      if (shell.log.length !== length) [length, since] = [shell.log.length, performance.now()];
      return performance.now() - since >= ms;
    },
    () => `still writing: ${JSON.stringify(shell.log.slice(-500))}`,
    20_000,
  );
}

describe("while an answer streams", () => {
  test.each(["tmux-256color", "screen-256color"])(
    "on %s nothing is cleared, and a view that was scrolled stays where it is",
    async (term) => {
      const { shell, go } = await streaming(rows(60), rows(240, 60), { term });
      await shell.shows(row(59));
      const from = shell.log.length;
      shell.type("\x1b[<64;10;10M".repeat(4));
      await shell.shows("ctrl+end");
      const seen = shell.lines().slice(2, 18);
      go();
      await shell.shows(/▼ (?:[1-9]\d\d\+?|99\+) new/u, 30_000);
      expect(shell.lines().slice(2, 18)).toEqual(seen);
      await shell.shows(READY, 30_000);
      expect(shell.lines().slice(2, 18)).toEqual(seen);
      expect(shell.log.slice(from)).not.toContain("\x1b[2J");
      expect(shell.log.slice(from)).not.toContain("\x1b[3J");
      expect(shell.log.slice(from)).not.toContain("\x1b[H\x1b[J");
      shell.type("\x1b[1;5F");
      await shell.shows(row(299));
    },
  );

  test("a tick of the spinner is small, and the bytes of all rows together stay in bounds", async () => {
    const { shell, go } = await streaming(rows(60), rows(240, 60));
    await shell.shows(row(59));
    // Nothing but the spinner moves now.
    const from = shell.log.length;
    await until(() => shell.log.slice(from).split("\x1b[?2026h").length > 8);
    const ticks = shell.log.slice(from).split("\x1b[?2026h").slice(1, -1);
    expect(Math.max(...ticks.map((tick) => Buffer.byteLength(tick)))).toBeLessThan(400);
    const streamFrom = shell.log.length;
    go();
    await shell.shows(row(299), 30_000);
    await shell.shows(READY, 30_000);
    expect(shell.log.length - streamFrom).toBeLessThan(400_000);
  });

  test("after a storm of sizes the screen is the one a fresh drawing gives", async () => {
    const { shell, go } = await streaming(rows(40), `${rows(60, 40)}wide 漢字 and 👩‍👩‍👧 at the end\n`);
    await shell.shows(row(39));
    go();
    for (const [columns, height] of [
      [40, 24],
      [120, 50],
      [80, 5],
      [20, 5],
      [120, 24],
      [40, 50],
      [80, 24],
      [61, 9],
      [120, 50],
      [80, 24],
    ] as const) {
      shell.resize(columns, height);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await shell.shows("at the end", 30_000);
    await shell.shows(READY, 30_000);
    await silent(shell, 300);
    const drawn = shell.lines();
    shell.type("\x0c");
    const from = shell.log.length;
    await until(() => shell.log.length > from);
    await silent(shell, 200);
    expect(shell.lines()).toEqual(drawn);
    expect(drawn.filter((line) => line.startsWith("╭"))).toHaveLength(1);
    expect(drawn.filter((line) => line.includes("at the end"))).toHaveLength(1);
  });
});

describe("when nothing happens", () => {
  test("not one byte is written, at the start and after a turn", async () => {
    const place = await scriptedScreens(() => say("short"));
    here = place;
    const shell = await place.smith();
    await silent(shell, 1000);
    await shell.prompt("hello");
    await shell.shows("short");
    await shell.shows(READY);
    await silent(shell, 3000);
    const from = shell.log.length;
    // The rule is about a time: this much of it.
    await new Promise((resolve) => setTimeout(resolve, 2000));
    expect(shell.log.slice(from)).toBe("");
  });
});

describe("terminals of all kinds", () => {
  test.each([
    [20, 5],
    [12, 3],
    [1, 1],
    [300, 90],
  ])("%i x %i: a prompt is answered and it ends as it should", async (columns, height) => {
    const place = await scriptedScreens(() => after(Promise.resolve(), say("fine")));
    here = place;
    const shell = await place.shell({ columns: 80, rows: 24 });
    shell.resize(columns, height);
    shell.type("smith\r");
    await until(
      () => shell.terminal.buffer.active.type === "alternate",
      () => shell.text(),
    );
    shell.type("hello\r");
    await place.server.request(0);
    if (columns >= 20) await shell.shows("fine");
    shell.resize(80, 24);
    await shell.shows("fine");
    await shell.shows(READY);
    shell.type("\x04");
    expect(await shell.aftermath()).toMatchObject({ status: 0, buffer: "normal" });
  });

  test("NO_COLOR: no colour is set, attributes may be", async () => {
    here = offlineScreens();
    const shell = await here.smith("", { env: { NO_COLOR: "1" } });
    shell.type("\x04");
    await shell.aftermath();
    expect(shell.log.match(/\x1b\[[0-9;]*m/gu)?.filter((code) => /[34][0-9]|9[0-7]|10[0-7]/u.test(code)) ?? []).toEqual([]);
  });

  test("TERM=dumb: nothing is painted, it ends with 2 and names smith eval", async () => {
    here = offlineScreens();
    const shell = await here.shell({ columns: 100, term: "dumb" });
    const said = await shell.ask("smith; echo rc=$?");
    expect(said).toContain("rc=2");
    expect(said).toContain("TERM is dumb");
    expect(said).toContain("smith eval");
    expect(shell.log).not.toContain("\x1b[?1049h");
    expect(here.sessionFiles()).toEqual([]);
  });

  test.each([
    ["standard output", "smith | cat"],
    ["standard input", "smith < /dev/null"],
  ])("without a terminal on %s it ends with 2 and names smith eval", async (what, command) => {
    here = offlineScreens();
    const shell = await here.shell({ columns: 100 });
    const said = await shell.ask(`${command}; echo rc=\${PIPESTATUS[0]}`);
    expect(said).toContain("rc=2");
    expect(said).toContain(what);
    expect(said).toContain("smith eval");
    expect(shell.log).not.toContain("\x1b[?1049h");
    expect(here.sessionFiles()).toEqual([]);
  });
});
