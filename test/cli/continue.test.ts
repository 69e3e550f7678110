import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { err, ok, type Result, type SessionId } from "../../src/base/index.js";
import { runCommandLine } from "../../src/cli/commands.js";
import type { RuntimePort } from "../../src/cli/context.js";
import type { Receipt, RunEnd, Runtime } from "../../src/runtime/index.js";
import type { Diagnostic } from "../../src/schema/index.js";
import { createFakeHost, createFakeInput, createFakeOutput, type FakeHostOptions } from "./fake-host.js";
import { createFakeRuntime, failure, type FakeRuntime, type Script, SESSION, SUBMISSION } from "./fake-runtime.js";

const FORKED = `${SESSION.slice(0, -8)}f0f0f0f0` as SessionId;
const ENTRY = "01890a5d-ac96-774b-bcce-00000000cafe";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "smith-continue-"));
  mkdirSync(join(home, "project"));
});

afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

interface More {
  readonly fork?: Runtime["fork"];
  readonly resume?: Result<RunEnd, Diagnostic>;
  readonly script?: Script;
  readonly host?: FakeHostOptions;
}

/** A runtime that can fork, and whose sessions can be resumed. */
function forking(runtime: FakeRuntime, more: More): RuntimePort {
  const fork: Runtime["fork"] = (...given) => {
    runtime.calls.push(`fork ${given.filter((word) => word !== undefined).join(" ")}`);
    return more.fork?.(...given) ?? Promise.resolve(ok({ id: FORKED, path: "/s", entries: 3 }));
  };
  const resumeWork = (): Promise<Result<Receipt, Diagnostic>> => {
    runtime.calls.push("resume work");
    const { resume = ok<RunEnd>({ status: "ok", reason: "done", reply: "" }) } = more;
    return Promise.resolve(resume.ok ? ok({ submission: SUBMISSION, queued: false, settled: Promise.resolve(resume.value) }) : resume);
  };
  return {
    ...runtime,
    async open(...given) {
      const opened = await runtime.open(...given);
      if (!opened.ok) return opened;
      const open: Runtime["open"] = async (...asked) => {
        const session = await opened.value.open(...asked);
        return session.ok ? ok({ ...session.value, resumeWork }) : session;
      };
      return ok({ ...opened.value, fork, open });
    },
  };
}

async function smith(line: string, more: More = {}) {
  const host = createFakeHost({ cwd: join(home, "project"), ...more.host, env: { SMITH_HOME: join(home, "smith") } });
  const runtime = createFakeRuntime({
    inspection: {
      resolveEntry: (_id, name) => Promise.resolve(name === "cafe" ? ok(ENTRY as never) : err(failure({ code: "session.entry-unknown" }))),
    },
    ...more.script,
  });
  const status = await runCommandLine(line.split(" "), host, forking(runtime, more));
  return { status, out: host.stdout.text, err: host.stderr.text, runtime, host };
}

describe("eval --fork", () => {
  test("the fork is made, opened for writing and given the prompt; the source is only read", async () => {
    const { status, runtime } = await smith("eval --fork 8057 go on");
    expect(status).toBe(0);
    expect(runtime.calls).toEqual([`fork ${SESSION}`, `open ${FORKED}`, "session closed clean", "runtime closed"]);
    expect(runtime.options).toMatchObject([{ want: "write" }]);
    expect(runtime.prompts).toEqual(["go on"]);
  });

  test("up to an entry, under a name", async () => {
    const { runtime } = await smith("eval --fork 8057:cafe --name copy go on");
    expect(runtime.calls.slice(0, 3)).toEqual([`fork ${SESSION} ${ENTRY}`, `open ${FORKED}`, "rename copy"]);
  });

  test.each([
    ["a session that is not there", "eval --fork x go", "session.unknown"],
    ["an entry that is not there", "eval --fork 8057:beef go", "session.entry-unknown"],
  ])("%s: status 1, nothing is made or sent", async (_name, line, code) => {
    const { status, err: told, runtime } = await smith(line);
    expect([status, runtime.calls, runtime.prompts]).toEqual([1, ["runtime closed"], []]);
    expect(told).toContain(code);
  });

  test("without a prompt nothing is made", async () => {
    const { status, runtime } = await smith("eval --fork 8057");
    expect([status, runtime.calls]).toEqual([2, []]);
  });

  test("a fork that fails is told, also as the end of the run", async () => {
    const { status, out } = await smith("eval --json --fork 8057 go", {
      fork: () => Promise.resolve(err(failure({ code: "session.branch-broken" }))),
    });
    expect(status).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ type: "run_end", status: "error", error: { code: "session.branch-broken" } });
  });
});

describe("eval --resume-work", () => {
  test("goes on with what was interrupted; standard input is not read", async () => {
    const stdin = createFakeInput("idle-prone");
    const { status, err: told, runtime } = await smith("eval -c --resume-work", { host: { stdin } });
    expect([status, told]).toEqual([0, ""]);
    expect(runtime.calls).toEqual([`open ${SESSION}`, "resume work", "session closed clean", "runtime closed"]);
    expect(runtime.prompts).toEqual([]);
  });

  test("nothing interrupted: says so, status 1", async () => {
    const resume = err(failure({ code: "work.nothing-interrupted" }));
    const { status, err: told } = await smith("eval --session 8057 --resume-work", { resume });
    expect(status).toBe(1);
    expect(told).toContain("work.nothing-interrupted");
  });

  test("the end of the work is the status of the run", async () => {
    const resume = ok<RunEnd>({ status: "limit", reason: "deadline", reply: "" });
    expect((await smith("eval -c --resume-work", { resume })).status).toBe(124);
  });
});

test("-c says on a terminal which session is continued, and nothing elsewhere", async () => {
  const stderr = createFakeOutput({ isTerminal: true });
  expect((await smith("eval -c go on", { host: { stderr } })).err).toMatch(/^smith: continuing session 099a8057$/mu);
  expect((await smith("eval -c go on")).err).not.toContain("continuing");
});
