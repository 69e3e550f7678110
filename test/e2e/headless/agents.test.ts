import { afterEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/base/index.js";
import { call, calls, type RecordedRequest, type Reply, say } from "../../support/model-server.js";
import { appears, linesOf } from "../support/place.js";
import { createScripted, messagesOf, type Scripted } from "../support/scripted.js";
import { eventsOf, eventsOfType, lastEvent, textOf } from "../support/smith.js";

let here: Scripted | undefined;
afterEach(async () => {
  await here?.close();
  here = undefined;
});

/** The first input of a request's branch: it tells the agents apart. */
const taskOf = (request: RecordedRequest): string => textOf(messagesOf(request).find(({ role }) => role === "user")?.["content"]);
const answers = (request: RecordedRequest): number => messagesOf(request).filter(({ role }) => role === "assistant").length;
const toolsOf = ({ body }: RecordedRequest): readonly string[] =>
  (Array.isArray(body["tools"]) ? (body["tools"] as readonly JsonObject[]) : []).map((tool) =>
    textOf((tool["function"] as JsonObject)["name"]),
  );

/** Who answers what, by task: the n-th request of an agent gets its n-th reply. */
type Part = readonly Reply[] | ((round: number) => Reply);

const place = async (script: Readonly<Record<string, Part>>): Promise<Scripted> =>
  (here = await createScripted({
    script: (request) => {
      const part = script[taskOf(request)] ?? [];
      const reply = typeof part === "function" ? part(answers(request)) : part[answers(request)];
      return reply ?? say(`nothing more for ${taskOf(request)}`);
    },
  }));

/** The tool waits to be found. */
const FIND = call("tool_search", { query: "select:agent" });

const of = (requests: readonly RecordedRequest[], task: string): readonly RecordedRequest[] =>
  requests.filter((one) => taskOf(one) === task);
const results = (request: RecordedRequest | undefined): readonly string[] =>
  request === undefined ? [] : messagesOf(request).flatMap((one) => (one["role"] === "tool" ? [textOf(one["content"])] : []));

const SCOUT = {
  "where is alpha": [FIND, call("agent", { task: "find alpha", title: "alpha" }), say("It is in a.txt.")],
  "find alpha": [call("grep", { pattern: "alpha" }), say("a.txt, line 1")],
};

describe("a sub-agent", () => {
  test("works on a branch of its own and hands back its answer; nothing of it is the session's own history or news", async () => {
    const { run, file, server, quiet } = await place(SCOUT);
    file("a.txt", "alpha\n");
    const { status, stdout, stderr } = await run(["eval", "--json", "where is alpha"]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(eventsOfType(stdout, "tool_start").map(({ name }) => name)).toEqual(["tool_search", "agent"]);
    expect(eventsOfType(stdout, "user").map(({ text }) => text)).toEqual(["where is alpha"]);
    expect(eventsOfType(stdout, "tool_end").slice(1)).toMatchObject([
      { name: "agent", result: "a.txt, line 1", isError: false, resultSummary: "2 rounds · 1 call", mutation: "not-applied" },
    ]);
    expect(eventsOfType(stdout, "tool_progress").map(({ text }) => text)).toEqual(["round 1: grep alpha\n"]);
    expect(lastEvent(stdout)).toMatchObject({ type: "run_end", status: "ok", reply: "It is in a.txt." });
    const asked = of(server.requests, "find alpha");
    expect(asked).toHaveLength(2);
    expect(results(asked[1])[0]).toContain("a.txt");
    const again = await run(["eval", "-c", "go on"]);
    expect([again.status, again.stderr]).toEqual([0, ""]);
    const last = server.requests.at(-1);
    expect(last === undefined ? [] : messagesOf(last).map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    const [session] = eventsOf((await run(["sessions", "list", "--json"])).stdout);
    expect(session).toMatchObject({ name: "where is alpha", state: "sound", turns: 2 });
    const shown = await run(["sessions", "get", "--branch", "--kind", "user", "--json", textOf(session?.["id"])]);
    expect(eventsOf(shown.stdout).map(({ text }) => text)).toEqual(["where is alpha", "go on"]);
    await quiet();
  });

  test("gets the tools that change nothing unless it may write, and never the one that asks unless it is named", async () => {
    const { run, server } = await place({
      go: [
        FIND,
        calls([
          { name: "agent", args: { task: "look" } },
          { name: "agent", args: { task: "change", write: true } },
          { name: "agent", args: { task: "named", tools: ["read", "agent"] } },
          { name: "agent", args: { task: "never", tools: ["write"] } },
          { name: "agent", args: { task: "unknown", tools: ["nonsense"] } },
        ]),
        say("ok"),
      ],
    });
    expect((await run(["eval", "--mode", "auto", "go"])).status).toBe(0);
    const offered = (task: string): readonly string[] => of(server.requests, task).flatMap(toolsOf);
    expect(offered("look")).toEqual(expect.arrayContaining(["read", "grep", "find", "list"]));
    for (const name of ["write", "edit", "shell", "agent", "todo"]) expect(offered("look")).not.toContain(name);
    expect(offered("change")).toEqual(expect.arrayContaining(["read", "write", "edit", "shell"]));
    for (const name of ["agent", "todo"]) expect(offered("change")).not.toContain(name);
    expect(offered("named").toSorted()).toEqual(["agent", "read"]);
    expect([offered("never"), offered("unknown")]).toEqual([[], []]);
    const told = results(of(server.requests, "go")[2]).slice(1);
    expect(told[3]).toContain("write can change things");
    expect(told[4]).toContain("cannot be given nonsense");
  });
});

describe("several sub-agents", () => {
  test("of one batch work at the same time, and each result stands by its own call", async () => {
    let open = (): void => undefined;
    const both = new Promise<void>((resolve) => {
      open = resolve;
    });
    let arrived = 0;
    const waits = (text: string) => () => {
      arrived += 1;
      if (arrived === 2) open();
      return { ...say(text), hold: both };
    };
    const pair = calls([
      { name: "agent", args: { task: "left" } },
      { name: "agent", args: { task: "right" } },
    ]);
    const { run, server } = await place({ go: [FIND, pair, say("both")], left: waits("L"), right: waits("R") });
    expect((await run(["eval", "go"])).stdout).toBe("both\n");
    expect(results(of(server.requests, "go")[2]).slice(1)).toEqual(["L", "R"]);
  });

  test("ask each other three deep and no deeper", async () => {
    const ask = (task: string): Reply => call("agent", { task, tools: ["agent", "grep"] });
    const { run, server } = await place({
      go: [FIND, ask("one"), say("end")],
      one: [ask("two"), say("1")],
      two: [ask("three"), say("2")],
      three: [ask("four"), say("3")],
    });
    expect((await run(["eval", "go"])).status).toBe(0);
    expect(of(server.requests, "three").flatMap(toolsOf)).not.toContain("agent");
    expect(results(of(server.requests, "three")[1])[0]).toContain('Unknown tool "agent"');
    expect(of(server.requests, "four")).toEqual([]);
    expect(results(of(server.requests, "go")[2])[1]).toBe("1");
  });

  test("have 25 rounds each and 50 below one call; who is cut off says so, and its asker goes on", async () => {
    const endless = (round: number): Reply => call("grep", { pattern: `p${String(round)}` });
    const three = ["a", "b", "c"].map((task) => ({ name: "agent", args: { task } }));
    const { run, server } = await place({
      go: [FIND, call("agent", { task: "alone" }), call("agent", { task: "lead", tools: ["agent", "grep"] }), say("end")],
      alone: endless,
      lead: [calls(three), say("never asked for")],
      a: endless,
      b: endless,
      c: endless,
    });
    const { status, stdout } = await run(["eval", "go"]);
    expect([status, stdout]).toEqual([0, "end\n"]);
    expect(of(server.requests, "alone")).toHaveLength(25);
    const below = ["lead", "a", "b", "c"].map((task) => of(server.requests, task).length);
    expect(below.reduce((sum, count) => sum + count, 0)).toBe(50);
    const told = results(of(server.requests, "go").at(-1));
    expect(told[1]).toContain("the limit of 25 rounds was reached");
    expect(told[2]).toContain("have used up their 50 rounds");
  });
});

const PRICED =
  'models {\n  model "openai-compatible/scripted" { context 200000; output 32000; tools #true; sampling #true; price input=1000000 output=1000000; }\n}\n';

describe("what sub-agents use", () => {
  test("is counted once, in the run and in the session", async () => {
    const { run, config, server } = await place(SCOUT);
    config(PRICED);
    const { stdout } = await run(["eval", "--json", "where is alpha"]);
    expect(server.requests).toHaveLength(5);
    expect(lastEvent(stdout)).toMatchObject({ usage: { inputTokens: 50, outputTokens: 25 }, cost: 75 });
    const [session] = eventsOf((await run(["sessions", "list", "--json", "--cost"])).stdout);
    expect(session).toMatchObject({ cost: 75 });
    expect(eventsOfType(stdout, "run_metrics").at(-1)).toMatchObject({ inputTokens: 50, outputTokens: 25, cost: 75 });
  });

  test("counts for the limits of the run", async () => {
    const { run, config, server } = await place({
      go: [FIND, call("agent", { task: "endless" }), say("never")],
      endless: (round) => call("grep", { pattern: `p${String(round)}` }),
    });
    config(PRICED);
    const { stdout } = await run(["eval", "--json", "--max-cost", "100", "go"]);
    expect(lastEvent(stdout)).toMatchObject({ status: "limit", reason: "cost" });
    expect(server.requests.length).toBeLessThanOrEqual(7);
  });
});

describe("kill -9 while a sub-agent runs a command", () => {
  test("the session goes on; what was open is settled, its effect is unknown and told, and nothing runs again", async () => {
    const { run, start, work, server } = await place({
      go: (round) => [FIND, call("agent", { task: "long", write: true })][round] ?? say("I look first."),
      long: [call("shell", { command: "echo begun >> marker; exec sleep 600" })],
    });
    const first = start(["eval", "--mode", "auto", "go"], { input: "" });
    await appears(`${work}/marker`);
    first.kill("SIGKILL");
    await first.ended;
    const asked = server.requests.length;
    const second = await run(["eval", "--json", "-c", "go on"]);
    expect(second.status).toBe(0);
    expect(
      eventsOfType(second.stdout, "unknown_effect")
        .map(({ operation }) => operation)
        .toSorted(),
    ).toEqual(["agent.run", "process.run"]);
    expect(server.requests).toHaveLength(asked + 1);
    const last = server.requests.at(-1);
    expect(last === undefined ? "" : taskOf(last)).toBe("go");
    expect(results(last)[1]).toContain("outcome is unknown");
    expect(linesOf(`${work}/marker`)).toEqual(["begun"]);
    const id = textOf(lastEvent(second.stdout)["session"]);
    const entries = eventsOf((await run(["sessions", "get", "--json", id])).stdout).filter(({ type }) => type === "work");
    const works = new Map(entries.map(({ work: name, state }) => [name, state]));
    expect(new Set(works.values())).toEqual(new Set(["settled"]));
    expect((await run(["sessions", "verify", id])).status).toBe(0);
  });

  test("the session's own turn can be taken up where it was, without the sub-agent", async () => {
    const { run, start, work, server } = await place({
      go: (round) => [FIND, call("agent", { task: "long", write: true })][round] ?? say("Taken up."),
      long: [call("shell", { command: "echo begun >> marker; exec sleep 600" })],
    });
    const first = start(["eval", "--mode", "auto", "go"], { input: "" });
    await appears(`${work}/marker`);
    first.kill("SIGKILL");
    await first.ended;
    const resumed = await run(["eval", "--resume-work", "-c"]);
    expect([resumed.stderr, resumed.status, resumed.stdout]).toEqual([expect.stringContaining("outcome unknown"), 0, "Taken up.\n"]);
    expect(of(server.requests, "long")).toHaveLength(1);
    expect(results(server.requests.at(-1))[1]).toContain("outcome is unknown");
  });
});
