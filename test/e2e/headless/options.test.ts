import { existsSync, readdirSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../../src/base/index.js";
import { call, calls, refuse, say } from "../../support/model-server.js";
import { appears } from "../support/place.js";
import { createPlace, type Place } from "../support/place.js";
import { createScripted, lastOf, messagesOf, type Scripted } from "../support/scripted.js";
import { eventsOf, eventsOfType, lastEvent, textOf } from "../support/smith.js";

const places: Place[] = [];
afterEach(async () => {
  await Promise.all(places.splice(0).map((place) => place.close()));
});

async function scripted(script: Parameters<typeof createScripted>[0]["script"]): Promise<Scripted> {
  const place = await createScripted({ script });
  places.push(place);
  return place;
}

const sessionOf = (stdout: string): string => textOf(lastEvent(stdout)["session"]);

/** Names of the tools a request offers; `undefined` when it has no such field. */
function toolsOf(body: JsonObject | undefined): readonly string[] | undefined {
  const tools = body?.["tools"];
  if (!Array.isArray(tools)) return undefined;
  return tools.map((tool) => (isJsonObject(tool) && isJsonObject(tool["function"]) ? textOf(tool["function"]["name"]) : "?"));
}

describe("which session a run belongs to", () => {
  test("a new one each time, -c the newest of this folder, --session any by its last digits", async () => {
    const place = await scripted((request) => say(`messages ${String(messagesOf(request).length)}`));
    const one = await place.run(["eval", "--json", "--name", "the first", "one"]);
    const two = await place.run(["eval", "--json", "two"]);
    const continued = await place.run(["eval", "--json", "-c", "three"]);
    const named = await place.run(["eval", "--json", "--session", sessionOf(one.stdout).slice(-8), "four"]);
    const elsewhere = await place.run(["eval", "-c", "--cwd", "/", "five"]);
    expect(sessionOf(two.stdout)).not.toBe(sessionOf(one.stdout));
    expect([sessionOf(continued.stdout), lastEvent(continued.stdout)["reply"]]).toEqual([sessionOf(two.stdout), "messages 4"]);
    expect([sessionOf(named.stdout), lastEvent(named.stdout)["reply"]]).toEqual([sessionOf(one.stdout), "messages 4"]);
    expect([elsewhere.status, elsewhere.stdout]).toEqual([1, ""]);
    expect(elsewhere.stderr).toContain("session.none-here");
    const list = eventsOf((await place.run(["sessions", "list", "--json"])).stdout);
    expect(list.map(({ id, name }) => [id, name])).toEqual([
      [sessionOf(one.stdout), "the first"],
      [sessionOf(two.stdout), "two"],
    ]);
  });

  test.each([
    [["--session", "00000000"], 1, "session.unknown"],
    [["--session", "abc"], 1, "session.unknown"],
    [["-c"], 1, "session.none-here"],
    [["-c", "--no-session"], 2, "usage.conflict"],
    [["--session", "abcd", "-c"], 2, "usage.conflict"],
  ])("%j without such a session ends with %i, %s", async (flags, status, code) => {
    const place = await scripted(() => say("never"));
    const ended = await place.run(["eval", ...flags, "hello"]);
    expect([ended.status, ended.stdout]).toEqual([status, ""]);
    expect(ended.stderr).toContain(code);
    expect(place.server.all).toEqual([]);
  });

  test("--name with -c renames", async () => {
    const place = await scripted(() => say("ok"));
    await place.run(["eval", "--name", "before", "one"]);
    await place.run(["eval", "-c", "--name", "after", "two"]);
    expect((await place.run(["sessions", "list"])).stdout).toMatch(/ after\n/u);
  });
});

describe("--no-session", () => {
  const kept = (place: Place): readonly string[] => {
    const folder = `${place.home}/state/temporary`;
    return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".smith")) : [];
  };

  test("records while it runs, and leaves nothing after a clean end", async () => {
    const place = await scripted((_request, n) =>
      n === 0 ? call("shell", { command: "ls $SMITH_HOME/state/temporary; echo id $SMITH_SESSION_ID" }) : say("done"),
    );
    const { status, stdout, stderr } = await place.run(["eval", "--json", "--no-session", "look"]);
    expect([status, stderr]).toEqual([0, ""]);
    const id = sessionOf(stdout);
    expect(eventsOfType(stdout, "tool_end")[0]?.["result"]).toContain(`${id}.smith`);
    expect(eventsOfType(stdout, "tool_end")[0]?.["result"]).toContain(`id ${id}`);
    expect(kept(place)).toEqual([]);
    expect((await place.run(["sessions", "list"])).stdout).toBe("");
  });

  test("keeps the record after an abnormal end and says where", async () => {
    const place = await scripted(() => refuse(400, "no"));
    const { status, stderr } = await place.run(["eval", "--no-session", "look"]);
    expect(status).toBe(1);
    const [file] = kept(place);
    expect(stderr).toContain(`smith: the session was kept: ${place.home}/state/temporary/${String(file)}`);
  });

  test("keeps it after a signal and after kill -9", async () => {
    const place = await scripted(() => call("shell", { command: "echo begun >> marker; sleep 600" }));
    const first = place.start(["eval", "--no-session", "wait"], { input: "" });
    await appears(`${place.work}/marker`);
    first.kill("SIGTERM");
    expect((await first.ended).stderr).toContain("the session was kept: ");
    expect(kept(place)).toHaveLength(1);
    place.file("marker2", "");
    const second = place.start(["eval", "--no-session", "wait"], { input: "" });
    await place.server.request(1);
    second.kill("SIGKILL");
    await second.ended;
    expect(kept(place)).toHaveLength(2);
  });
});

describe("which tools are offered", () => {
  test("--tools offers those alone, in requests and to calls", async () => {
    const place = await scripted((_request, n) => (n === 0 ? call("shell", { command: "echo ran > ran" }) : say("ok")));
    const { status, stdout } = await place.run(["eval", "--json", "--tools", "read,grep", "do it"]);
    expect(status).toBe(0);
    expect(toolsOf(place.server.requests[0]?.body)?.toSorted()).toEqual(["grep", "read"]);
    expect(eventsOfType(stdout, "tool_end")).toMatchObject([{ name: "shell", isError: true, mutation: "not-applied" }]);
    expect(existsSync(`${place.work}/ran`)).toBe(false);
  });

  test("--no-tools offers none, all by default", async () => {
    const place = await scripted(() => say("ok"));
    await Promise.all([place.run(["eval", "--no-tools", "a"]), place.run(["eval", "b"])]);
    const byPrompt = new Map(place.server.requests.map((request) => [lastOf(request, "user"), toolsOf(request.body)]));
    expect(byPrompt.get("a")).toBeUndefined();
    const usual = ["ask", "edit", "fetch", "find", "grep", "list", "read", "shell", "todo", "tool_search", "write"];
    expect(byPrompt.get("b")?.toSorted()).toEqual(usual);
  });

  test("a tool that does not exist is an error of usage that names those that do", async () => {
    const place = await scripted(() => say("never"));
    const { status, stderr } = await place.run(["eval", "--tools", "raed", "x"]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/No such tool: raed.*read/su);
    expect(place.server.all).toEqual([]);
  });

  test("--mode read-only runs what reads and tells the model why the rest is not run", async () => {
    const place = await scripted((request, n) =>
      n === 0
        ? calls([
            { name: "write", args: { path: "a", content: "x" } },
            { name: "list", args: {} },
          ])
        : say(lastOf(request, "tool")),
    );
    const { status, stdout } = await place.run(["eval", "--json", "--mode", "read-only", "do it"]);
    expect(status).toBe(0);
    expect(eventsOfType(stdout, "tool_end").map(({ isError }) => isError)).toEqual([true, false]);
    expect(eventsOfType(stdout, "tool_end")[0]?.["result"]).toContain("read-only");
    expect(existsSync(`${place.work}/a`)).toBe(false);
  });

  test("--no-plugins leaves no tool and no model, and says so", async () => {
    const place = createPlace();
    places.push(place);
    const [text, json] = await Promise.all([
      place.run(["eval", "--no-plugins", "list the files here"]),
      place.run(["eval", "--no-plugins", "--json", "list the files here"]),
    ]);
    expect([text.status, text.stdout, json.status]).toEqual([2, "", 2]);
    expect(text.stderr).toContain("No plugin is loaded, so there is no model to ask and no tool to use.");
    expect(text.stderr).toContain("--no-plugins");
    expect(lastEvent(json.stdout)).toMatchObject({ type: "run_end", status: "error", error: { code: "plugins.off" } });
  });

  test("the offline model without tools says what it would need", async () => {
    const place = createPlace();
    places.push(place);
    const { status, stdout } = await place.run(["eval", "--no-tools", "list the files here"]);
    expect([status, stdout]).toEqual([0, expect.stringContaining("needs the tool `list`")]);
  });
});

describe("limits", () => {
  const busy = (_request: unknown, n: number) => call("shell", { command: `echo ${String(n)} >> rounds` });

  test("--max-turns counts requests", async () => {
    const place = await scripted(busy);
    const { status, stdout } = await place.run(["eval", "--json", "--max-turns", "2", "go"]);
    expect(status).toBe(1);
    expect(lastEvent(stdout)).toMatchObject({ type: "run_end", status: "maxTurns", reason: "rounds" });
    expect(place.server.requests).toHaveLength(2);
    expect(place.read("rounds")).toBe("0\n1\n");
  });

  test("--max-tokens stops after the round that reaches it", async () => {
    const place = await scripted(busy);
    const { status, stdout } = await place.run(["eval", "--json", "--max-tokens", "25", "go"]);
    expect(status).toBe(1);
    expect(lastEvent(stdout)).toMatchObject({ type: "run_end", status: "limit", reason: "tokens" });
    expect(place.server.requests).toHaveLength(2);
  });

  test("the same call three times in a row is a stall", async () => {
    const place = await scripted(() => call("shell", { command: "echo same" }));
    const { status, stdout } = await place.run(["eval", "--json", "go"]);
    expect(status).toBe(1);
    expect(lastEvent(stdout)).toMatchObject({ type: "run_end", status: "stalled", reason: "stall" });
    expect(place.server.requests).toHaveLength(3);
  });

  test("--deadline ends a command that never does, with status 124 and nothing left", async () => {
    const place = await scripted(() => call("shell", { command: "echo begun > marker; sleep 600 | cat" }));
    const { status, stdout, stderr } = await place.run(["eval", "--json", "--deadline", "2s", "go"]);
    expect([status, stderr]).toEqual([124, ""]);
    expect(lastEvent(stdout)).toMatchObject({ type: "run_end", status: "limit", reason: "deadline", error: { exit: 124 } });
    await place.quiet();
  });

  test("a command's own time limit is a result the model goes on with", async () => {
    const place = await scripted((request, n) =>
      n === 0 ? call("shell", { command: "echo before; sleep 600 & sleep 601", timeout_s: 1 }) : say(lastOf(request, "tool")),
    );
    const { status, stdout } = await place.run(["eval", "go"]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/before\n.*timed out after 1 s/su);
    await place.quiet();
  });
});

describe("--json", () => {
  const VOCABULARY = new Set(
    "run_start user assistant_start assistant_delta thinking_delta thinking_cleared assistant tool_start tool_progress tool_end retry notice unknown_effect queue interrupted error run_metrics run_end".split(
      " ",
    ),
  );
  /** Progress, and news that no entry stands for. */
  const UNPLACED = new Set(["assistant_start", "assistant_delta", "thinking_delta", "thinking_cleared", "tool_progress", "run_metrics"]);

  test("tells a run in its order, each record stamped, durable ones with a position that never goes back", async () => {
    const place = await scripted((_request, n) =>
      n === 0
        ? calls(
            [
              { name: "shell", args: { command: "echo one" } },
              { name: "list", args: {} },
            ],
            { text: "I look.", reasoning: "Hm." },
          )
        : say("Two things happened."),
    );
    const { stdout } = await place.run(["eval", "--json", "--name", "ordered", "what is here?"]);
    const events = eventsOf(stdout);
    const types = events.map(({ type }) => textOf(type));
    expect(types.filter((type) => !VOCABULARY.has(type))).toEqual([]);
    const told = types.filter((type) => type !== "tool_progress" && type !== "run_metrics");
    expect(told.filter((type, index) => type !== told[index - 1])).toEqual([
      ...["run_start", "user", "assistant_start", "thinking_delta", "assistant_delta", "assistant", "tool_start", "tool_end"],
      ...["thinking_cleared", "assistant_start", "assistant_delta", "assistant", "run_end"],
    ]);
    expect(types.filter((type) => type === "tool_start" || type === "tool_end")).toEqual([
      "tool_start",
      "tool_start",
      "tool_end",
      "tool_end",
    ]);
    expect(events.filter(({ session, time }) => session !== sessionOf(stdout) || typeof time !== "number")).toEqual([]);
    const seqs = events.flatMap(({ position }) => (isJsonObject(position) ? [Number(position["seq"])] : []));
    expect(seqs).toEqual(seqs.toSorted((left, right) => left - right));
    expect(events.filter(({ type, position }) => position === undefined && !UNPLACED.has(textOf(type))).map(({ type }) => type)).toEqual(
      [],
    );
    expect(eventsOfType(stdout, "run_start")).toMatchObject([{ name: "ordered", cwd: place.work, model: { model: "scripted" } }]);
    expect(lastEvent(stdout)).toMatchObject({ reply: "Two things happened.", usage: { inputTokens: 20, outputTokens: 10 } });
  });
});
