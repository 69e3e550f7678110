import { describe, expect, test } from "vitest";
import { readMcpServers } from "../../../src/config/mcp/index.js";
import { parseKdl } from "../../../src/config/file/index.js";
import type { ConfigFile } from "../../../src/config/types.js";

const json = (text: unknown, from: "user" | "project" = "user") => ({
  path: `/${from}/mcp.json`,
  from,
  text: typeof text === "string" ? text : JSON.stringify(text),
});

async function kdl(text: string, layer: ConfigFile["layer"] = "user"): Promise<ConfigFile> {
  const parsed = await parseKdl(`/${layer}/config.kdl`, text);
  if (!parsed.ok) throw new Error(parsed.error.map(({ what }) => what).join());
  return { path: `/${layer}/config.kdl`, layer, nodes: parsed.value };
}

const DEFAULTS = { timeoutMs: 30_000, required: false, enabled: true, allow: [], deny: [], offer: "auto" };

describe("servers of a mcp.json", () => {
  test("are started by a command or reached at a url, as other clients write them", () => {
    const { servers, diagnostics } = readMcpServers(
      [],
      [
        json({
          mcpServers: {
            files: {
              command: "npx",
              args: ["-y", "server"],
              env: { DEBUG: true, LEVEL: 3, KEY: "{secret:KEY}" },
              cwd: "sub",
              description: "other's word",
            },
            docs: { type: "http", url: "https://docs.example/mcp", headers: { "X-Team": "a" }, bearerTokenEnv: "DOCS_TOKEN" },
            list: {
              command: ["node", "a.js"],
              args: ["b"],
              disabled: true,
              timeout: 5000,
              allow: ["get_*"],
              deny: ["get_all"],
              offer: "search",
              required: true,
            },
          },
        }),
      ],
    );
    expect(diagnostics).toEqual([]);
    const source = { from: "user", file: "/user/mcp.json" };
    expect(servers).toEqual([
      {
        ...DEFAULTS,
        name: "docs",
        transport: {
          type: "http",
          url: "https://docs.example/mcp",
          headers: { "X-Team": "a" },
          bearer: { type: "env", names: ["DOCS_TOKEN"] },
        },
        source,
      },
      {
        ...DEFAULTS,
        name: "files",
        transport: {
          type: "stdio",
          command: "npx",
          args: ["-y", "server"],
          env: { DEBUG: "true", LEVEL: "3", KEY: "{secret:KEY}" },
          inherit: [],
          cwd: "sub",
        },
        source,
      },
      {
        name: "list",
        transport: { type: "stdio", command: "node", args: ["a.js", "b"], env: {}, inherit: [] },
        ...{ timeoutMs: 5_000, required: true, enabled: false, allow: ["get_*"], deny: ["get_all"], offer: "search" },
        source,
      },
    ]);
  });

  test.each(["${MCP_URL}", "${BASE:-https://docs.example}/mcp", "http://127.0.0.1:${PORT}/mcp", "https://{secret:HOST}/mcp"])(
    "may be reached at %s, which is an address once it is filled in",
    async (url) => {
      const file = await kdl(`mcp {\n  server "b" { url ${JSON.stringify(url)}; }\n}`);
      const { servers, diagnostics } = readMcpServers([file], [json({ mcpServers: { a: { url } } })]);
      expect(diagnostics).toEqual([]);
      expect(servers.map(({ transport }) => transport.type === "http" && transport.url)).toEqual([url, url]);
    },
  );

  test.each([
    ["no command", {}, "it needs a command to start, or a url to reach"],
    ["arguments that are no list", { command: "x", args: "y" }, "args must be a list of texts"],
    ["an address of another kind", { url: "ftp://x" }, 'url must be an http or https address, not "ftp://x"'],
    ["the old transport", { type: "sse", url: "https://x" }, "type sse is the old transport"],
    ["a header that is none", { url: "https://x", headers: { "a b": "c" } }, '"a b" in headers is not the name of a header'],
    ["a timeout in seconds", { command: "x", timeout: 30 }, "timeout must be milliseconds from 1000 to 3600000"],
    ["another offer", { command: "x", offer: "never" }, "offer must be one of auto, always, search"],
    ["no object", 3, "it must be an object"],
  ])("one with %s is told, and the others are used", (_, server, problem) => {
    const { servers, diagnostics } = readMcpServers([], [json({ mcpServers: { bad: server, good: { command: "x" } } })]);
    expect(servers.map(({ name }) => name)).toEqual(["good"]);
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]).toMatchObject({
      code: "config.bad-mcp-server",
      severity: "warning",
      source: { type: "file", path: "/user/mcp.json" },
    });
    expect(diagnostics[0]?.what).toContain(problem);
  });

  test.each(["", "{", "[]", '{ "mcpServers": 3 }'])("a file that holds %j is an error with its place", (text) => {
    expect(readMcpServers([], [json(text)])).toMatchObject({
      servers: [],
      diagnostics: [{ code: "config.bad-mcp-json", source: { type: "file", path: "/user/mcp.json" } }],
    });
  });

  test.each(["a b", "", 'a"b', "x".repeat(101)])("the name %j is refused", (name) => {
    expect(readMcpServers([], [json({ mcpServers: { [name]: { command: "x" } } })]).diagnostics[0]?.what).toContain("its name must be");
  });
});

describe("servers of a mcp block", () => {
  test("have every field a file of other clients has", async () => {
    const file = await kdl(`mcp {
      server "files" {
        command "npx" "-y" "server"
        cwd "sub"
        env KEY="{secret:KEY}" LEVEL="3"
        inherit "NODE_*" "HTTP_PROXY"
        timeout 5000
        required #true
        allow "get_*"
        deny "get_all"
        offer "always"
      }
      server "docs" {
        url "https://docs.example/mcp"
        header "X-Team" "a"
        bearer command="pass docs"
        oauth client-id="abc" scopes="read,write" callback-port=8912
        enabled #false
      }
    }`);
    const { servers, diagnostics } = readMcpServers([file], []);
    expect(diagnostics).toEqual([]);
    expect(servers).toEqual([
      {
        ...DEFAULTS,
        name: "docs",
        enabled: false,
        transport: {
          type: "http",
          url: "https://docs.example/mcp",
          headers: { "X-Team": "a" },
          bearer: { type: "command", command: "pass docs" },
          oauth: { clientId: "abc", scopes: ["read", "write"], callbackPort: 8912 },
        },
        source: { from: "user", file: "/user/config.kdl", line: 13 },
      },
      {
        name: "files",
        ...{ timeoutMs: 5_000, required: true, enabled: true, allow: ["get_*"], deny: ["get_all"], offer: "always" },
        transport: {
          type: "stdio",
          command: "npx",
          args: ["-y", "server"],
          env: { KEY: "{secret:KEY}", LEVEL: "3" },
          inherit: ["NODE_*", "HTTP_PROXY"],
          cwd: "sub",
        },
        source: { from: "user", file: "/user/config.kdl", line: 2 },
      },
    ]);
  });

  test.each([
    ["both a command and a url", `command "x"; url "https://x"`, "server a cannot be used"],
    ["neither", `timeout 5000`, "server a cannot be used"],
    ["a field of the other kind", `command "x"; header "A" "b"`, "header of a cannot be used"],
    ["an unknown word", `command "x"; comand "y"`, "unknown node comand"],
    ["a field twice", `command "x"; timeout 5000; timeout 6000`, "timeout of a cannot be used"],
    ["a flag that is a text", `command "x"; required "yes"`, "required cannot be used"],
  ])("one with %s is told with its place, and the others are used", async (_, body, what) => {
    const { servers, diagnostics } = readMcpServers([await kdl(`mcp {\n  server "a" { ${body}; }\n  server "b" { command "y"; }\n}`)], []);
    expect(servers.map(({ name }) => name)).toEqual(["b"]);
    expect(diagnostics[0]).toMatchObject({ what, source: { type: "file", path: "/user/config.kdl", line: 2 } });
  });
});

test("of two servers with one name that of the project counts, and a config.kdl over a mcp.json", async () => {
  const server = (command: string) => ({ mcpServers: { a: { command } } });
  const block = (command: string) => `mcp { server "a" { command "${command}"; }; }`;
  const commandOf = (files: Parameters<typeof readMcpServers>): unknown => {
    const [first] = readMcpServers(...files).servers;
    return first?.transport.type === "stdio" ? first.transport.command : undefined;
  };
  const user = { json: json(server("user-json")), kdl: await kdl(block("user-kdl")) };
  const project = { json: json(server("project-json"), "project"), kdl: await kdl(block("project-kdl"), "project") };
  expect(commandOf([[], [user.json]])).toBe("user-json");
  expect(commandOf([[user.kdl], [user.json]])).toBe("user-kdl");
  expect(commandOf([[user.kdl], [user.json, project.json]])).toBe("project-json");
  expect(
    commandOf([
      [project.kdl, user.kdl],
      [project.json, user.json],
    ]),
  ).toBe("project-kdl");
});
