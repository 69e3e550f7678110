import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ProcessOutput } from "../../../src/schema/index.js";
import type { Bench } from "../support.js";
import { createBench, makeFolder, NOTHING, removeFolder } from "../support.js";

const fixture = (name: string): string => `${process.execPath} ${fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))}`;

let folder: string;
let bench: Bench;

beforeEach(async () => {
  folder = await makeFolder();
  bench = createBench(folder);
});
afterEach(async () => {
  await bench.close();
  await removeFolder(folder);
});

const run = (command: string, timeoutMs = 10_000): Promise<ProcessOutput> => bench.value("process.run", { command, timeoutMs });

/** Living processes whose command line holds `word`. */
async function running(word: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/u.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (line.includes(word) && !line.includes("vitest")) found.push(pid);
  }
  return found;
}

/** Waits for something that must come about, for at most five seconds. */
async function eventually(holds: () => Promise<boolean>): Promise<boolean> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (await holds()) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

describe("the end of a command", () => {
  test.each([
    { command: "echo out; echo err >&2", exitCode: 0, signal: null, output: "out\nerr\n" },
    { command: "exit 3", exitCode: 3, signal: null, output: "" },
    { command: "kill -KILL $$", exitCode: null, signal: "SIGKILL", output: "" },
    { command: "no-such-program-here", exitCode: 127, signal: null, output: expect.stringContaining("not found") as string },
  ])("$command", async ({ command, exitCode, signal, output }) => {
    const { outcome, result } = await bench.call("process.run", { command });
    expect(outcome).toBe("applied");
    expect(result).toEqual({
      ok: true,
      value: {
        exitCode,
        signal,
        output,
        timedOut: false,
        aborted: false,
        omittedBytes: 0,
        leftRunning: false,
        durationMs: expect.any(Number) as number,
      },
    });
  });

  test("output that comes right before the exit is whole", async () => {
    for (let round = 0; round < 5; round += 1)
      expect((await run("seq 1 5000")).output).toBe(Array.from({ length: 5000 }, (_, index) => `${index + 1}\n`).join(""));
  });

  test("it runs in the workspace, or in the folder named", async () => {
    await mkdir(join(folder, "sub dir"));
    expect((await run("pwd")).output).toBe(`${folder}\n`);
    expect((await bench.value("process.run", { command: "pwd", cwd: "sub dir" })).output).toBe(`${folder}/sub dir\n`);
    expect((await bench.error("process.run", { command: "pwd", cwd: "none" })).code).toBe("process.bad-cwd");
  });

  test.each([
    { name: "empty", command: "  ", code: "process.bad-command" },
    { name: "NUL", command: "echo a\0b", code: "process.bad-command" },
    { name: "longer than an argument may be", command: `echo ${"x".repeat(200_000)}`, code: "process.not-started" },
  ])("a command that cannot be run is not applied: $name", async ({ command, code }) => {
    const { outcome, result } = await bench.call("process.run", { command });
    expect([outcome, result.ok ? "" : result.error.code]).toEqual(["not-applied", code]);
  });

  test("without bash it is sh", async () => {
    const plain = createBench(folder, { env: { PATH: "/nowhere" } });
    expect((await plain.value("process.run", { command: "echo ${BASH_VERSION:-none}" })).output).toBe("none\n");
    await plain.close();
  });
});

describe("what is left in the background does not hold the call (shell-1)", () => {
  const marker = "600.25";
  test.each([
    { name: "a child with the pipes", command: `sleep ${marker} & echo up` },
    { name: "a child in a session of its own", command: `setsid sleep ${marker} </dev/null & echo up` },
    { name: "a loop that goes on talking", command: `(while :; do echo tick; sleep 0.02; done) & echo up` },
    { name: "only stderr still held", command: `nohup sh -c 'sleep ${marker}' >/dev/null & echo up` },
  ])("$name", async ({ command }) => {
    try {
      const output = await run(command);
      expect([output.exitCode, output.output.split("\n").includes("up"), output.leftRunning]).toEqual([0, true, true]);
      expect(output.durationMs).toBeLessThan(2000);
      expect((await run("echo later")).output).toBe("later\n");
    } finally {
      await bench.close();
      for (const pid of await running(marker)) process.kill(Number(pid), "SIGKILL");
    }
  });

  test("it is not ended by a broken pipe, and closing ends its group", async () => {
    await run(`(while :; do echo tick; echo tick >> ticks; sleep 0.02; done) & echo up`);
    const size = async (): Promise<number> => (await readFile(join(folder, "ticks"), "utf8").catch(() => "")).length;
    const after = await size();
    expect(await eventually(async () => (await size()) > after + 50)).toBe(true);
    expect((await running("ticks")).length).toBeGreaterThan(0);
    await bench.close();
    expect(await running("ticks")).toEqual([]);
  });

  test("one that holds no pipe is not told of and lives on", async () => {
    expect((await run("sleep 601.5 >/dev/null 2>&1 &")).leftRunning).toBe(false);
    await bench.close();
    const alive = await running("601.5");
    for (const pid of alive) process.kill(Number(pid), "SIGKILL");
    expect(alive.length).toBe(1);
  });
});

describe("timeout and abort end everything that was started (shell-2)", () => {
  const marker = "302.75";
  const commands = [
    { name: "a pipeline", command: `echo so far; sh -c 'sleep ${marker} | cat'` },
    { name: "a shell that ignores SIGTERM", command: `echo so far; bash -c 'trap "" TERM; sleep ${marker} & wait; sleep ${marker}'` },
    { name: "a loop beside a long sleep", command: `echo so far; (while :; do sleep 0.05; done) & sleep ${marker}` },
    { name: "a child in a session of its own", command: `echo so far; setsid sh -c 'sleep ${marker}; :' & sleep ${marker}` },
    {
      name: "a daemon with two forks",
      command: `echo so far; (setsid sh -c '(sleep ${marker}; :) </dev/null >/dev/null 2>&1 &') ; sleep ${marker}`,
    },
  ];

  test.each(commands)("timeout: $name", async ({ command }) => {
    const { outcome, result } = await bench.call("process.run", { command, timeoutMs: 400 });
    expect(outcome).toBe("unknown");
    expect(result).toMatchObject({ ok: true, value: { timedOut: true, aborted: false, output: "so far\n" } });
    expect(result.ok && result.value.durationMs).toBeLessThan(3500);
    expect(await running(marker)).toEqual([]);
  });

  test.each(commands)("abort: $name", async ({ command }) => {
    const controller = new AbortController();
    const onProgress = (): void => {
      controller.abort();
    };
    const { outcome, result } = await bench.call("process.run", { command }, { signal: controller.signal, onProgress });
    expect(outcome).toBe("unknown");
    expect(result).toMatchObject({ ok: true, value: { timedOut: false, aborted: true, output: "so far\n" } });
    expect(await running(marker)).toEqual([]);
  });

  test("aborted before the start nothing runs", async () => {
    const { outcome, result } = await bench.call("process.run", { command: "touch made" }, { signal: AbortSignal.abort() });
    expect([outcome, result.ok ? "" : result.error.code]).toEqual(["not-applied", "process.aborted"]);
    expect(await readdir(folder)).toEqual([]);
  });

  test("closing ends what runs", async () => {
    const call = bench.value("process.run", { command: `sleep ${marker}` });
    expect(await eventually(async () => (await running(marker)).length > 0)).toBe(true);
    await bench.close();
    expect((await call).aborted).toBe(true);
    expect(await running(marker)).toEqual([]);
  });
});

describe("nothing waits for a person (shell-3)", () => {
  const git = (...args: readonly string[]): void => {
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], { cwd: folder, stdio: "ignore" });
  };

  test("git commit without a message and an interactive rebase fail at once and change nothing", async () => {
    git("init", "-q");
    for (const name of ["a", "b"]) {
      await writeFile(join(folder, name), name);
      git("add", name);
      git("commit", "-qm", name);
    }
    await writeFile(join(folder, "c"), "c");
    git("add", "c");
    const head = (await run("git rev-parse HEAD")).output;
    const commit = await run("git -c user.name=t -c user.email=t@example.org commit");
    expect([commit.exitCode !== 0, commit.timedOut]).toEqual([true, false]);
    git("reset", "-q");
    const rebase = await run("git -c user.name=t -c user.email=t@example.org rebase -i HEAD~1");
    expect([rebase.exitCode !== 0, rebase.timedOut]).toEqual([true, false]);
    expect((await run("git rev-parse HEAD")).output).toBe(head);
  });

  test("stdin is at its end and there is no terminal", async () => {
    expect((await run("read x; echo got:$x")).output).toBe("got:\n");
    expect((await run(fixture("read-terminal.mjs"))).output).toBe("no terminal: ENXIO\n");
    expect((await run("ps -o sid=,pgid= -p $$ | tr -s ' '; echo $$")).output).toMatch(/^ ?(\d+) \1\n\1\n$/u);
  });

  test("ssh does not ask", async () => {
    const output = await run("ssh -o StrictHostKeyChecking=ask -o ConnectTimeout=2 -p 9 127.0.0.1 true", 5000);
    expect([output.exitCode, output.timedOut]).toEqual([255, false]);
  });

  test("commands can tell that they run for smith", async () => {
    expect((await run("echo $AI_AGENT")).output).toBe("smith\n");
  });
});

describe("characters stay whole (shell-4, shell-6)", () => {
  test.each([
    { name: "split over two writes", command: "printf 'x\\342'; sleep 0.1; printf '\\202\\254y\\n'", output: "x€y\n" },
    { name: "split on stderr", command: "(printf 'x\\342'; sleep 0.1; printf '\\202\\254y\\n') >&2", output: "x€y\n" },
    { name: "an end inside a character gives one mark", command: "printf 'x\\342\\202'", output: "x\ufffd" },
    { name: "an invalid byte gives one mark", command: "printf '\\351\\n'", output: "\ufffd\n" },
  ])("$name", async ({ command, output }) => {
    expect((await run(command)).output).toBe(output);
  });

  test.each(["stdout", "stderr"])("a byte at a time on %s", async (stream) => {
    expect((await run(`${fixture("byte-by-byte.mjs")} ${stream} '🙂é漢'`)).output).toBe("🙂é漢");
  });

  test("streams that are both inside a character do not disturb each other", async () => {
    expect(
      (await run("printf '\\342'; sleep 0.1; printf '\\303' >&2; sleep 0.1; printf '\\202\\254'; sleep 0.1; printf '\\251' >&2")).output,
    ).toBe("€é");
  });

  test.each([{ LC_ALL: "C" }, { LANG: "" }, { LC_ALL: "ja_JP.eucJP" }, { TERM: "dumb" }])("bytes pass unchanged with %o", async (extra) => {
    const local = createBench(folder, { env: { PATH: process.env["PATH"] ?? "", ...extra } });
    await writeFile(join(folder, "Teil（11）"), "");
    // bash itself complains about a locale that is not installed.
    const value = async (command: string): Promise<string> =>
      (await local.value("process.run", { command })).output.replace(/^.*warning: setlocale.*\n/gmu, "");
    expect(await value("printf 'grüße 漢字 🙂\\n'")).toBe("grüße 漢字 🙂\n");
    expect(await value("printf '%s' 'Teil（11）' | xxd -p")).toBe(`${Buffer.from("Teil（11）").toString("hex")}\n`);
    expect(await value("echo *")).toBe("Teil（11）\n");
    expect(await value("echo ${LC_ALL-unset}")).toBe(`${"LC_ALL" in extra ? extra.LC_ALL : "unset"}\n`);
    await local.close();
  });
});

describe("floods are bounded (shell-5)", () => {
  test.each([
    { name: "yes", command: "yes" },
    { name: "NULs without a line", command: "cat /dev/zero" },
    { name: "numbers", command: "seq 1 100000000" },
    { name: "one endless line", command: fixture("one-long-line.mjs") },
  ])("$name", async ({ command }) => {
    const before = process.memoryUsage().rss;
    let most = 0;
    let last = performance.now();
    let longestPause = 0;
    const heart = setInterval(() => {
      longestPause = Math.max(longestPause, performance.now() - last);
      last = performance.now();
      most = Math.max(most, process.memoryUsage().rss - before);
    }, 10);
    const output = await run(command, 1000);
    clearInterval(heart);
    expect(output.timedOut).toBe(true);
    expect(output.durationMs).toBeLessThan(3500);
    expect(output.omittedBytes).toBeGreaterThan(1_000_000);
    expect(output.output).toContain(`\n[… ${output.omittedBytes} bytes left out …]\n`);
    expect(Buffer.byteLength(output.output)).toBeLessThan(65 * 1024 + 100);
    expect(most).toBeLessThan(150 * 1024 * 1024);
    expect(longestPause).toBeLessThan(1000);
  });

  test("head and tail are kept, and the count is exact", async () => {
    const output = await run("seq 1 100000");
    const whole = Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join("");
    const [head = "", tail = ""] = output.output.split(`\n[… ${output.omittedBytes} bytes left out …]\n`);
    expect([head.length, tail.length]).toEqual([32 * 1024, 32 * 1024]);
    expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
    expect(output.omittedBytes).toBe(whole.length - 64 * 1024);
  });
});

describe("progress", () => {
  test("the tail while it runs, at most five times a second, never after the end", async () => {
    const seen: { text: string; at: number }[] = [];
    let ended = false;
    const onProgress = (text: string): void => {
      expect(ended).toBe(false);
      seen.push({ text, at: performance.now() });
    };
    await bench.value("process.run", { command: "for i in $(seq 1 50); do echo line $i; sleep 0.02; done" }, { onProgress });
    ended = true;
    expect(seen.length).toBeGreaterThan(2);
    for (const [index, { at }] of seen.entries()) expect(at - (seen[index - 1]?.at ?? -Infinity)).toBeGreaterThan(190);
    expect(seen[0]?.text.startsWith("line 1\n")).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
  });
});

describe("the grant process", () => {
  const grants = (process: readonly string[]) => ({ grants: { ...NOTHING, process } });
  test.each([
    { granted: [], command: "echo hi" },
    { granted: ["git"], command: "echo hi" },
    { granted: ["echo"], command: "echo hi; touch made" },
    { granted: ["echo"], command: "echo $(touch made)" },
    { granted: ["echo"], command: "echo hi\ntouch made" },
    { granted: ["echo"], command: "PATH=. echo hi" },
    { granted: ["ech?"], command: "echo hi" },
  ])("$granted does not cover $command", async ({ granted, command }) => {
    const error = await bench.error("process.run", { command }, grants(granted));
    expect(error.code).toBe("grant.denied");
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([
    { granted: ["*"], command: "echo 'hi' | cat" },
    { granted: ["echo"], command: "echo hi" },
    { granted: ["e*o"], command: "echo hi" },
  ])("$granted covers $command", async ({ granted, command }) => {
    expect((await bench.value("process.run", { command }, grants(granted))).output).toBe("hi\n");
  });
});
