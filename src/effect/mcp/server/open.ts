import { resolve } from "node:path";
import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { err, ok, type Result } from "../../../base/index.js";
import type { Diagnostic, McpServerSetting } from "../../../schema/index.js";
import { findProgram, type Guard, inherited } from "../../process/index.js";
import { serverFailed } from "../failures.js";
import type { OauthClient } from "../oauth/client.js";
import type { FetchLike } from "../transport/fetch.js";
import type { ServerNoise } from "../transport/stdio.js";
import type { McpHubDeps } from "../types.js";
import { expand, expandAll } from "../variables.js";

export type OpenTransport = Transport & Partial<ServerNoise> & { readonly end?: string | undefined; killNow?: () => void };

export interface OpenPorts {
  readonly deps: McpHubDeps;
  readonly guard: Guard | undefined;
  readonly fetch: () => Promise<FetchLike>;
  /** Signs requests with a sign-in that is kept; asks nobody. */
  readonly oauth: (setting: McpServerSetting, url: string) => Promise<OauthClient>;
}

/** The way to a server, not begun yet. */
export async function openTransport(
  setting: McpServerSetting,
  ports: OpenPorts,
  signal: AbortSignal,
): Promise<Result<OpenTransport, Diagnostic>> {
  const { transport, name } = setting;
  if (transport.type === "stdio") return await openStdio(setting, transport, ports);
  const { openHttp } = await import("../transport/http.js");
  const authProvider = transport.bearer === undefined ? await ports.oauth(setting, transport.url) : undefined;
  return await openHttp({
    ...{ server: name, setting: transport, deps: ports.deps, fetch: await ports.fetch(), signal },
    ...(authProvider === undefined ? {} : { authProvider }),
  });
}

type StdioSetting = Extract<McpServerSetting["transport"], { readonly type: "stdio" }>;

async function openStdio(
  { name, source }: McpServerSetting,
  setting: StdioSetting,
  { deps, guard }: OpenPorts,
): Promise<Result<OpenTransport, Diagnostic>> {
  const sources = { server: name, env: deps.env, secret: deps.secret };
  const command = expand(setting.command, "its command", sources);
  if (!command.ok) return command;
  const args: string[] = [];
  for (const text of setting.args) {
    const arg = expand(text, "an argument", sources);
    if (!arg.ok) return arg;
    args.push(arg.value);
  }
  const given = expandAll(setting.env, "its variable", sources);
  if (!given.ok) return given;
  const env = { ...inherited(deps.env, setting.inherit), ...given.value };
  const cwd =
    setting.cwd === undefined ? deps.cwd : resolve(source.from === "project" ? deps.cwd : resolve(source.file, ".."), setting.cwd);
  if (!(await isFolder(cwd))) return err(serverFailed(name, `Its folder ${cwd} is not there.`));
  const program = await findProgram(command.value, env, cwd);
  if (program === undefined) return err(serverFailed(name, `The program ${command.value} was not found.`));
  const { StdioTransport } = await import("../transport/stdio.js");
  return ok(new StdioTransport({ command: program, args, cwd, env, mark: randomUUID(), clock: deps.clock, guard }));
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
