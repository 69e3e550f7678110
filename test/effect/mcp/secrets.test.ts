import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createMcpHub, type McpHub } from "../../../src/effect/mcp/index.js";
import type { McpServerSetting } from "../../../src/schema/index.js";
import { createSecretProxy, type SecretProxy } from "../../../src/secret/index.js";
import { startServer, textResult } from "./http-server.js";
import { httpServer, settled, stdioServer, testHub, textOf } from "./support.js";

const KEY = "k9-VALUE-of-a-key";
let dir: string;
let open: { close(): Promise<void> }[];
let proxy: SecretProxy;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "smith-mcp-"));
  open = [];
  proxy = createSecretProxy();
});
afterEach(async () => {
  for (const one of open.reverse()) await one.close();
  await rm(dir, { recursive: true, force: true });
});

function makeHub(env: Readonly<Record<string, string>> = {}): McpHub {
  const hub = createMcpHub(
    testHub({
      ...{ cacheDir: join(dir, "cache"), cwd: dir, env: { PATH: process.env["PATH"] ?? "", ...env } },
      secret: (name) => (name === "STORED" ? KEY : undefined),
      conceal: (text) => proxy.conceal(text),
      onSecret: (name, value) => {
        proxy.register({ name, value, kind: "provider" });
      },
    }),
  );
  open.push(hub);
  return hub;
}
const { signal } = new AbortController();
type Transport = McpServerSetting["transport"];
const http = (url: string, headers: Readonly<Record<string, string>> = {}): Transport => ({ type: "http", url, headers });
const stdio = (more: object): Transport => ({ type: "stdio", command: "true", args: [], env: {}, inherit: [], ...more });

describe("why a server cannot be used shows no secret", () => {
  test.each([
    ["its program", stdio({ command: "/n/{secret:STORED}" })],
    ["its folder", stdio({ cwd: "/x/${MY_API_KEY}" })],
    ["its url", http("ftp://h/${MY_API_KEY}")],
    ["its url, where its end is cut off", http(`ftp://h/${"x".repeat(185)}\${MY_API_KEY}`)],
    ["its url that names one in clear", http(`ftp://u:${KEY}@h/?api_key=${KEY}`)],
  ])("that is in %s", async (_, transport) => {
    proxy.register({ name: "MY_API_KEY", value: KEY, kind: "variable" });
    const hub = makeHub({ MY_API_KEY: KEY });
    const setting: McpServerSetting = { ...stdioServer("s", []), transport };
    const checked = await hub.check(setting, signal);
    expect(checked).toMatchObject({ error: { code: "mcp.server-failed" } });
    hub.configure([setting]);
    await settled(hub);
    expect(hub.servers()[0]).toMatchObject({ state: "failed" });
    const told: unknown[] = [checked, hub.servers()];
    if (transport.type === "http") told.push(await hub.signIn(setting, { signal, onUrl: () => undefined }));
    expect(JSON.stringify(told)).not.toContain("k9-");
  });
});

describe("what a server says back of what it was sent is hidden", () => {
  /** A server that answers with what it was asked with. */
  const echo = async () => {
    const server = await startServer({
      on: ({ method, request }) =>
        method === "tools/call"
          ? textResult(`${request.url ?? ""} ${JSON.stringify(request.headers)}`)
          : method === "tools/list"
            ? { tools: [{ name: "echo", description: `${request.url ?? ""} ${JSON.stringify(request.headers)}` }] }
            : undefined,
    });
    open.push(server);
    return server;
  };
  const VALUES = { ZTOK: "ztok-4567-abcdef", PART: "part-4567-abcdef", TEAM: "alpha" };

  test.each([
    ["a key in the query of its url", "?api_key=QKEY1234567890", {}, "QKEY1234567890"],
    ["a variable there", "?token=${ZTOK}", {}, VALUES.ZTOK],
    ["a header that a variable fills in", "", { "X-Anything": "${ZTOK}" }, VALUES.ZTOK],
    ["a variable that is a part of one", "", { "X-Anything": "v1 ${PART}" }, VALUES.PART],
    ["what stands in for a variable", "", { "X-Anything": "${NONE:-standing-in-for}" }, "standing-in-for"],
    ["a secret in a header", "", { "X-Anything": "{secret:STORED}" }, KEY],
    ["a header named so", "", { "X-Key": "plain-but-a-key" }, "plain-but-a-key"],
    ["another one", "", { "X-My-Credential": "plain-but-secret" }, "plain-but-secret"],
  ])("%s", async (_, query, headers, value) => {
    const server = await echo();
    const setting = httpServer("web", server.url, { transport: http(`${server.url}${query}`, headers) });
    const hub = makeHub(VALUES);
    hub.configure([setting]);
    await settled(hub);
    const said = textOf(await hub.call({ server: "web", tool: "echo", args: {} }, { signal }));
    expect(said).toContain(value);
    expect(proxy.conceal(said)).not.toContain(value);
    // A check is read by a person, and nothing else hides what is in it.
    expect(JSON.stringify(await hub.check(setting, signal))).not.toContain(value);
  });

  test("but not what is no secret: ordinary words, and headers that just say something", async () => {
    const server = await echo();
    const headers = { "X-Team": "${TEAM}", "X-Version": "2026-01-01-preview" };
    const hub = makeHub(VALUES);
    hub.configure([httpServer("web", server.url, { transport: http(server.url, headers) })]);
    await settled(hub);
    const said = textOf(await hub.call({ server: "web", tool: "echo", args: {} }, { signal }));
    expect(proxy.conceal(said)).toBe(said);
    expect(said).toContain("2026-01-01-preview");
  });

  test("the password of its url, as it is sent", async () => {
    const server = await echo();
    const hub = makeHub();
    hub.configure([httpServer("web", server.url.replace("//", "//user:pass%2Fword-1@"))]);
    await settled(hub);
    const said = textOf(await hub.call({ server: "web", tool: "echo", args: {} }, { signal }));
    const sent = Buffer.from("user:pass/word-1").toString("base64");
    expect(said).toContain(sent);
    expect(proxy.conceal(`${said} pass/word-1`)).not.toMatch(new RegExp(`${sent}|pass/word-1`, "u"));
  });
});
