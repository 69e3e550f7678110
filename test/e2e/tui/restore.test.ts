import { afterEach, describe, expect, test } from "vitest";
import { pathToFileURL } from "node:url";
import { say } from "../../support/model-server.js";
import type { PtyShell } from "../../support/pty.js";
import { offlineScreens, type Screens, scriptedScreens, READY } from "./screens.js";

let here: Screens | undefined;
afterEach(async () => {
  await here?.close();
  here = undefined;
});

const count = (log: string, sequence: string): number => log.split(sequence).length - 1;

/** What `stty -a` says, without the size. */
const settings = (output: string): string => {
  const from = output.indexOf("speed ");
  return output
    .slice(from, output.lastIndexOf("done-"))
    .replace(/rows \d+; columns \d+/u, "")
    .split(/\s+/u)
    .join(" ");
};

/** Asks the line for its settings before, and after the program ended, and the emulator for its modes. */
async function expectRestored(place: Screens, shell: PtyShell, before: string, status: number): Promise<void> {
  const after = await shell.aftermath();
  expect(after).toMatchObject({ status, buffer: "normal", mouse: "none", wrap: true });
  expect(settings(after.stty)).toBe(settings(before));
  const { log } = shell;
  expect(count(log, "\x1b[>1u")).toBeGreaterThan(0);
  expect(count(log, "\x1b[<u")).toBe(count(log, "\x1b[>1u"));
  expect(count(log, "\x1b[?1049l")).toBeGreaterThanOrEqual(count(log, "\x1b[?1049h"));
  for (const mode of ["1000", "1002", "1003", "1004", "1006", "2004", "2026"]) {
    const [on, off] = [log.lastIndexOf(`\x1b[?${mode}h`, log.lastIndexOf("\x1b[?1049l")), log.lastIndexOf(`\x1b[?${mode}l`)];
    if (on >= 0) expect(off, `mode ${mode} off after it was on`).toBeGreaterThan(on);
  }
  expect(log.lastIndexOf("\x1b[?25h")).toBeGreaterThan(log.lastIndexOf("\x1b[?25l"));
  await place.quiet();
}

/** The interface in a shell whose settings were noted before. */
async function opened(
  place: Screens,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly shell: PtyShell; readonly before: string }> {
  const shell = await place.shell({ env });
  const before = await shell.ask("stty -a");
  shell.type("smith\r");
  await shell.shows(READY);
  return { shell, before };
}

/** Something that goes wrong inside of the process when it is told so from outside: a module of ours loaded with Node's own switch. */
function fault(place: Screens, statement: string): Readonly<Record<string, string>> {
  const hook = place.file("fault.mjs", `process.on("SIGUSR2", () => { ${statement} });\n`);
  return { NODE_OPTIONS: `--import=${pathToFileURL(hook).href}` };
}

describe("the terminal is as it was", () => {
  test("after /quit, and after Ctrl-D", async () => {
    const place = offlineScreens();
    here = place;
    const { shell, before } = await opened(place);
    await shell.prompt("/quit");
    await expectRestored(place, shell, before, 0);
    shell.type("smith\r");
    await shell.shows(READY);
    shell.type("\x04");
    await expectRestored(place, shell, before, 0);
  });

  test("after Ctrl-C twice", async () => {
    const place = offlineScreens();
    here = place;
    const { shell, before } = await opened(place);
    shell.type("\x03");
    await shell.shows("Ctrl-C again quits");
    shell.type("\x03");
    await expectRestored(place, shell, before, 130);
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
  ] as const)("after %s in the middle of a stream, which stays in the session", async (signal, status) => {
    const gates: { never: Promise<void> } = { never: new Promise(() => undefined) };
    const place = await scriptedScreens(() => say("one two three", { chunks: ["one two ", "three"], between: gates.never }));
    here = place;
    const { shell, before } = await opened(place);
    await shell.prompt("count");
    await shell.shows("one two");
    process.kill(shell.childPid(), signal);
    await expectRestored(place, shell, before, status);
    expect(shell.text()).toContain("› count");
    expect(shell.text()).toContain("one two");
    expect(shell.text()).toContain("resume:");
  });

  test("after a signal before the interface is loaded", async () => {
    const place = offlineScreens();
    here = place;
    const shell = await place.shell();
    shell.type("smith\r");
    await shell.shows("starting");
    process.kill(shell.childPid(), "SIGTERM");
    expect(await shell.aftermath()).toMatchObject({ status: 143, buffer: "normal", mouse: "none", wrap: true });
    await place.quiet();
  });

  test.each([
    ["an uncaught exception", 'setImmediate(() => { throw new Error("fault on purpose"); });'],
    ["an unhandled rejection", 'void Promise.reject(new Error("fault on purpose"));'],
  ])("after %s, which is printed on the normal screen", async (_name, statement) => {
    const place = offlineScreens();
    here = place;
    const { shell, before } = await opened(place, fault(place, statement));
    process.kill(shell.childPid(), "SIGUSR2");
    await shell.shows("fault on purpose");
    expect(shell.terminal.buffer.active.type).toBe("normal");
    expect(shell.text()).toContain("bug of its own");
    await expectRestored(place, shell, before, 70);
  });

  test("after process.exit behind its back", async () => {
    const place = offlineScreens();
    here = place;
    const { shell, before } = await opened(place, fault(place, "process.exit(5);"));
    process.kill(shell.childPid(), "SIGUSR2");
    await expectRestored(place, shell, before, 5);
  });

  test("while it is stopped by Ctrl-Z; fg brings draft, screen and keys back, and a size that changed meanwhile is taken", async () => {
    const place = offlineScreens();
    here = place;
    const { shell, before } = await opened(place);
    shell.type("my draft");
    await shell.shows("│ › my draft");
    shell.type("\x1a");
    await shell.shows("Stopped");
    expect(shell.terminal.buffer.active.type).toBe("normal");
    expect(shell.terminal.modes.mouseTrackingMode).toBe("none");
    expect(settings(await shell.ask("stty -a"))).toBe(settings(before));
    shell.resize(60, 20);
    shell.type("fg\r");
    await shell.shows("│ › my draft");
    await shell.shows(/^╭─{58}╮$/mu);
    shell.type("!");
    await shell.shows("│ › my draft!");
    shell.type("\x15\x04");
    await expectRestored(place, shell, before, 0);
  });

  test("when the terminal goes away there is no process left that spins or waits", async () => {
    const place = await scriptedScreens(() =>
      say("one two three", { chunks: ["one two ", "three"], between: new Promise(() => undefined) }),
    );
    here = place;
    const { shell } = await opened(place);
    await shell.prompt("count");
    await shell.shows("one two");
    await shell.close();
    await place.quiet();
    const found = await place.run(["sessions", "grep", "-F", "count"]);
    expect(found.status).toBe(0);
  });
});
