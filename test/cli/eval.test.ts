import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runCommandLine } from "../../src/cli/commands.js";
import type { ExitStatus, RunReason, RunStatus, SmithEvent } from "../../src/schema/index.js";
import { createFakeHost, createFakeInput, createFakeOutput, type FakeHost, type FakeHostOptions } from "./fake-host.js";
import { answer, createFakeRuntime, event, failure, type FakeRuntime, MODEL, type Script, SESSION, SUBMISSION } from "./fake-runtime.js";

interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
  readonly host: FakeHost;
  readonly runtime: FakeRuntime;
}

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "smith-eval-"));
  mkdirSync(join(home, "project"));
});

afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

async function smith(argv: readonly string[], script: Script = {}, more: FakeHostOptions = {}): Promise<Ran> {
  const host = createFakeHost({ cwd: join(home, "project"), ...more, env: { SMITH_HOME: join(home, "smith"), ...more.env } });
  const runtime = createFakeRuntime(script);
  const status = await runCommandLine(argv, host, runtime);
  return { status, out: host.stdout.text, err: host.stderr.text, host, runtime };
}

const records = (text: string): readonly Record<string, unknown>[] =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("text output", () => {
  test("the answer is alone on stdout, ended by a line end", async () => {
    const { status, out, err, runtime } = await smith(["eval", "say", "hi"], { events: answer("Hello there") });
    expect({ status, out, err }).toEqual({ status: 0, out: "Hello there\n", err: "" });
    expect(runtime.prompts).toEqual(["say hi"]);
    expect(runtime.calls).toEqual(["create", "session closed clean", "runtime closed"]);
  });

  test("messages follow each other on lines of their own; an answer's own line end is not doubled", async () => {
    const { out } = await smith(["eval", "x"], { events: [...answer("first"), ...answer("second\n")] });
    expect(out).toBe("first\nsecond\n");
  });

  test("the end of a message is authoritative over its deltas", async () => {
    const whole = event({ type: "assistant", entry: "e" as never, text: "abc", stop: "stop", model: MODEL });
    const other = event({ type: "assistant", entry: "e" as never, text: "xyz", stop: "stop", model: MODEL });
    const start = event({ type: "assistant_start", request: "r", model: MODEL });
    const delta = event({ type: "assistant_delta", text: "ab" });
    expect((await smith(["eval", "x"], { events: [start, whole] })).out).toBe("abc\n");
    expect((await smith(["eval", "x"], { events: [start, delta, whole] })).out).toBe("abc\n");
    expect((await smith(["eval", "x"], { events: [start, delta, other] })).out).toBe("ab\nxyz\n");
  });

  test("thinking, tools and the prompt are not shown in a pipe", async () => {
    const { out, err } = await smith(["eval", "x"], {
      events: [
        event({ type: "user", entry: "e" as never, text: "x", source: "prompt" }),
        event({ type: "thinking_delta", text: "hmm" }),
        event({ type: "tool_start", id: "c" as never, name: "read", args: {}, argsSummary: "a.ts" }),
        ...answer("done"),
      ],
    });
    expect({ out, err }).toEqual({ out: "done\n", err: "" });
  });

  test("progress is told on stderr when that is a terminal, without a control character of a tool", async () => {
    const { err } = await smith(
      ["eval", "x"],
      {
        events: [
          event({ type: "tool_start", id: "c" as never, name: "shell", args: {}, argsSummary: "echo \u001b[31m\nrm" }),
          event({
            type: "tool_end",
            id: "c" as never,
            name: "shell",
            result: "",
            isError: true,
            resultSummary: "exit 1",
            mutation: "unknown",
            durationMs: 1,
          }),
          event({ type: "retry", attempt: 1, max: 3, reason: "overloaded", delayMs: 700 }),
          event({
            type: "failover",
            from: { provider: "acme", model: "big" },
            to: { provider: "other", model: "small" },
            reason: "rate limited",
            until: new Date(2026, 10, 30, 10, 42).getTime(),
          }),
        ],
      },
      { stderr: createFakeOutput({ isTerminal: true }), env: { NO_COLOR: "1" } },
    );
    expect(err).toBe(
      `· shell echo ␛[31m rm\n  failed: exit 1\n  retry 1/3 in 1 s: overloaded\n  rate limited by acme/big until 10:42, continuing on other/small\nsession ${SESSION}; continue with: smith --resume 099a8057\n`,
    );
  });

  test("control characters of the model never get out, split or not, terminal or not", async () => {
    const nasty = "\u001b]0;t\u0007 \u001b[2J \u009b31m a\rb \u202e end\r\n\ttab";
    for (const isTerminal of [true, false]) {
      const { out } = await smith(["eval", "x"], { events: answer(nasty) }, { stdout: createFakeOutput({ isTerminal }) });
      expect(out).toBe("␛]0;t␇ ␛[2J \\u{9b}31m a␍b \\u{202e} end\n\ttab\n");
    }
  });

  test("what was denied or noted is said on stderr also in a pipe", async () => {
    const { err } = await smith(["eval", "x"], { events: [event({ type: "notice", text: "denied: write a.ts" })] });
    expect(err).toBe("denied: write a.ts\n");
  });
});

describe("--json", () => {
  test("each line is one event, run_end is the last, and stderr stays empty", async () => {
    const events = answer("Hi\u2028 \u001b");
    const { status, out, err } = await smith(["eval", "--json", "x"], { events, end: { reply: "Hi" } });
    expect({ status, err }).toEqual({ status: 0, err: "" });
    expect(records(out)).toEqual([...events, event({ type: "run_end", receipt: SUBMISSION, status: "ok", reason: "done", reply: "Hi" })]);
    expect(out).not.toContain("\u001b");
  });

  test("what comes after run_end is left out", async () => {
    const late = event({ type: "run_metrics", running: false, elapsed: 1 });
    const end = event({ type: "run_end", receipt: SUBMISSION, status: "ok", reason: "done", reply: "" });
    const { out } = await smith(["eval", "--json", "x"], { events: [end, late], withoutRunEnd: true });
    expect(records(out)).toEqual([end]);
  });

  test("a run whose end was not published gets its run_end from the receipt", async () => {
    const { out } = await smith(["eval", "--json", "x"], { withoutRunEnd: true, end: { reply: "r" } });
    expect(records(out).at(-1)).toMatchObject({ type: "run_end", session: SESSION, receipt: SUBMISSION, status: "ok", reply: "r" });
  });

  test("a slow reader gets merged deltas and no lost text", async () => {
    const stdout = createFakeOutput();
    const letGo = stdout.stall();
    const big = "x".repeat(1_200_000);
    const events: SmithEvent[] = [
      event({ type: "assistant_delta", text: big }),
      ...["a", "b", "c"].map((text) => event({ type: "assistant_delta", text })),
      event({ type: "tool_progress", id: "c" as never, text: "dropped" }),
      event({ type: "thinking_delta", text: "t" }),
    ];
    const { out } = await smith(["eval", "--json", "x"], { events, onRunning: letGo }, { stdout });
    expect(records(out).map(({ type, text }) => [type, typeof text === "string" ? text.length : 0])).toEqual([
      ["assistant_delta", 1_200_000],
      ["assistant_delta", 3],
      ["thinking_delta", 1],
      ["run_end", 0],
    ]);
  });
});

describe("failures: status, stderr, and the last record agree", () => {
  test.each<[string, RunStatus, RunReason, Script["end"], ExitStatus]>([
    ["a dead provider", "error", "provider", { error: failure({ what: "no answer" }) }, 1],
    ["refused credentials", "error", "provider", { error: failure({ exit: 3 }) }, 3],
    ["the deadline", "limit", "deadline", {}, 124],
    ["the limit of rounds", "maxTurns", "rounds", {}, 1],
    ["a stall", "stalled", "stall", {}, 1],
    ["a bug in a run", "error", "bug", { error: failure({}) }, 70],
  ])("%s", async (_name, ...[status, reason, end, exit]) => {
    const script = { end: { status, reason, ...end } };
    const text = await smith(["eval", "x"], script);
    expect([text.status, text.out]).toEqual([exit, ""]);
    expect(text.err).toMatch(/^error\[[a-z.-]+\] .+\n {2}why: {2}.+\n {2}next: .+\n$/u);
    expect(text.runtime.calls).toContain("session closed");
    const json = await smith(["eval", "--json", "x"], script);
    expect(json.status).toBe(exit);
    expect(records(json.out).at(-1)).toMatchObject({ type: "run_end", status, reason });
  });

  test.each<[string, Script, ExitStatus]>([
    ["an unknown model", { openError: failure({ code: "model.unknown", exit: 2 }) }, 2],
    ["a missing key", { openError: failure({ code: "auth.missing", exit: 3 }) }, 3],
    ["a session of another writer", { createError: failure({ code: "session.busy", exit: 4 }) }, 4],
    ["input that is not admitted", { submitError: failure({}) }, 1],
  ])("%s: nothing on stdout as text, one run_end as JSON, the reason on stderr", async (_name, script, exit) => {
    const text = await smith(["eval", "x"], script);
    expect([text.status, text.out]).toEqual([exit, ""]);
    expect(text.err).toContain("because");
    const json = await smith(["eval", "--json", "x"], script);
    expect(json.status).toBe(exit);
    expect(json.err).toContain("because");
    expect(records(json.out)).toMatchObject([
      { type: "run_end", session: null, receipt: null, status: "error", reason: "startup", error: { why: "because" } },
    ]);
  });

  test("an error that was shown while it happened is not shown again at the end", async () => {
    const error = failure({ what: "once" });
    const { err } = await smith(["eval", "x"], {
      events: [event({ type: "error", diagnostic: error })],
      end: { status: "error", reason: "provider", error },
    });
    expect(err.match(/once/gu)).toHaveLength(1);
  });

  test("a bug is told plainly, with status 70 and a last record", async () => {
    const { status, out, err } = await smith(["eval", "--json", "x"], { throws: new Error("boom") });
    expect(status).toBe(70);
    expect(err).toContain("smith failed: boom");
    expect(err).not.toContain("    at ");
    expect(records(out)).toMatchObject([{ type: "run_end", status: "error", reason: "bug" }]);
  });

  test("an error nobody caught ends the process with 70 after it was told", async () => {
    const host = createFakeHost({ cwd: join(home, "project"), env: { SMITH_HOME: join(home, "smith") } });
    const runtime = createFakeRuntime({
      runsUntilAborted: true,
      onRunning: () => {
        host.fatal(new Error("nobody caught this"));
        host.signal("SIGTERM");
      },
    });
    await runCommandLine(["eval", "x"], host, runtime);
    expect(host.stderr.text).toContain("nobody caught this");
    expect(host.ended).toEqual([70]);
  });

  test("broken configuration: every error, status 2, nothing run", async () => {
    mkdirSync(join(home, "smith", "config"), { recursive: true });
    writeFileSync(join(home, "smith", "config", "config.kdl"), "modle 1\nlog 2\n");
    const { status, out, err, runtime } = await smith(["eval", "x"]);
    expect([status, out, runtime.prepared]).toEqual([2, "", []]);
    expect(err).toContain(`${join(home, "smith", "config", "config.kdl")}:1:1`);
    expect(err).toContain("Did you mean model?");
    expect(err).toContain(`${join(home, "smith", "config", "config.kdl")}:2:5`);
  });
});

describe("signals", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s aborts the run, lets it settle and ends with %i", async (name, status) => {
    const host = createFakeHost({ cwd: join(home, "project"), env: { SMITH_HOME: join(home, "smith") } });
    const runtime = createFakeRuntime({
      events: answer("so far"),
      runsUntilAborted: true,
      onRunning: () => {
        host.signal(name);
      },
    });
    expect(await runCommandLine(["eval", "--json", "x"], host, runtime)).toBe(status);
    expect(runtime.calls).toEqual(["create", "abort", "session closed", "runtime closed"]);
    expect(records(host.stdout.text).at(-1)).toMatchObject({ type: "run_end", status: "aborted" });
    expect(host.ended).toEqual([]);
    expect(host.stderr.text).toBe("");
  });

  test("a second signal ends at once", async () => {
    const host = createFakeHost({ cwd: join(home, "project"), env: { SMITH_HOME: join(home, "smith") } });
    const runtime = createFakeRuntime({
      runsUntilAborted: true,
      onRunning: () => {
        host.signal("SIGINT");
        host.signal("SIGINT");
      },
    });
    await runCommandLine(["eval", "x"], host, runtime);
    expect(host.ended).toEqual([130]);
  });

  test("a signal while standard input is awaited runs nothing", async () => {
    const host = createFakeHost({
      cwd: join(home, "project"),
      env: { SMITH_HOME: join(home, "smith") },
      stdin: createFakeInput("idle-prone"),
    });
    const runtime = createFakeRuntime();
    const running = runCommandLine(["eval", "--json"], host, runtime);
    await host.clock.sleeping();
    host.signal("SIGINT");
    expect(await running).toBe(130);
    expect(runtime.prepared).toEqual([]);
    expect(records(host.stdout.text)).toMatchObject([{ type: "run_end", status: "aborted", reason: "abort" }]);
  });
});

describe("a reader or a disk that fails", () => {
  test("a reader who went away ends the run quietly with success", async () => {
    const stdout = createFakeOutput();
    stdout.fail("EPIPE");
    const { status, err, runtime } = await smith(["eval", "x"], { events: answer("long"), runsUntilAborted: true }, { stdout });
    expect([status, err]).toEqual([0, ""]);
    expect(runtime.calls).toContain("abort");
  });

  test("a full disk is an error with status 1", async () => {
    const stdout = createFakeOutput();
    stdout.fail("ENOSPC");
    const { status, err } = await smith(["eval", "x"], { events: answer("text") }, { stdout });
    expect(status).toBe(1);
    expect(err).toContain("error[output.failed] standard output cannot be written");
  });

  test("a full disk does not hide that the run itself failed", async () => {
    const stdout = createFakeOutput();
    stdout.fail("ENOSPC");
    const { status } = await smith(
      ["eval", "x"],
      { events: answer("text"), end: { status: "error", reason: "provider", error: failure({ exit: 3 }) } },
      { stdout },
    );
    expect(status).toBe(3);
  });

  test("the command ends only when the last byte is taken", async () => {
    const stdout = createFakeOutput();
    const letGo = stdout.stall();
    let isOver = false;
    const running = smith(["eval", "x"], { events: answer("text") }, { stdout }).then(() => {
      isOver = true;
    });
    while (!stdout.text.includes("\n"))
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    expect(isOver).toBe(false);
    letGo();
    await running;
    expect(isOver).toBe(true);
  });
});

describe("sessions of a run", () => {
  test.each<[string, readonly string[], readonly string[], object]>([
    ["default: a new one", [], ["create"], { temporary: false, mode: "auto", interactive: false }],
    ["--name", ["--name", "n"], ["create"], { temporary: false, name: "n" }],
    ["--no-session: a temporary one", ["--no-session"], ["create"], { temporary: true }],
    ["-c: the newest of the folder", ["-c"], [`open ${SESSION}`], { want: "write" }],
    ["--session by suffix", ["--session", "8057"], [`open ${SESSION}`], { want: "write" }],
    ["--session and --name renames", ["--session", "8057", "--name", "n"], [`open ${SESSION}`, "rename n"], { want: "write" }],
  ])("%s", async (_name, flags, calls, options) => {
    const { status, runtime } = await smith(["eval", ...flags, "x"]);
    expect(status).toBe(0);
    expect(runtime.calls.slice(0, calls.length)).toEqual(calls);
    expect(runtime.options).toMatchObject([options]);
  });

  test("an unknown session: status 1", async () => {
    const { status, err } = await smith(["eval", "--session", "1", "x"]);
    expect(status).toBe(1);
    expect(err).toContain("session.unknown");
  });

  test("limits and tools reach the runtime", async () => {
    const { runtime } = await smith([
      "eval",
      "--max-turns",
      "3",
      "--max-tokens",
      "9",
      "--max-cost",
      "0.5",
      "--deadline",
      "2m",
      "--tools",
      "read,grep",
      "--mode",
      "plan",
      "x",
    ]);
    expect(runtime.options).toMatchObject([{ mode: "plan", interactive: false }]);
    expect(runtime.prepared[0]?.settings).toMatchObject({
      tools: { value: ["read", "grep"] },
      maxTurns: { value: 3 },
      maxTokens: { value: 9 },
      maxCost: { value: 0.5 },
      deadlineMs: { value: 120_000 },
      stallThreshold: { value: 3 },
    });
  });

  test("--no-tools is the empty list, and no flag no list", async () => {
    expect((await smith(["eval", "--no-tools", "x"])).runtime.prepared[0]?.settings.tools.value).toEqual([]);
    expect((await smith(["eval", "x"])).runtime.prepared[0]?.settings.tools.value).toBeUndefined();
  });

  test("a temporary session is removed after success, kept and named after failure", async () => {
    const good = await smith(["eval", "--no-session", "x"]);
    expect([good.err, good.runtime.calls]).toEqual(["", ["create", "session closed clean", "runtime closed"]]);
    const bad = await smith(["eval", "--no-session", "x"], { end: { status: "error", reason: "provider", error: failure({}) } });
    expect(bad.err).toContain("the session was kept: /nowhere/session.smith");
    expect(bad.runtime.calls).toContain("session closed");
  });

  test("--cwd is the folder of the run; one that is not there is a usage error", async () => {
    expect((await smith(["eval", "--cwd", "sub", "x"])).runtime.prepared[0]?.cwd).toBe(join(home, "project", "sub"));
    const { status, err } = await smith(["eval", "--cwd", "missing", "x"]);
    expect(status).toBe(2);
    expect(err).toContain("--cwd missing is no folder");
  });
});
