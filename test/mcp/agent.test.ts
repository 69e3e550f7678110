import { afterEach, describe, expect, test } from "vitest";
import { type CallId, err, ok, type SessionId } from "../../src/base/index.js";
import type { Inspection } from "../../src/runtime/index.js";
import type { Entry } from "../../src/schema/index.js";
import { answer, assistantStart, fakeId } from "../support/fake-session.js";
import { CWD, problem, serve, type Served, ServedSession, textOf, turns } from "./bench.js";

let served: Served | undefined;
afterEach(async () => {
  await served?.close();
  served = undefined;
});

async function start(...args: Parameters<typeof serve>): Promise<Served> {
  served = await serve(...args);
  return served;
}

interface Asked {
  readonly prompt: string;
  readonly session?: string;
  readonly model?: string;
}

function ask({ client }: Served, args: Asked, options: Parameters<Served["client"]["callTool"]>[2] = {}) {
  const calling = client.callTool({ name: "agent", arguments: { ...args } }, undefined, options);
  // Whoever waits for it hears of its failure.
  calling.catch(() => undefined);
  return calling;
}

/** The session of a prompt that runs. */
async function running(here: Served, prompts = 1): Promise<ServedSession> {
  while (here.sessions.length === 0) await turns(1);
  const [session] = here.sessions;
  if (session === undefined) throw new Error("there is a session");
  await session.submitted(prompts);
  return session;
}

describe("a prompt", () => {
  test("runs in a session of its own and is answered with its reply and how it went", async () => {
    const here = await start({ options: { mode: "read-only", tools: ["read"] } });
    const asked = ask(here, { prompt: " do it " });
    const session = await running(here);
    session.end({ reply: "It is done.", usage: { inputTokens: 3, outputTokens: 5 }, cost: 0.25 });
    expect(await asked).toEqual({
      content: [{ type: "text", text: "It is done." }],
      structuredContent: {
        session: session.id,
        status: "ok",
        reason: "done",
        usage: { inputTokens: 3, outputTokens: 5 },
        cost: 0.25,
      },
      isError: false,
    });
    expect(session.called("submit")).toEqual([["do it", "follow-up"]]);
    expect(here.opened).toEqual([{ mode: "read-only", tools: ["read"], interactive: false }]);
    expect(session.isClosed).toBe(true);
    await here.noticed("notifications/resources/list_changed", 2);
  });

  test.each([
    [
      "an end without words",
      { status: "maxTurns", reason: "rounds", reply: "So far." } as const,
      "So far.\n\nThe run ended: maxTurns, rounds.",
    ],
    ["a failure", { status: "error", reason: "done", error: problem() } as const, "It failed.\nBecause.\nTry again."],
  ])("that came to %s is an error that says so", async (_name, end, words) => {
    const here = await start();
    const asked = ask(here, { prompt: "x" });
    (await running(here)).end(end);
    expect(await asked).toMatchObject({ isError: true, structuredContent: { status: end.status } });
    expect(textOf(await asked)).toBe(words);
  });

  test("tells its session, its rounds, its calls and its text as they come", async () => {
    const here = await start();
    const told: string[] = [];
    const asked = ask(here, { prompt: "x" }, { onprogress: ({ message }) => told.push(message ?? "") });
    const session = await running(here);
    await turns();
    const call = fakeId<CallId>();
    session.emit(
      assistantStart(),
      { type: "assistant_delta", text: "I " },
      { type: "assistant_delta", text: "read." },
      { type: "tool_start", id: call, name: "read", args: {}, argsSummary: "a.txt" },
      {
        type: "tool_end",
        id: call,
        name: "read",
        result: "one",
        isError: false,
        resultSummary: "1 line",
        mutation: "not-applied",
        durationMs: 1,
      },
      assistantStart(),
      { type: "assistant_delta", text: "y".repeat(200) },
      answer("y"),
    );
    session.end();
    await asked;
    expect(told).toEqual([`session ${session.id}`, "round 1", "I read.", "read a.txt", "read: done, 1 line", "round 2", "y".repeat(200)]);
  });

  test("is asked of the model it names, and is not asked at all where there is none", async () => {
    const here = await start();
    const asked = ask(here, { prompt: "x", model: "fast" });
    const session = await running(here);
    expect(session.calls.map(({ name }) => name)).toEqual(["setModel", "submit"]);
    expect(session.called("setModel")).toEqual([["fast"]]);
    session.setModel = async () => await Promise.resolve(err(problem({ what: "There is no model slow." })));
    const refused = ask(here, { prompt: "y", model: "slow", session: session.id });
    await turns();
    session.end();
    await asked;
    expect(textOf(await refused)).toContain("There is no model slow.");
    expect(session.prompts).toEqual(["x"]);
  });

  test.each([
    ["no prompt", {}],
    ["an empty one", { prompt: "  " }],
    ["something of another kind", { prompt: 7 }],
    ["what is not known", { prompt: "x", mode: "auto" }],
  ])("with %s is an error, and no session is made", async (_name, args) => {
    const here = await start();
    const result = await here.client.callTool({ name: "agent", arguments: args });
    expect(textOf(result)).toMatch(/^Invalid arguments for agent/u);
    expect([result.isError, here.sessions.length]).toEqual([true, 0]);
  });

  test("for a session that is not there is an error with its name", async () => {
    const here = await start();
    const result = await here.client.callTool({ name: "agent", arguments: { prompt: "x", session: "ffff" } });
    expect(textOf(result)).toContain("There is no session ffff of this folder.");
    expect(result.isError).toBe(true);
  });
});

describe("a session of a file", () => {
  const told = (cwd: string) =>
    async function* (): ReturnType<Inspection["entries"]> {
      yield await Promise.resolve(ok({ type: "session-info", cwd } as Entry));
    };
  const kept = fakeId<SessionId>();
  const resolve = async () => await Promise.resolve(ok(kept));

  test("is gone on in when it is of this folder and named by its whole id", async () => {
    const session = new ServedSession();
    const open = async () => await Promise.resolve(ok(session));
    const here = await start({ inspection: { entries: told(CWD) }, runtime: { resolve, open } });
    const asked = ask(here, { prompt: "go on", session: kept });
    await session.submitted(1);
    session.end({ reply: "gone on" });
    expect(textOf(await asked)).toBe("gone on");
  });

  test.each([
    ["of another folder", "/work/other", kept],
    ["named by an end of its id, which can be guessed", CWD, kept.slice(-4)],
  ])("%s is not there", async (_name, cwd, name) => {
    const here = await start({ inspection: { entries: told(cwd) }, runtime: { resolve } });
    const result = await here.client.callTool({ name: "agent", arguments: { prompt: "x", session: name } });
    expect(textOf(result)).toContain(`There is no session ${name} of this folder.`);
    expect([result.isError, here.sessions.length]).toEqual([true, 0]);
  });
});

describe("prompts of one session", () => {
  test("run one after another, and it is closed after the last", async () => {
    const here = await start();
    const first = ask(here, { prompt: "one" });
    const session = await running(here);
    const second = ask(here, { prompt: "two", session: session.id });
    const third = ask(here, { prompt: "three", session: session.id });
    await here.client.ping();
    await turns();
    expect(session.prompts).toEqual(["one"]);
    session.end({ reply: "1" });
    expect(textOf(await first)).toBe("1");
    await session.submitted(2);
    expect([session.prompts, session.isClosed]).toEqual([["one", "two"], false]);
    session.end({ reply: "2" });
    await session.submitted(3);
    session.end({ reply: "3" });
    expect([textOf(await second), textOf(await third)]).toEqual(["2", "3"]);
    expect(session.isClosed).toBe(true);
  });

  test("are not aborted by the cancellation of one that waits, which is never submitted", async () => {
    const here = await start();
    const first = ask(here, { prompt: "one" });
    const session = await running(here);
    const controller = new AbortController();
    const second = ask(here, { prompt: "two", session: session.id }, { signal: controller.signal });
    const third = ask(here, { prompt: "three", session: session.id });
    await here.client.ping();
    controller.abort();
    await expect(second).rejects.toThrow();
    await here.client.ping();
    expect(session.called("abort")).toEqual([]);
    session.end({ reply: "1" });
    expect(textOf(await first)).toBe("1");
    await session.submitted(2);
    expect(session.prompts).toEqual(["one", "three"]);
    session.end({ reply: "3" });
    expect(textOf(await third)).toBe("3");
  });

  test("go on when one that ran is cancelled, and that one is aborted", async () => {
    const here = await start();
    const controller = new AbortController();
    const first = ask(here, { prompt: "one" }, { signal: controller.signal });
    const session = await running(here);
    const second = ask(here, { prompt: "two", session: session.id });
    await here.client.ping();
    controller.abort();
    await expect(first).rejects.toThrow();
    await session.submitted(2);
    expect([session.prompts, session.called("abort").length]).toEqual([["one", "two"], 1]);
    session.end({ reply: "2" });
    expect(textOf(await second)).toBe("2");
  });
});

describe("the end of the server", () => {
  test.each([
    ["its signal", (here: Served) => here.abort()],
    ["an output nobody reads", (here: Served) => here.breakOutput()],
  ])("by %s closes the sessions in which prompts run", async (_name, end) => {
    const here = await start();
    ask(here, { prompt: "one" }).catch(() => undefined);
    const session = await running(here);
    end(here);
    await here.ended;
    expect(session.isClosed).toBe(true);
  });

  test("by the end of its input lets quick answers out and waits no longer for slow ones", async () => {
    const here = await start();
    ask(here, { prompt: "one" }).catch(() => undefined);
    const session = await running(here);
    const answered = here.client.ping();
    here.endInput();
    await answered;
    await here.ended;
    expect(session.isClosed).toBe(true);
  });
});
