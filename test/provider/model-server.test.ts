import { afterEach, describe, expect, test } from "vitest";
import { after, call, hang, say, startModelServer, type ModelServer } from "../support/model-server.js";
import { startModelServerProcess } from "../support/model-server-process.js";
import { strictComplaint } from "../support/model-server-strict.js";

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

const user = { messages: [{ role: "user", content: "hi" }] };

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
    const server = await startModelServerProcess({ replies: [{ say: "from afar", gate: "g" }], strict: true });
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

describe("strict mode", () => {
  const asked = {
    role: "assistant",
    content: "",
    tool_calls: [{ id: "c", type: "function", function: { name: "read", arguments: "{}" } }],
  };
  const result = { role: "tool", tool_call_id: "c", content: "x" };
  test.each([
    ["a paired call", [{ role: "user", content: "a" }, asked, result], undefined],
    ["a call without result", [{ role: "user", content: "a" }, asked], "tool calls without a result: c"],
    ["a user message between", [asked, { role: "user", content: "a" }], "messages[1]: results are missing for c"],
    ["a result nobody asked for", [result], 'messages[0]: result for a call nobody made: "c"'],
    ["null content", [{ role: "user", content: null }], "messages[0]: content is null"],
    [
      "a late system message",
      [
        { role: "user", content: "a" },
        { role: "system", content: "b" },
      ],
      "messages[1]: a system message must be first",
    ],
    [
      "arguments that are no object",
      [{ ...asked, tool_calls: [{ id: "c", function: { name: "read", arguments: "[1]" } }] }],
      "messages[0]: arguments of a tool call are not a JSON object",
    ],
  ])("%s", (_name, messages, complaint) => {
    expect(strictComplaint({ messages })).toBe(complaint);
  });
});
