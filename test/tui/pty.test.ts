import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { PtyShell } from "../support/pty.js";
import { until } from "../support/virtual-screen.js";

let dir: string;
const shells: PtyShell[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "smith-tui-"));
  await build({
    entryPoints: [fileURLToPath(new URL("../fixtures/tui/demo.ts", import.meta.url))],
    outdir: dir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node20",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"', "process.env.DEV": '"false"' },
    plugins: [
      {
        name: "without-devtools",
        setup: ({ onResolve, onLoad }) => {
          onResolve({ filter: /^\.\/devtools\.js$/ }, () => ({ path: "devtools", namespace: "stub" }));
          onLoad({ filter: /.*/, namespace: "stub" }, () => ({ contents: "", loader: "js" }));
        },
      },
    ],
    banner: { js: "import{createRequire as r}from'module';const require=r(import.meta.url);" },
    logLevel: "error",
  });
}, 30_000);

afterEach(async () => {
  for (const shell of shells.splice(0)) await shell.close();
});

afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

async function demo(): Promise<PtyShell> {
  const shell = new PtyShell({ columns: 80, rows: 24 }, { cwd: dir });
  shells.push(shell);
  await shell.shows("$ ");
  shell.type("node demo.mjs\r");
  await shell.shows("Enter send");
  return shell;
}

async function expectRestored(shell: PtyShell, status: number): Promise<void> {
  const after = await shell.aftermath();
  expect(after).toMatchObject({ status, buffer: "normal", mouse: "none", wrap: true });
  expect(after.stty.split(/\s+/)).toEqual(expect.arrayContaining(["icanon", "isig", "echo", "icrnl", "opost"]));
  expect(shell.log.split("\x1b[>1u").length).toBe(shell.log.split("\x1b[<u").length);
  expect(shell.log.lastIndexOf("\x1b[?25h")).toBeGreaterThan(shell.log.lastIndexOf("\x1b[?25l"));
}

describe("on a real terminal line", () => {
  test("/quit: the tail and the way back are printed, the line is as before", async () => {
    const shell = await demo();
    shell.type("hello\r");
    await shell.shows("you said hello");
    shell.type("/quit\r");
    await shell.shows("resume:  smith -r abcd7f3a");
    expect(shell.text()).toContain("you said hello");
    await expectRestored(shell, 0);
  });

  test("Ctrl-C twice", async () => {
    const shell = await demo();
    shell.type("\x03");
    await shell.shows("Ctrl-C again quits");
    shell.type("\x03");
    await expectRestored(shell, 130);
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
  ] as const)("%s while streaming", async (signal, status) => {
    const shell = await demo();
    shell.type("stream\r");
    await shell.shows("token 30");
    process.kill(shell.childPid(), signal);
    await expectRestored(shell, status);
  });

  test.each([
    ["throw", "thrown on purpose"],
    ["reject", "rejected on purpose"],
  ])("an uncaught error (%s) is printed after the terminal is restored", async (word, message) => {
    const shell = await demo();
    shell.type(`${word}\r`);
    await shell.shows(message);
    await expectRestored(shell, 70);
  });

  test("process.exit behind our back", async () => {
    const shell = await demo();
    shell.type("exit\r");
    await expectRestored(shell, 5);
  });

  test("Ctrl-Z and fg, then typing goes on", async () => {
    const shell = await demo();
    shell.type("draft");
    await shell.shows("│ › draft");
    shell.type("\x1a");
    await until(
      () => shell.terminal.buffer.active.type === "normal",
      () => shell.text(),
    );
    await shell.shows("Stopped");
    expect((await shell.ask("stty -a")).split(/\s+/)).toContain("icanon");
    shell.type("fg\r");
    await shell.shows("│ › draft");
    shell.type("!\x7f?");
    await shell.shows("│ › draft?");
    shell.resize(100, 30);
    await shell.shows(/╭─{98}╮/);
    shell.type("\x15\x04");
    await expectRestored(shell, 0);
  });

  test("keys typed before the process reads them are kept, Enter included", async () => {
    const shell = new PtyShell({ columns: 80, rows: 24 }, { cwd: dir });
    shells.push(shell);
    await shell.shows("$ ");
    shell.type("node demo.mjs\r");
    shell.type("sent early\rdraft");
    await shell.shows("you said sent early");
    await shell.shows("│ › draft");
  });

  test("keys typed while the interface loads are kept", async () => {
    const shell = new PtyShell({ columns: 80, rows: 24 }, { cwd: dir });
    shells.push(shell);
    await shell.shows("$ ");
    shell.type("node demo.mjs\r");
    await shell.shows("starting");
    shell.type("early");
    await shell.shows("│ › early");
  });
});
