import { afterEach, describe, expect, test } from "vitest";
import { after, call, hang, say, startModelServer, type ModelServer } from "../support/model-server.js";
import { startModelServerProcess } from "../support/model-server-process.js";
import { APIS } from "../support/vendors/index.js";

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function start(options: Parameters<typeof startModelServer>[0]): Promise<ModelServer> {
  const server = await startModelServer(options);
  servers.push(server);
  return server;
}

const post = (url: string, body: unknown, signal?: AbortSignal): Promise<Response> =>
  fetch(`${url}/chat/completions`, { method: "POST", body: JSON.stringify(body), ...(signal === undefined ? {} : { signal }) });

const user = { model: "m", messages: [{ role: "user", content: "hi" }] };

describe("scripted model server", () => {
  test("a script is used up in order and goes on with `done`", async () => {
    const server = await start({ script: [call("read", { path: "a" })] });
    expect(await (await post(server.url, user)).text()).toContain('"name":"read"');
    expect(await (await post(server.url, user)).text()).toContain('"content":"done"');
    expect(server.requests.map((request) => request.path)).toEqual(["/v1/chat/completions", "/v1/chat/completions"]);
    expect(server.requests[0]?.body).toEqual(user);
  });

  test("a gate holds the stream where it stands, and an abort of the client is seen", async () => {
    const server: ModelServer = await start({ script: () => after(server.gate("head"), say("abcd", { before: server.gate("go") })) });
    const asked = post(server.url, user);
    await server.request(0);
    server.open("head");
    const response = await asked;
    server.open("go");
    expect(await response.text()).toContain('"content":"abcd"');
    const hanging = await start({ script: [hang()] });
    const abort = new AbortController();
    const pending = post(hanging.url, user, abort.signal).catch((error: unknown) => error);
    const recorded = await hanging.request(0);
    abort.abort();
    await recorded.closed;
    expect(await pending).toBeInstanceOf(Error);
  });

  test("as a process it serves the same script and tells what was asked", async () => {
    const server = await startModelServerProcess({ replies: [{ say: "from afar", gate: "g" }] });
    try {
      const pending = post(server.url, user);
      await server.open("g");
      expect(await (await pending).text()).toContain("from");
      expect(await server.asked()).toMatchObject({ requests: [{ path: "/v1/chat/completions" }], complaints: [] });
    } finally {
      await server.stop();
    }
  });
});

describe("a server that refuses what its vendor refuses", () => {
  const PATHS = {
    chat: "/chat/completions",
    anthropic: "/messages",
    responses: "/responses",
    google: "/models/gemini-3.8-flash:generateContent",
  } as const;

  test.each(APIS)("%s: an empty conversation is refused with words, and fails who closes the server", async (api) => {
    const server = await startModelServer({ script: [] });
    const response = await fetch(`${server.url}${PATHS[api]}`, { method: "POST", body: JSON.stringify({ model: "m" }) });
    expect(response.status).toBe(400);
    expect(server.complaints.length).toBeGreaterThan(0);
    expect(await response.text()).toContain(server.complaints[0]);
    await expect(server.close()).rejects.toThrow(server.complaints[0]);
  });

  test("to tell is enough for who asks wrongly on purpose", async () => {
    const server = await start({ script: [], strict: "tell" });
    expect((await post(server.url, { model: "m", messages: [] })).status).toBe(400);
    expect(server.complaints).toEqual(["messages must be a list that is not empty"]);
  });
});
