import { join } from "node:path";
import { err, type JsonObject, ok, type Result } from "../../base/index.js";
import type { Credentials } from "../../credential/index.js";
import { createMcpHub, createShellLines, type McpChange, type McpHub, type McpPort } from "../../effect/index.js";
import type { OfferedSet, PluginHost } from "../../plugin/index.js";
import type { CredentialSource, Diagnostic, McpServerSetting, McpServerView } from "../../schema/index.js";
import type { RuntimeDeps } from "../deps.js";
import type { Secrets } from "../secrets/index.js";
import { mcpCredentialFailed, mcpCredentialMissing, noServer } from "./diagnostics.js";
import { createMcpTokens } from "./tokens.js";
import { createToolSets } from "./tool-sets.js";

export interface ServerPorts {
  readonly deps: RuntimeDeps;
  readonly host: PluginHost;
  readonly secrets: Pick<Secrets, "conceal" | "learn" | "named">;
  readonly credentials: Pick<Credentials, "ready" | "value">;
  readonly publish: (sets: readonly OfferedSet[]) => void;
}

/** The servers of one runtime. */
export interface Servers {
  readonly port: McpPort;
  /**
   * Resolves when every server is as ready as it is waited for, and what they list is offered. The result is why a required one cannot be
   * used. At once where there are none.
   */
  ready(signal: AbortSignal): Promise<Result<void, Diagnostic>>;
  /** Told of what happens to a server. */
  observe(listener: (change: McpChange) => void): () => void;
  /** What is configured from now on. */
  configure(settings: readonly McpServerSetting[]): void;
  close(): Promise<void>;
  killNow(): void;
}

/** Nothing is started, read or loaded where no server is configured. */
export function createServers(ports: ServerPorts): Servers {
  const { deps, host, publish } = ports;
  const listeners = new Set<(change: McpChange) => void>();
  let making: Promise<MadeHub> | undefined;
  let made: MadeHub | undefined;
  const sets = createToolSets({ host, publish, onDiagnostic: deps.onDiagnostic }, () => ({
    servers: (made?.hub.servers() ?? []).map(plain),
  }));
  const { begin: refresh, done: refreshed } = awaited(async () => await sets.refresh());
  const make = async (): Promise<MadeHub> => {
    const fresh = await createHubFor(ports);
    fresh.hub.observe((change) => {
      refresh();
      if (change !== undefined) for (const listener of [...listeners]) listener(change);
    });
    return (made = fresh);
  };
  // Another version of the plugin may offer other tools from the same servers.
  const stop = host.observe(() => {
    if (made !== undefined) refresh();
  });
  const configure = (settings: readonly McpServerSetting[]): void => {
    if (making === undefined && settings.length === 0) return;
    making = (making ?? make()).then((ready) => {
      ready.hub.configure(settings);
      refresh();
      return ready;
    });
    // Whoever waits for servers meets what went wrong.
    making.catch(() => undefined);
  };
  configure(deps.mcp ?? []);
  return {
    port: portOver(
      async () => (await making)?.hub,
      () => made?.hub,
    ),
    async ready(signal) {
      const ready = await making;
      if (ready === undefined) return ok(undefined);
      const settled = await ready.hub.settled(signal);
      await refreshed();
      return settled;
    },
    observe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    configure,
    async close() {
      stop();
      listeners.clear();
      await (await making)?.close();
    },
    killNow: () => {
      made?.hub.killNow();
    },
  };
}

/** Work that begins without anybody waiting for it, and can be waited for later. */
function awaited(work: () => Promise<void>): { readonly begin: () => void; readonly done: () => Promise<void> } {
  const running = new Set<Promise<void>>();
  return {
    begin() {
      // What goes wrong in a plugin is told; only a bug of ours rejects, and it is met again by whoever waits.
      const mine = work();
      running.add(mine);
      mine.then(
        () => running.delete(mine),
        () => undefined,
      );
    },
    async done() {
      await Promise.all(running);
    },
  };
}

/** A view is JSON by construction; interfaces are not known to be. */
const plain = (view: McpServerView): JsonObject => view as unknown as JsonObject;

function portOver(hub: () => Promise<McpHub | undefined>, made: () => McpHub | undefined): McpPort {
  const unknown = (server: string) => err(noServer(server));
  return {
    servers: () => made()?.servers() ?? [],
    call: async (input, use) => (await (await hub())?.call(input, use)) ?? { outcome: "not-applied", result: unknown(input.server) },
    read: async (server, uri, use) => (await (await hub())?.read(server, uri, use)) ?? unknown(server),
    resources: async (server, use) => (await (await hub())?.resources(server, use)) ?? unknown(server),
    prompt: async (server, prompt, use) => (await (await hub())?.prompt(server, prompt, use)) ?? unknown(server),
    reconnect: async (server, use) => (await (await hub())?.reconnect(server, use)) ?? unknown(server),
  };
}

/** A hub with what it was made with. */
export interface MadeHub {
  readonly hub: McpHub;
  close(): Promise<void>;
}

/** A hub over what this process has: its variables, secrets and sign-ins. */
export async function createHubFor({
  deps,
  secrets,
  credentials,
}: Pick<ServerPorts, "deps" | "secrets" | "credentials">): Promise<MadeHub> {
  const env = Object.fromEntries(
    Object.entries(deps.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
  const lines = createShellLines({ clock: deps.clock, ids: deps.ids, env });
  const hub = await createMcpHub({
    clock: deps.clock,
    env,
    cwd: deps.cwd,
    cacheDir: join(deps.paths.cache, "mcp"),
    client: { name: "smith", version: deps.version },
    secret: secrets.named,
    credential: async (source, signal) =>
      await resolveCredential(source, { signal, credentials, env, run: async (line, stop) => await lines.run(line, stop), cwd: deps.cwd }),
    tokens: createMcpTokens(deps),
    conceal: secrets.conceal,
    onSecret: (_, value) => {
      secrets.learn([value]);
    },
    randomBytes: deps.randomBytes,
  });
  return {
    hub,
    async close() {
      await Promise.all([hub.close(), lines.close()]);
    },
  };
}

interface CredentialPlaces {
  readonly signal: AbortSignal;
  readonly credentials: Pick<Credentials, "ready" | "value">;
  readonly env: Readonly<Record<string, string>>;
  readonly run: ReturnType<typeof createShellLines>["run"];
  readonly cwd: string;
}

async function resolveCredential(source: CredentialSource, places: CredentialPlaces): Promise<Result<string, Diagnostic>> {
  const { signal, credentials, env, run, cwd } = places;
  switch (source.type) {
    case "env": {
      const found = source.names.map((name) => env[name]?.trim()).find((value) => value !== undefined && value !== "");
      return found === undefined ? err(mcpCredentialMissing(source.names.join(" or "))) : ok(found);
    }
    case "auth": {
      const ready = await credentials.ready(`auth:${source.name}`, signal);
      if (!ready.ok) return ready;
      const value = credentials.value(`auth:${source.name}`);
      return value === undefined ? err(mcpCredentialMissing(`auth ${source.name}`)) : ok(value);
    }
    case "command": {
      const ended = await run({ command: source.command, cwd, timeoutMs: COMMAND_MS, maxBytes: MAX_KEY_BYTES }, signal);
      const value = ended.type === "exit" && ended.status === 0 ? ended.stdout.trim() : "";
      return value === "" ? err(mcpCredentialFailed(source.command)) : ok(value);
    }
    case "none":
      return err(mcpCredentialMissing("none"));
  }
}

const COMMAND_MS = 30_000;
const MAX_KEY_BYTES = 64 * 1024;
