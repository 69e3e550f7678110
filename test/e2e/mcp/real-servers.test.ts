import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../../src/base/index.js";
import { calls, type RecordedRequest, say, type ScriptedCall } from "../../support/model-server.js";
import { createScripted, messagesOf, type Scripted } from "../support/scripted.js";
import { textOf } from "../support/smith.js";

const programOf = (name: string): string =>
  fileURLToPath(new URL(`../../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url));
const program = (name: string, ...args: readonly string[]): JsonObject => ({ command: process.execPath, args: [programOf(name), ...args] });

let here: Scripted | undefined;
let web: WebServer | undefined;
afterEach(async () => {
  await here?.quiet();
  await here?.close();
  here = undefined;
  await web?.close();
  web = undefined;
});

/** A project with these servers, whose model makes rounds of calls, then ends. */
async function makes(servers: JsonObject, script: (place: string) => readonly (readonly ScriptedCall[])[]): Promise<Scripted> {
  let rounds: readonly (readonly ScriptedCall[])[] = [];
  const place = await createScripted({
    script: (_request, n) => {
      const round = rounds[n];
      return round === undefined ? say("done") : calls(round.map((item, index) => ({ id: `call_${String(n)}_${String(index)}`, ...item })));
    },
  });
  here = place;
  rounds = script(place.work);
  place.file(".mcp.json", JSON.stringify({ mcpServers: servers }));
  return place;
}

/** Runs it in a trusted project and gives what the model was told, in the order of its calls. */
async function toldTo(place: Scripted): Promise<readonly string[]> {
  const { status, stderr } = await place.run(["eval", "--trust", "use them"]);
  expect([status, stderr, place.server.complaints]).toEqual([0, "", []]);
  const last = place.server.requests.at(-1);
  return (last === undefined ? [] : messagesOf(last)).filter(({ role }) => role === "tool").map(({ content }) => textOf(content));
}

const namesIn = ({ body }: RecordedRequest): readonly string[] => {
  const tools = Array.isArray(body["tools"]) ? body["tools"].filter(isJsonObject) : [];
  return tools.map(({ function: shown = {} }) => (isJsonObject(shown) ? textOf(shown["name"]) : ""));
};

interface WebServer {
  readonly url: string;
  close(): Promise<void>;
}

/** The official server with everything in it, over HTTP, where nobody is yet. */
async function startWeb(): Promise<WebServer> {
  const socket = createServer().listen(0, "127.0.0.1");
  await once(socket, "listening");
  const address = socket.address();
  const port = String(typeof address === "object" && address !== null ? address.port : 0);
  socket.close();
  await once(socket, "close");
  const child = spawn(process.execPath, [programOf("server-everything"), "streamableHttp"], {
    env: { PATH: process.env["PATH"] ?? "", PORT: port },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "exit");
  for await (const chunk of child.stderr.iterator({ destroyOnReturn: false })) if (String(chunk).includes("listening")) break;
  child.stderr.resume();
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

const ODD = "héllo \u2028 😀";
const everything: readonly ScriptedCall[] = [
  { name: "echo", args: { message: ODD } },
  { name: "get-sum", args: { a: 2, b: 40 } },
  { name: "get-sum", args: { a: "x" } },
  { name: "get-structured-content", args: { location: "New York" } },
  { name: "trigger-long-running-operation", args: { duration: 0.3, steps: 3 } },
  { name: "get-tiny-image", args: {} },
];

function expectEverything(told: readonly string[], request: RecordedRequest | undefined): void {
  const [echo, sum, wrong, structured, long, image] = told;
  expect(echo).toBe(`Echo: ${ODD}`);
  expect(sum).toContain("42");
  expect(wrong).toMatch(/^Error: .*(?:"b"|invalid)/isu);
  expect(JSON.parse(structured ?? "")).toMatchObject({ temperature: 33, conditions: "Cloudy" });
  expect(long).toMatch(/completed.*3/u);
  expect(image).not.toMatch(/iVBOR/u);
  // An image is seen as one.
  expect(request?.rawBody).toMatch(/"url":"data:image\/png;base64,iVBOR/u);
}

const callsTo = (server: string, list: readonly ScriptedCall[]): readonly ScriptedCall[] =>
  list.map(({ name, args }) => ({ name: `mcp__${server}__${name}`, args }));

describe("smith eval with servers people run", () => {
  test("everything over standard input and output: the model sees what the server answered", async () => {
    const place = await makes({ ev: { ...program("server-everything", "stdio"), offer: "always" } }, () => [callsTo("ev", everything)]);
    expectEverything(await toldTo(place), place.server.requests.at(-1));
    expect(place.server.requests.map((request) => namesIn(request).includes("mcp__ev__read_resource"))).toEqual([true, true]);
  });

  test("everything over HTTP: the same", async () => {
    web = await startWeb();
    const place = await makes({ ev: { type: "http", url: web.url, offer: "always" } }, () => [callsTo("ev", everything)]);
    expectEverything(await toldTo(place), place.server.requests.at(-1));
  });

  test("filesystem and memory side by side: files are read and written where they may be, facts kept for the next call", async () => {
    const servers = {
      files: { ...program("server-filesystem", "box"), offer: "always" },
      memory: { ...program("server-memory"), env: { MEMORY_FILE_PATH: "${HOME}/memory.json" }, offer: "always" },
    };
    const place = await makes(servers, (work) => [
      [
        ...callsTo("files", [
          { name: "read_text_file", args: { path: `${work}/box/note.txt` } },
          { name: "read_text_file", args: { path: `${work}/secret.txt` } },
          { name: "write_file", args: { path: `${work}/box/out.txt`, content: "a\r\nb" } },
        ]),
        ...callsTo("memory", [
          { name: "create_entities", args: { entities: [{ name: "smith", entityType: "agent", observations: ["lives in a terminal"] }] } },
        ]),
      ],
      callsTo("memory", [{ name: "search_nodes", args: { query: "terminal" } }]),
    ]);
    place.file("box/note.txt", "café 😀 line\n");
    place.file("secret.txt", "outside\n");
    const [read, outside, written, made, found] = await toldTo(place);
    expect(read).toContain("café 😀 line");
    expect(outside).toMatch(/^Error: .*denied/u);
    expect(outside).not.toContain("outside\n");
    expect(written).toContain("Success");
    expect(place.read("box/out.txt")).toBe("a\r\nb");
    expect([made, found].map((text) => text?.includes("smith"))).toEqual([true, true]);
    expect(readFileSync(`${place.home}/memory.json`, "utf8")).toContain("lives in a terminal");
  });

  test("tools of many servers wait for a search, and are called once it has found them; what is denied is never found", async () => {
    const servers = {
      ev: { ...program("server-everything", "stdio"), offer: "search", deny: ["get-env"] },
      memory: { ...program("server-memory"), env: { MEMORY_FILE_PATH: "${HOME}/memory.json" }, offer: "search" },
    };
    const place = await makes(servers, () => [
      [{ name: "tool_search", args: { query: "select:mcp__ev__get-sum,mcp__ev__get-env" } }],
      callsTo("ev", [{ name: "get-sum", args: { a: 20, b: 22 } }]),
    ]);
    const [found, sum] = await toldTo(place);
    expect(found).toContain("mcp__ev__get-sum");
    expect(sum).toContain("42");
    const offered = place.server.requests.map((request) => namesIn(request).filter((name) => name.startsWith("mcp__")));
    expect(offered).toEqual([[], ["mcp__ev__get-sum"], ["mcp__ev__get-sum"]]);
  });
});
