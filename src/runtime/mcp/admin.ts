import type { JsonObject, Result } from "../../base/index.js";
import { addMcpServer, findProjectRoot, projectMcpPath, removeMcpServer, userMcpPath } from "../../config/index.js";
import type { McpCheck } from "../../effect/index.js";
import type { Diagnostic, McpServerSetting } from "../../schema/index.js";
import { createKeys } from "../models/index.js";
import { openSecrets } from "../secrets/index.js";
import type { RuntimeDeps } from "../deps.js";
import { createHubFor } from "./servers.js";

/** Whose file a server is written to. */
export type ServerPlace = "user" | "project";

/** Looking after MCP servers, without plugins, providers or sessions. */
export interface ServerAdmin {
  /** What is configured in files that count in this run, in order of names. */
  readonly servers: readonly McpServerSetting[];
  /** File of a place, absolute, there or not. */
  pathOf(place: ServerPlace): Promise<string>;
  /** Writes a server to the `mcp.json` of a place. True: it took the place of one of that name. */
  add(place: ServerPlace, name: string, server: JsonObject): Promise<Result<boolean, Diagnostic>>;
  /** Takes it out of that file. False: it is not in there. */
  remove(place: ServerPlace, name: string): Promise<Result<boolean, Diagnostic>>;
  /** What would be started or asked, in words; why it could not be. Starts and asks nothing. */
  look(setting: McpServerSetting): Promise<Result<string, Diagnostic>>;
  /** Connects it, and says what it is and has. */
  check(setting: McpServerSetting, signal: AbortSignal): Promise<Result<McpCheck, Diagnostic>>;
  signIn(
    setting: McpServerSetting,
    use: { readonly signal: AbortSignal; readonly onUrl: (url: string) => void },
  ): Promise<Result<void, Diagnostic>>;
  /** False: there was no sign-in. */
  signOut(setting: McpServerSetting): Promise<Result<boolean, Diagnostic>>;
  close(): Promise<void>;
}

export async function createServerAdmin(deps: RuntimeDeps): Promise<ServerAdmin> {
  const pathOf = async (place: ServerPlace): Promise<string> =>
    place === "user" ? userMcpPath(deps.paths) : projectMcpPath((await findProjectRoot(deps.cwd)) ?? deps.cwd);
  const opened = kept(async () => {
    const secrets = await openSecrets(deps, { providers: [], granted: [] });
    // No server of a login is asked: a key that has to be renewed is told as one that is not there.
    const keys = await createKeys({ ...deps, models: NO_CONNECTIONS }, () => {
      throw new Error("no exchange is made here");
    });
    const made = await createHubFor({ deps, secrets, credentials: keys.credentials });
    return { hub: made.hub, close: async () => await Promise.all([made.close(), keys.close()]) };
  });
  return {
    servers: deps.mcp ?? [],
    pathOf,
    add: async (place, name, server) => await addMcpServer({ path: await pathOf(place), pid: deps.process.pid }, name, server),
    remove: async (place, name) => await removeMcpServer({ path: await pathOf(place), pid: deps.process.pid }, name),
    look: async (setting) => await (await opened()).hub.look(setting),
    check: async (setting, signal) => await (await opened()).hub.check(setting, signal),
    signIn: async (setting, use) => await (await opened()).hub.signIn(setting, use),
    signOut: async (setting) => await (await opened()).hub.signOut(setting),
    async close() {
      await (await opened.made)?.close();
    },
  };
}

const NO_CONNECTIONS = { aliases: [], groups: [], connections: [], overrides: [] };

/** What is made at the first asking and kept. */
function kept<Value>(make: () => Promise<Value>): (() => Promise<Value>) & { made?: Promise<Value> } {
  const get: (() => Promise<Value>) & { made?: Promise<Value> } = async () => await (get.made ??= make());
  return get;
}
