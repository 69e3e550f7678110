import { readdir, readFile, rmdir, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSupervisor } from "../../../src/effect/process/index.js";
import { createLaunches, startProblem } from "../../../src/effect/process/launch.js";
import { NO_VAULT } from "../../../src/effect/secrets/index.js";
import type { ProcessOutput } from "../../../src/schema/index.js";
import { type Bench, contextFor, createBench, makeFolder, NOTHING, realClock, removeFolder, testIds } from "../support.js";

const KEY = "sk-very-secret-value-1234567890";
const LIMIT = { timeout: 30_000 };

let folder: string;
let bench: Bench;
beforeEach(async () => {
  folder = await makeFolder();
  bench = createBench(folder, { outputs: join(folder, "outputs", "own"), secret: (name) => (name === "TEST_KEY" ? KEY : undefined) });
});
afterEach(async () => {
  await bench.close();
  await removeFolder(folder);
});

const run = async (command: string, extra: { readonly timeoutMs?: number; readonly stdin?: string } = {}): Promise<ProcessOutput> =>
  await bench.value("process.run", { command, pty: true, timeoutMs: 20_000, ...extra });

/** Command lines of living processes that hold `word`. */
async function running(word: string): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/u.test(name));
  const lines = await Promise.all(pids.map(async (pid) => await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return lines.filter((line) => line.includes(word) && !line.includes("vitest"));
}

describe("a command on a terminal", LIMIT, () => {
  test("has one of 120 columns and 40 rows for its own, on all its streams, that is not ours", async () => {
    const { output, exitCode } = await run("for fd in 0 1 2; do test -t $fd || echo not $fd; done; stty size; echo $TERM; tty");
    expect([exitCode, output]).toEqual([0, expect.stringMatching(/^40 120\nxterm-256color\n\/dev\/\S+\n$/u) as string]);
    const probe = fileURLToPath(new URL("../fixtures/read-terminal.mjs", import.meta.url));
    expect((await run(`${process.execPath} ${probe}`)).output).toBe("has a terminal\n");
  });

  test.each([
    { command: "exit 7", exitCode: 7, signal: null },
    { command: "kill -KILL $$", exitCode: null, signal: "SIGKILL" },
    { command: "exec no-such-program-here", exitCode: 127, signal: null },
  ])("tells how it ended: $command", async ({ command, exitCode, signal }) => {
    expect(await run(command)).toMatchObject({ exitCode, signal, timedOut: false, leftRunning: false });
  });

  test("its output is whole up to its end", async () => {
    const all = Array.from({ length: 6000 }, (_, index) => `${index + 1}\n`).join("");
    for (let round = 0; round < 10; round += 1) expect((await run("seq 1 6000")).output).toBe(all);
  });

  test("what it shows in the end is the output: no sequences, no states that were passed", async () => {
    const { output } = await run("printf '\\033[31mred\\033[0m\\n'; for i in 10 50 100; do printf '\\r%s%%' $i; done; printf '\\ndone\\n'");
    expect(output).toBe("red\n100%\ndone\n");
  });

  test("reads what is typed and then the end of input, without a line end too", async () => {
    expect((await run("read x; echo got:$x")).output).toBe("got:\n");
    expect((await run("read x; echo got:$x", { stdin: "hello\n" })).output).toBe("hello\ngot:hello\n");
    expect((await run("cat", { stdin: "hello" })).output).toBe("hellohello");
  });

  test("that waits for more input is ended in time, with everything it started", async () => {
    const output = await run("setsid sh -c 'sleep 303.25; :' & stty -icanon; printf 'Name: '; read -r a; sleep 303.25", { timeoutMs: 700 });
    expect(output).toMatchObject({ timedOut: true, output: "Name:" });
    expect(await running("303.25")).toEqual([]);
  });

  test("a child that keeps the terminal does not hold the call, and ends with the session", async () => {
    const { output, leftRunning, exitCode } = await run("trap '' HUP; sleep 304.25 & echo up");
    expect([output, exitCode, leftRunning]).toEqual(["up\n", 0, true]);
    expect(await running("304.25")).toHaveLength(1);
    await bench.close();
    expect(await running("304.25")).toEqual([]);
  });

  test("a secret is taken out of what is shown, whatever sequences were in it", async () => {
    const shown = await bench.value(
      "process.run",
      { command: 'printf "%s\\033[0m%s\\n" "${MY_KEY%1234567890}" 1234567890', env: { MY_KEY: "{secret:TEST_KEY}" }, pty: true },
      { grants: { ...NOTHING, process: ["*"], processEnv: ["MY_*"], secrets: ["TEST_KEY"] } },
    );
    expect(shown.output).toBe("[redacted]\n");
  });

  test("a flood is bounded, counted and in the file", async () => {
    const { output, omittedBytes, outputFile } = await run("seq 1 200000");
    expect(output.startsWith("1\n2\n") && output.endsWith("199999\n200000\n")).toBe(true);
    expect(omittedBytes).toBeGreaterThan(1_000_000);
    expect((await readFile(outputFile ?? "", "utf8")).trimEnd().split("\n")).toHaveLength(200_000);
    expect(await run("yes", { timeoutMs: 500 })).toMatchObject({ timedOut: true });
  });

  test("as a job it shows its screen with every look", async () => {
    await bench.value("process.start", { command: "printf 'at 1\\rat 2'; exec sleep 600", pty: true });
    let look = await bench.value("process.output", { job: "job-1" });
    while (look.output === "") look = await bench.value("process.output", { job: "job-1", waitMs: 20 });
    expect([look.output, (await bench.value("process.output", { job: "job-1" })).output]).toEqual(["at 2", "at 2"]);
    expect(await bench.value("process.kill", { job: "job-1" })).toMatchObject({ running: false, signal: "SIGTERM", output: "at 2" });
    expect((await bench.value("process.output", { job: "job-1" })).output).toBe("");
  });
});

test("without the package for it there is no terminal, and nothing is run", async () => {
  const launches = createLaunches({ env: {}, secret: () => undefined, vault: NO_VAULT, terminals: () => undefined });
  const refused = await launches({ command: "echo", cwd: folder, pty: true }, contextFor(folder));
  expect(refused.ok ? "" : refused.error.code).toBe("process.no-terminal");
  expect((await launches({ command: "echo", cwd: folder }, contextFor(folder))).ok).toBe(true);
});

test("where the system has no terminal left nothing is run, and it is told", async () => {
  const supervisor = createSupervisor({ clock: realClock, ids: testIds() });
  const launch = { file: "/bin/sh", args: ["-c", "touch made"], cwd: folder, env: {}, timeoutMs: 1_000, onData: () => undefined };
  expect(await supervisor.run({ ...launch, terminal: () => undefined }, new AbortController().signal)).toBe("EAGAIN");
  expect(await startProblem(launch, "EAGAIN")).toMatchObject({ code: "process.not-started" });
  expect(await readdir(folder)).toEqual([]);
  await supervisor.close();
});

test("a folder that went is told as that, not as a missing shell", async () => {
  const gone = join(folder, "gone");
  await mkdir(gone);
  await rmdir(gone);
  expect(await startProblem({ file: "/bin/sh", cwd: gone }, "ENOENT")).toMatchObject({ code: "process.bad-cwd" });
  expect(await startProblem({ file: "/bin/none", cwd: folder }, "ENOENT")).toMatchObject({ code: "process.not-started" });
  expect(await startProblem({ file: "/bin/sh", cwd: gone }, "ECANCELED")).toMatchObject({ code: "process.aborted" });
  for (const pty of [false, true]) {
    const home = join(folder, "home");
    await mkdir(home);
    const local = createBench(home, { outputs: join(folder, "outputs", "other") });
    await rmdir(home);
    expect(await local.error("process.run", { command: "echo", pty })).toMatchObject({ code: "process.bad-cwd" });
    await local.close();
  }
});
