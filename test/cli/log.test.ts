import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runCommandLine } from "../../src/cli/commands.js";
import { createFakeHost, type FakeHostOptions } from "./fake-host.js";
import { answer, createFakeRuntime, event, failure, MODEL, type Script, SUBMISSION } from "./fake-runtime.js";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "smith-log-"));
});

afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

async function logged(flags: readonly string[], script: Script, more: FakeHostOptions = {}) {
  const host = createFakeHost({ ...more, cwd: home, env: { SMITH_HOME: home, ...more.env } });
  const status = await runCommandLine(["eval", ...flags, "the secret prompt"], host, createFakeRuntime(script));
  const text = host.appended.get(join(home, "state", "log", "smith.jsonl")) ?? "";
  const records = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    status,
    text,
    whats: records.map(({ level, what }) => `${String(level)} ${String(what)}`),
    records,
    files: host.appended.size,
    err: host.stderr.text,
  };
}

const EVENTS = [
  event({ type: "run_start", submission: SUBMISSION, model: MODEL, cwd: "/p" }),
  event({ type: "tool_start", id: "c" as never, name: "read", args: { path: "secret.txt" }, argsSummary: "secret.txt" }),
  ...answer("secret answer"),
];

describe("the log file", () => {
  test("it is off by default: no file at all", async () => {
    expect((await logged([], { events: EVENTS })).files).toBe(0);
  });

  test("info tells the course of a run and its status, and no content", async () => {
    const { whats, text } = await logged(["--log", "info"], { events: EVENTS });
    expect(whats).toEqual(["info run_start", "info tool_start", "info run_end", "info command-ended"]);
    expect(text).not.toContain("secret");
  });

  test("debug adds every event by its type, still without content", async () => {
    const { whats, text } = await logged(["--log", "debug"], { events: EVENTS });
    expect(whats).toContain("debug assistant_delta");
    expect(text).not.toContain("secret");
  });

  test("error tells problems only", async () => {
    const { whats, records } = await logged(["--log", "error"], { openError: failure({ code: "model.unknown", exit: 2 }) });
    expect(whats).toEqual(["error diagnostic"]);
    expect(records[0]).toMatchObject({ code: "model.unknown", message: "it failed", why: "because", pid: 42 });
  });

  test("values of secret variables are masked", async () => {
    const { text } = await logged(
      ["--log", "error"],
      { openError: failure({ what: "401 for sk-live-AAA111" }) },
      { env: { SOME_API_KEY: "sk-live-AAA111" } },
    );
    expect(text).toContain("401 for ***");
  });

  test("a log that cannot be written is a warning and changes no status", async () => {
    const { status, err } = await logged(["--log", "info"], {}, { isReadOnly: true });
    expect(status).toBe(0);
    expect(err).toContain("warning[log.unwritable]");
    expect(err.match(/unwritable/gu)).toHaveLength(1);
  });
});
