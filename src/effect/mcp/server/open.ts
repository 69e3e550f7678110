import { basename, dirname, resolve } from "node:path";
import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { err, invariant, ok, redactUrl, type Result } from "../../../base/index.js";
import type { Diagnostic, McpServerSetting } from "../../../schema/index.js";
import { findProgram, type Guard, inherited } from "../../process/index.js";
import { serverFailed } from "../failures.js";
import type { SignedIn } from "../oauth/client.js";
import type { FetchLike } from "../transport/fetch.js";
import type { Challenge } from "../transport/refusals.js";
import type { ServerNoise } from "../transport/stdio.js";
import type { McpHubDeps } from "../types.js";
import { expand, expandAll, type VariableSources } from "../variables.js";
import { secretsOf, sourcesOf } from "./learned.js";

export type OpenTransport = Transport & Partial<ServerNoise> & { readonly end?: string | undefined };

export interface OpenPorts {
  readonly deps: McpHubDeps;
  readonly guard: Guard | undefined;
  /** Child processes that may still run. */
  readonly live: Set<{ killNow(): void }>;
  readonly fetch: () => Promise<FetchLike>;
  /** Signs requests with a sign-in that is kept, and renews it; undefined where there is none. */
  readonly signedIn: (setting: McpServerSetting, url: string) => Promise<SignedIn | undefined>;
  /** What a server said about the sign-in it wants. */
  readonly onChallenge: (server: string, challenge: Challenge) => void;
}

/** Whether its setting says who it is asked by: no sign-in is used then, and none would help. */
export const sendsToken = ({ transport }: McpServerSetting): boolean =>
  transport.type === "http" &&
  (transport.bearer !== undefined || Object.keys(transport.headers).some((header) => header.toLowerCase() === "authorization"));

/** The way to a server, not begun yet. */
export async function openTransport(
  setting: McpServerSetting,
  ports: OpenPorts,
  signal: AbortSignal,
): Promise<Result<OpenTransport, Diagnostic>> {
  const { transport } = setting;
  return transport.type === "stdio" ? await openStdio(setting, transport, ports) : await openHttp(setting, ports, signal);
}

/** Where a server is, and what is sent with every request to it: filled in now. */
export async function httpTarget(
  { name, transport }: McpServerSetting,
  deps: Pick<McpHubDeps, "env" | "secret" | "credential" | "onSecret" | "conceal">,
  signal: AbortSignal,
): Promise<Result<{ readonly url: URL; readonly headers: Readonly<Record<string, string>> }, Diagnostic>> {
  invariant(transport.type === "http", "only a server with an address is reached over HTTP");
  const sources = sourcesOf(name, deps);
  const url = expand(transport.url, "its url", sources);
  if (!url.ok) return url;
  if (!URL.canParse(url.value) || !/^https?:$/u.test(new URL(url.value).protocol))
    return err(
      serverFailed(name, `Its url ${JSON.stringify(redactUrl(deps.conceal(url.value)).slice(0, 200))} is no address of http or https.`),
    );
  const headers = headersOf(name, transport.headers, sources);
  if (!headers.ok) return headers;
  const target = { url: new URL(url.value), headers: headers.value };
  for (const value of secretsOf(target, transport.headers, deps.env)) deps.onSecret(`mcp-${name}`, value);
  const bearer = transport.bearer === undefined ? undefined : await deps.credential(transport.bearer, signal);
  if (bearer?.ok === false) return bearer;
  if (bearer !== undefined) deps.onSecret(`mcp-${name}`, bearer.value);
  const authorization = bearer === undefined ? {} : { authorization: `Bearer ${bearer.value}` };
  return ok({ url: target.url, headers: { ...headers.value, ...authorization } });
}

/** A value that is no header's may be a secret: it is not repeated, as the one who sends it would. */
function headersOf(name: string, headers: Readonly<Record<string, string>>, sources: VariableSources): ReturnType<typeof expandAll> {
  const filled = expandAll(headers, "its header", sources);
  if (!filled.ok) return filled;
  const broken = Object.entries(filled.value).find(([, value]) => /[^\t\x20-\x7e\x80-\xff]/u.test(value.trim()));
  if (broken === undefined) return ok(Object.fromEntries(Object.entries(filled.value).map(([key, value]) => [key, value.trim()])));
  return err(serverFailed(name, `The value of its header ${broken[0]} has characters that no header may have, such as a line end.`));
}

async function openHttp(setting: McpServerSetting, ports: OpenPorts, signal: AbortSignal): Promise<Result<OpenTransport, Diagnostic>> {
  const { deps } = ports;
  const target = await httpTarget(setting, deps, signal);
  if (!target.ok) return target;
  const { url, headers } = target.value;
  const authProvider = sendsToken(setting) ? undefined : await ports.signedIn(setting, url.href);
  const { HttpTransport } = await import("../transport/http.js");
  const plain = await ports.fetch();
  // Only a sign-in that is renewed asks others than the server.
  const isAlone = authProvider === undefined;
  const fetch = isAlone ? plain : (await import("../oauth/exchanges.js")).besideServer({ clock: deps.clock, fetch: plain, server: url });
  return ok(
    await HttpTransport.create({
      ...{ url, headers, fetch, clock: deps.clock },
      onChallenge: async (challenge) => {
        ports.onChallenge(setting.name, challenge);
        if (challenge.isMore && challenge.scope !== undefined) await authProvider?.want(challenge.scope);
      },
      ...(authProvider === undefined ? {} : { authProvider }),
    }),
  );
}

type StdioSetting = Extract<McpServerSetting["transport"], { readonly type: "stdio" }>;

async function openStdio(
  { name, source }: McpServerSetting,
  setting: StdioSetting,
  { deps, guard, live }: OpenPorts,
): Promise<Result<OpenTransport, Diagnostic>> {
  const sources = sourcesOf(name, deps);
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
  const folder = setting.cwd === undefined ? ok("") : expand(setting.cwd, "its folder", sources);
  if (!folder.ok) return folder;
  const cwd = folder.value === "" ? deps.cwd : resolve(baseOf(source, deps.cwd), folder.value);
  if (!(await isFolder(cwd))) return err(serverFailed(name, `Its folder ${deps.conceal(cwd)} is not there.`));
  const program = await findProgram(command.value, env, cwd);
  if (program === undefined)
    return err(serverFailed(name, `The program ${deps.conceal(command.value)} was not found, or may not be executed.`));
  const { StdioTransport } = await import("../transport/stdio.js");
  return ok(new StdioTransport({ command: program, args, cwd, env, mark: randomUUID(), clock: deps.clock, guard, live }));
}

/** Folders of a setting are relative to the file that names them; what lies in `.smith` speaks of the project around it. */
function baseOf({ from, file }: McpServerSetting["source"], cwd: string): string {
  if (from === "run") return cwd;
  const folder = dirname(file);
  return basename(folder) === ".smith" ? dirname(folder) : folder;
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
