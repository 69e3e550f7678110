/**
 * The hub as the official harness drives a client: `driver URL`, the scenario in MCP_CONFORMANCE_SCENARIO. Signs in as a browser would that
 * agrees to everything, and calls every tool there is once.
 */
import { randomFillSync } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type JsonObject, type JsonValue, ok } from "../../../../src/base/index.js";
import { createMcpHub } from "../../../../src/effect/mcp/index.js";
import type { Diagnostic, McpServerSetting, McpToolInfo } from "../../../../src/schema/index.js";
import { realClock } from "../../support.js";

const url = process.argv.at(-1) ?? "";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as { client_id?: string; client_secret?: string };
const dir = mkdtempSync(join(tmpdir(), "smith-conformance-"));
const kept = new Map<string, string>();
const hub = createMcpHub({
  clock: realClock,
  env: { PATH: process.env["PATH"] ?? "" },
  cwd: dir,
  cacheDir: join(dir, "cache"),
  client: { name: "smith", version: "0.0.0" },
  secret: () => undefined,
  credential: () => Promise.reject(new Error("no credential here")),
  tokens: {
    load: async (server) => await Promise.resolve(ok(kept.get(server))),
    save: async (server, value) => {
      kept.set(server, value ?? "");
      return await Promise.resolve(ok(undefined));
    },
  },
  conceal: (text) => text,
  onSecret: () => undefined,
  randomBytes: (into) => {
    randomFillSync(into);
  },
});
const { client_id: clientId, client_secret: clientSecret } = context;
const known = clientSecret === undefined ? {} : { clientSecret };
const oauth = clientId === undefined ? {} : { oauth: { clientId, ...known } };
const setting: McpServerSetting = {
  ...{ name: "judge", transport: { type: "http", url, headers: {}, ...oauth } },
  ...{ timeoutMs: 20_000, required: false, enabled: true, allow: [], deny: [], offer: "auto" },
  source: { from: "user", file: "/mcp.json" },
};
const { signal } = new AbortController();

const tell = ({ what, why }: Diagnostic): void => {
  process.stderr.write(`${what} ${why}\n`);
};

async function signIn(): Promise<boolean> {
  const done = await hub.signIn(setting, {
    signal,
    onUrl: (address) => {
      fetch(address).catch(() => undefined);
    },
  });
  if (!done.ok) tell(done.error);
  return done.ok && (await hub.reconnect("judge", { signal })).ok;
}

const EXAMPLES: Readonly<Record<string, string | number | boolean>> = { string: "x", number: 2, integer: 2, boolean: true };

const otherSchema = ({ name }: McpToolInfo): JsonValue => hub.servers()[0]?.tools.find((tool) => tool.name !== name)?.inputSchema ?? {};

function argsFor(tool: McpToolInfo): JsonObject {
  const { properties = {} } = tool.inputSchema as { properties?: Record<string, { type?: string }> };
  return Object.fromEntries(
    // An object is another tool's schema, which the harness wants to see again.
    Object.entries(properties).map(([name, { type = "string" }]) => [
      name,
      type === "object" ? otherSchema(tool) : (EXAMPLES[type] ?? "x"),
    ]),
  );
}

async function callAll(): Promise<boolean> {
  let isWell = true;
  for (const tool of hub.servers()[0]?.tools ?? []) {
    const input = { server: "judge", tool: tool.name, args: argsFor(tool) };
    let answer = await hub.call(input, { signal });
    for (let tries = 1; tries < 3 && !answer.result.ok && answer.result.error.code === "mcp.sign-in-needed"; tries += 1)
      if (await signIn()) answer = await hub.call(input, { signal });
    if (!answer.result.ok) tell(answer.result.error);
    isWell &&= answer.result.ok;
  }
  return isWell;
}

hub.configure([setting]);
await hub.settled(signal);
const isIn = hub.servers()[0]?.state !== "sign-in" || (await signIn());
const isWell = isIn && hub.servers()[0]?.state === "connected" && (await callAll());
await hub.close();
rmSync(dir, { recursive: true, force: true });
process.exitCode = isWell ? 0 : 1;
