import { randomFillSync } from "node:crypto";
import { ok } from "../../../src/base/index.js";
import type { McpHubDeps } from "../../../src/effect/mcp/index.js";
import type { McpServerSetting } from "../../../src/schema/index.js";
import { realClock } from "../support.js";

const stored = (): McpHubDeps["tokens"] => {
  const values = new Map<string, string>();
  return {
    load: async (server) => await Promise.resolve(values.get(server)),
    save: async (server, value) => {
      if (value === null) values.delete(server);
      else values.set(server, value);
      return await Promise.resolve(ok(undefined));
    },
  };
};

export const testHub = (deps: Partial<McpHubDeps> & Pick<McpHubDeps, "cacheDir" | "cwd">): McpHubDeps => ({
  clock: realClock,
  env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: deps.cwd },
  client: { name: "smith", version: "0.0.0" },
  secret: () => undefined,
  credential: () => Promise.reject(new Error("no credential in this suite")),
  tokens: stored(),
  conceal: (text) => text,
  onSecret: () => undefined,
  randomBytes: (into) => {
    randomFillSync(into);
  },
  ...deps,
});

const setting = (name: string, transport: McpServerSetting["transport"], more: Partial<McpServerSetting> = {}): McpServerSetting => ({
  name,
  transport,
  timeoutMs: 30_000,
  required: false,
  enabled: true,
  allow: [],
  deny: [],
  offer: "auto",
  source: { from: "user", file: "/config/mcp.json" },
  ...more,
});

/** A server that is a script of Node. */
export const stdioServer = (
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  more: Partial<McpServerSetting> = {},
): McpServerSetting => setting(name, { type: "stdio", command: process.execPath, args, env, inherit: [] }, more);

export const httpServer = (name: string, url: string, more: Partial<McpServerSetting> = {}): McpServerSetting =>
  setting(name, { type: "http", url, headers: {} }, more);
