import { afterEach, describe, expect, test } from "vitest";
import { call, calls, say } from "../../support/model-server.js";
import { appears, linesOf } from "../support/place.js";
import { createScripted, lastOf, messagesOf, type Scripted } from "../support/scripted.js";
import { eventsOf, eventsOfType, lastEvent, textOf } from "../support/smith.js";

let here: Scripted | undefined;
afterEach(async () => {
  await here?.close();
  here = undefined;
});

const BROKEN = "export const add = (a, b) => a - b;\n";
const TEST =
  'import test from "node:test";\nimport { equal } from "node:assert/strict";\nimport { add } from "./add.mjs";\ntest("adds", () => equal(add(2, 3), 5));\n';

const FIX = [
  calls([
    { name: "read", args: { path: "add.mjs" } },
    { name: "shell", args: { command: "node --test add.test.mjs > before.log 2>&1; echo status=$?" } },
  ]),
  call("edit", { path: "add.mjs", edits: [{ old: "a - b", new: "a + b" }] }),
  call("shell", { command: "node --test add.test.mjs" }),
  say("The subtraction is an addition now, and the test passes."),
];

const broken = async (script: Parameters<typeof createScripted>[0]["script"]): Promise<Scripted> => {
  const place = await createScripted({ script });
  here = place;
  place.file("add.mjs", BROKEN);
  place.file("add.test.mjs", TEST);
  return place;
};

describe("a small broken repository", () => {
  test("is read, edited and tested until it works, and the strict server accepts every request", async () => {
    const { run, read, server, quiet } = await broken(FIX);
    const { status, stdout, stderr } = await run(["eval", "--json", "make the test pass"]);
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(read("add.mjs")).toBe("export const add = (a, b) => a + b;\n");
    const ends = eventsOfType(stdout, "tool_end");
    expect(ends.map(({ name, isError, mutation }) => [name, isError, mutation])).toEqual([
      ["read", false, "not-applied"],
      ["shell", false, "applied"],
      ["edit", false, "applied"],
      ["shell", false, "applied"],
    ]);
    expect(ends[1]?.["result"]).toContain("status=1");
    expect(ends[3]?.["result"]).toContain("pass 1");
    expect(lastEvent(stdout)).toMatchObject({
      type: "run_end",
      status: "ok",
      reason: "done",
      reply: "The subtraction is an addition now, and the test passes.",
    });
    expect(server.complaints).toEqual([]);
    expect(server.requests).toHaveLength(4);
    await quiet();
  });

  test("is fixed the same way with text output, which is the model's words alone", async () => {
    const { run, read } = await broken(FIX);
    const { status, stdout, stderr } = await run(["eval", "make the test pass"]);
    expect([status, stdout, stderr]).toEqual([0, "The subtraction is an addition now, and the test passes.\n", ""]);
    expect(read("add.mjs")).toContain("a + b");
  });
});

describe("kill -9 in the middle of a shell command", () => {
  const COMMAND = "echo begun >> marker; exec sleep 600";

  const killed = async (): Promise<Scripted> => {
    const place = await broken((_request, n) =>
      n === 0
        ? calls([
            { name: "read", args: { path: "add.mjs" } },
            { name: "shell", args: { command: COMMAND } },
          ])
        : say("I look at the state first."),
    );
    const first = place.start(["eval", "--name", "crashing", "start the long job"], { input: "" });
    await appears(`${place.work}/marker`);
    first.kill("SIGKILL");
    expect((await first.ended).signal).toBe("SIGKILL");
    return place;
  };

  test("the next run tells model and person which effect has an unknown outcome, and repeats nothing", async () => {
    const { run, server, work } = await killed();
    const second = await run(["eval", "--json", "-c", "go on"]);
    expect(second.status).toBe(0);
    expect(linesOf(`${work}/marker`)).toEqual(["begun"]);

    const [unknown] = eventsOfType(second.stdout, "unknown_effect");
    expect(unknown).toMatchObject({ operation: "process.run" });
    expect(textOf(unknown?.["summary"])).toContain(COMMAND);
    expect(eventsOf(second.stdout).filter(({ type }) => type === "tool_start")).toEqual([]);

    const request = server.requests[1];
    const results = request === undefined ? [] : messagesOf(request).filter(({ role }) => role === "tool");
    expect(results).toHaveLength(2);
    const told = textOf(results[1]?.["content"]);
    expect(told).toContain("outcome is unknown");
    expect(told).toContain(`effect ${textOf(unknown?.["effect"]).slice(-8)} process.run`);
    expect(told).toContain(COMMAND);
    expect(request === undefined ? "" : lastOf(request, "user")).toBe("go on");
    expect(server.complaints).toEqual([]);
  });

  test("with text output the person is told on standard error, once", async () => {
    const { run } = await killed();
    const second = await run(["eval", "-c", "go on"]);
    expect([second.status, second.stdout]).toEqual([0, "I look at the state first.\n"]);
    expect(second.stderr).toMatch(/^smith: outcome unknown, .*: effect [0-9a-f]{8} process\.run .*it was not run again.*\n$/u);
    expect(second.stderr).toContain(COMMAND);
    const third = await run(["eval", "-c", "and on"]);
    expect([third.status, third.stderr]).toEqual([0, ""]);
  });

  test("everything of both runs is found and read back, the unknown effect as such", async () => {
    const { run } = await killed();
    expect((await run(["eval", "-c", "go on"])).status).toBe(0);
    const found = await Promise.all(
      ["start the long job", "go on", "I look at the state first", "exec sleep 600"].map((text) => run(["sessions", "grep", "-F", text])),
    );
    expect(found.map(({ status, stderr }) => [status, stderr])).toEqual([
      [0, ""],
      [0, ""],
      [0, ""],
      [0, ""],
    ]);
    const listed = await run(["sessions", "list", "--json"]);
    const [summary, ...others] = eventsOf(listed.stdout);
    expect(others).toEqual([]);
    expect(summary).toMatchObject({ name: "crashing", state: "sound" });
    const entries = eventsOf((await run(["sessions", "get", "--json", textOf(summary?.["id"])])).stdout);
    const intent = entries.find(({ type, operation }) => type === "effect-intent" && operation === "process.run");
    expect(entries.filter(({ type, effect }) => type === "effect-done" && effect === intent?.["effect"])).toMatchObject([
      { outcome: "unknown" },
    ]);
    const text = await run(["sessions", "get", textOf(summary?.["id"]).slice(-8)]);
    expect(text.stdout).toContain("ended: unknown");
    expect(text.stdout).toContain("outcome unknown");
  });
});
