import { randomFillSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ok } from "../../../src/base/index.js";
import type { McpHub, McpHubDeps } from "../../../src/effect/mcp/index.js";
import type { McpServerSetting } from "../../../src/schema/index.js";
import { realClock } from "../support.js";

const stored = (): McpHubDeps["tokens"] => {
  const values = new Map<string, string>();
  return {
    load: async (server) => await Promise.resolve(ok(values.get(server))),
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

/** One of the small servers of this suite. */
export const script = (name: string): string => fileURLToPath(new URL(`./servers/${name}`, import.meta.url));

export const settled = async (hub: McpHub): Promise<void> => {
  await hub.settled(new AbortController().signal);
};

/** The text of an answer. */
export function textOf(reply: Awaited<ReturnType<McpHub["call"]>>): string {
  if (!reply.result.ok) throw new Error(`${reply.result.error.what} ${reply.result.error.why}`);
  return reply.result.value.content.map((part) => (part.type === "text" ? part.text : `<${part.type}>`)).join("\n");
}

/** Resolves when something of a hub's servers has come to be. */
export async function until(hub: McpHub, isReached: () => boolean): Promise<void> {
  if (isReached()) return;
  await new Promise<void>((resolve) => {
    const stop = hub.observe(() => {
      if (!isReached()) return;
      stop();
      resolve();
    });
  });
}

/** The same for what nobody tells of, such as a process or a file. Ends with the test's own time. */
export async function reached(isReached: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isReached())) await realClock.sleep(10);
}

/** Whether a process runs; one that waits to be collected does not. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/^[ZX]/u.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}
