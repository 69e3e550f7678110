import { afterEach, describe, expect, test } from "vitest";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { type CallId, type EffectId, err, ok } from "../../src/base/index.js";
import type { CommandInfo } from "../../src/runtime/types.js";
import { fakeId } from "../support/fake-session.js";
import { problem, serve, type Served, type ServedSession, tool, turns } from "./bench.js";

let served: Served | undefined;
afterEach(async () => {
  await served?.close();
  served = undefined;
});

async function start(...args: Parameters<typeof serve>): Promise<Served> {
  served = await serve(...args);
  return served;
}

describe("what a server says of itself", () => {
  test("is what it can do, its version, its folder and its mode", async () => {
    const { client } = await start({ options: { mode: "plan" } });
    expect(client.getServerCapabilities()).toEqual({
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      logging: {},
      completions: {},
    });
    expect(client.getServerVersion()).toEqual({ name: "smith", title: "smith", version: "1.2.3" });
    expect(client.getInstructions()).toContain("/work/project");
    expect(client.getInstructions()).toContain("access mode is plan");
  });
});

describe("parameters that do not fit", () => {
  test.each<[string, Record<string, unknown>]>([
    ["tools/call", { arguments: {} }],
    ["tools/call", { name: "read", arguments: [] }],
    ["logging/setLevel", { level: "loud" }],
    ["resources/read", {}],
    ["completion/complete", { ref: { type: "ref/nothing" }, argument: { name: "id", value: "" } }],
  ])("%s is answered as such, in a line", async (method, params) => {
    const { client } = await start();
    const answer = client.request({ method, params }, z.looseObject({}));
    await expect(answer).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(new RegExp(`^MCP error -32602: Invalid params of ${method}: [^\\n]{5,300}$`, "u")) as string,
    });
    await client.ping();
  });
});

describe("diagnostics", () => {
  test("reach the client by their severity, from the level on that it sets", async () => {
    const here = await start();
    here.tell(problem({ severity: "warning" }));
    await here.noticed("notifications/message");
    await here.client.setLoggingLevel("error");
    here.tell(problem({ severity: "warning", what: "Unheard." }));
    here.tell(problem({ severity: "error", what: "Heard." }));
    await here.noticed("notifications/message", 2);
    const data = (what: string) => ({ code: "test.failed", message: `${what}\nBecause.\nTry again.` });
    expect(here.notices.map(({ params }) => params)).toEqual([
      { level: "warning", logger: "smith", data: data("It failed.") },
      { level: "error", logger: "smith", data: data("Heard.") },
    ]);
  });

  test("reach nobody after the end", async () => {
    const here = await start();
    here.abort();
    await here.ended;
    here.tell(problem());
    here.changeContributions();
    await turns();
    expect([here.notices, here.troubles]).toEqual([[], []]);
  });
});

describe("prompts", () => {
  const command = (name: string, fields: Partial<CommandInfo> = {}): CommandInfo => ({
    ...{ name, aliases: [], plugin: "acme.x", description: `does ${name}`, resource: "prompt" },
    ...fields,
  });
  const { resource: _none, ...plain } = command("undo");
  const contributions = () => ({
    ...{ generation: 1, themes: [], keys: [], tools: [], resources: [], plugins: [] },
    commands: [command("review", { usage: "FILE" }), command("tidy"), plain],
  });

  test("are what is made of collected files, with what is written behind their name", async () => {
    const asked: unknown[] = [];
    const { client } = await start({
      runtime: {
        contributions,
        prompt: async (name, args) => {
          asked.push([name, args]);
          return await Promise.resolve(name === "review" ? ok(`Review ${args}`) : err(problem()));
        },
      },
    });
    expect((await client.listPrompts()).prompts).toEqual([
      {
        ...{ name: "review", title: "/review", description: "does review" },
        arguments: [{ name: "arguments", description: "As after /review: FILE", required: false }],
      },
      { name: "tidy", title: "/tidy", description: "does tidy" },
    ]);
    expect(await client.getPrompt({ name: "review", arguments: { arguments: "a.ts" } })).toEqual({
      description: "does review",
      messages: [{ role: "user", content: { type: "text", text: "Review a.ts" } }],
    });
    await expect(client.getPrompt({ name: "tidy" })).rejects.toMatchObject({ code: -32603, data: { code: "test.failed" } });
    await expect(client.getPrompt({ name: "undo" })).rejects.toMatchObject({ code: -32602 });
    await expect(client.getPrompt({ name: "review", arguments: { file: "a" } })).rejects.toMatchObject({ code: -32602 });
    expect(asked).toEqual([
      ["review", "a.ts"],
      ["tidy", ""],
    ]);
  });
});

describe("what is asked of a person", () => {
  const capabilities = { elicitation: {} };
  const approval = { type: "approval", name: "write", argsSummary: "a.txt", args: {}, why: "a rule" } as const;

  /** A call that is asked about as soon as it runs, and ends with the answer. */
  async function asking(given: Parameters<typeof serve>[0], emit: (session: ServedSession) => void): Promise<Served> {
    const here = await start({ tools: [tool("write", false)], ...given });
    await expect(here.client.callTool({ name: "write", arguments: {} })).rejects.toThrow();
    const [session] = here.sessions;
    if (session === undefined) throw new Error("there is a session");
    session.onTool = async () => {
      emit(session);
      await settledIn(session);
      return ok({ text: "done", isError: false, omittedBytes: 0, mutation: "not-applied" });
    };
    return here;
  }

  const settledIn = async (session: ServedSession): Promise<void> => {
    await new Promise<void>((resolve) => {
      const unobserve = session.observe(({ type }) => {
        if (type !== "approval_settled" && type !== "question_settled") return;
        unobserve();
        resolve();
      });
    });
  };

  test.each([
    ["once", { action: "accept", content: { verdict: "once" } }, "once"],
    ["for the session", { action: "accept", content: { verdict: "session" } }, "session"],
    ["no", { action: "accept", content: { verdict: "deny" } }, "deny"],
    ["another word", { action: "accept", content: { verdict: "project" } }, "deny"],
    ["nothing", { action: "accept" }, "deny"],
    ["that it declines", { action: "decline" }, "deny"],
    ["that it goes away", { action: "cancel" }, "deny"],
  ] as const)("about a call and answered with %s", async (_name, answer, verdict) => {
    const id = fakeId<CallId>();
    const here = await asking({ capabilities }, (session) => {
      session.emit({ ...approval, id });
    });
    const asked: string[] = [];
    here.client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message);
      return { ...answer };
    });
    await here.client.callTool({ name: "write", arguments: {} });
    expect(here.opened[0]?.interactive).toBe(true);
    expect(here.sessions[0]?.called("answer")).toEqual([[id, verdict]]);
    expect(asked).toEqual(["smith wants to run write a.txt\na rule"]);
  });

  test("by a plugin is answered in its own kind", async () => {
    const id = fakeId<EffectId>();
    const here = await asking({ capabilities }, (session) => {
      session.emit({ type: "question", id, plugin: "acme.x", question: { type: "confirm", text: "Sure?" } });
    });
    here.client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { answer: true } }));
    await here.client.callTool({ name: "write", arguments: {} });
    expect(here.sessions[0]?.called("answerQuestion")).toEqual([[{ type: "confirmed", yes: true }]]);
  });

  test("and refused by the client with an error is denied, and told", async () => {
    const here = await asking({ capabilities }, (session) => {
      session.emit({ ...approval, id: fakeId<CallId>() });
    });
    here.client.setRequestHandler(ElicitRequestSchema, () => {
      throw new Error("no screen");
    });
    await here.client.callTool({ name: "write", arguments: {} });
    expect(here.sessions[0]?.called("answer")).toMatchObject([[expect.anything(), "deny"]]);
    expect(here.troubles).toEqual([expect.stringContaining("the client could not ask its person")]);
  });

  test("and settled otherwise is taken back from the client", async () => {
    const id = fakeId<CallId>();
    const here = await asking({ capabilities }, (session) => {
      session.emit({ ...approval, id });
    });
    let takenBack: Promise<void> | undefined;
    here.client.setRequestHandler(ElicitRequestSchema, async (_request, { signal }) => {
      takenBack = new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          resolve();
        });
      });
      here.sessions[0]?.emit({ type: "approval_settled", id, allowed: false });
      await takenBack;
      return { action: "cancel" };
    });
    await here.client.callTool({ name: "write", arguments: {} });
    await takenBack;
    expect(here.troubles).toEqual([]);
  });
});
