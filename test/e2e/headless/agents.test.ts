import { afterEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/base/index.js";
import { call, calls, type RecordedRequest, type Reply, say } from "../../support/model-server.js";
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
const place = async (script: Readonly<Record<string, readonly Reply[]>>): Promise<Scripted> =>
  (here = await createScripted({
    script: (request) => script[taskOf(request)]?.[answers(request)] ?? say(`nothing more for ${taskOf(request)}`),
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
