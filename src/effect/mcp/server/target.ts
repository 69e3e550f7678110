import { stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { err, invariant, ok, redactUrl, type Result } from "../../../base/index.js";
import type { Diagnostic, McpServerSetting } from "../../../schema/index.js";
import { findProgram, inherited } from "../../process/index.js";
import { serverFailed } from "../failures.js";
import type { McpHubDeps } from "../types.js";
import { expand, expandAll, type VariableSources } from "../variables.js";
import { secretsOf, sourcesOf } from "./learned.js";

type TargetDeps = Pick<McpHubDeps, "env" | "secret" | "onSecret" | "conceal" | "cwd">;

interface HttpTarget {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

interface StdioTarget {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Where a server is, and what is sent with every request to it: filled in now. */
export async function httpTarget(
  setting: McpServerSetting,
  deps: TargetDeps & Pick<McpHubDeps, "credential">,
  signal: AbortSignal,
): Promise<Result<HttpTarget, Diagnostic>> {
  const { name, transport } = setting;
  const target = addressOf(setting, deps);
  if (!target.ok || transport.type !== "http" || transport.bearer === undefined) return target;
  const bearer = await deps.credential(transport.bearer, signal);
  if (!bearer.ok) return bearer;
  deps.onSecret(`mcp-${name}`, bearer.value);
  return ok({ url: target.value.url, headers: { ...target.value.headers, authorization: `Bearer ${bearer.value}` } });
}

/** All but a token that has to be got from somewhere. */
function addressOf({ name, transport }: McpServerSetting, deps: TargetDeps): Result<HttpTarget, Diagnostic> {
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
  return ok(target);
}

/** A value that is no header's may be a secret: it is not repeated, as the one who sends it would. */
function headersOf(name: string, headers: Readonly<Record<string, string>>, sources: VariableSources): ReturnType<typeof expandAll> {
  const filled = expandAll(headers, "its header", sources);
  if (!filled.ok) return filled;
  const broken = Object.entries(filled.value).find(([, value]) => /[^\t\x20-\x7e\x80-\xff]/u.test(value.trim()));
  if (broken === undefined) return ok(Object.fromEntries(Object.entries(filled.value).map(([key, value]) => [key, value.trim()])));
  return err(serverFailed(name, `The value of its header ${broken[0]} has characters that no header may have, such as a line end.`));
}

/** The program of a server, with all it is started with: filled in and found now. */
export async function stdioTarget(
  { name, source, transport }: McpServerSetting,
  deps: TargetDeps,
): Promise<Result<StdioTarget, Diagnostic>> {
  invariant(transport.type === "stdio", "only a server with a command is started");
  const sources = sourcesOf(name, deps);
  const command = expand(transport.command, "its command", sources);
  if (!command.ok) return command;
  const args: string[] = [];
  for (const text of transport.args) {
    const arg = expand(text, "an argument", sources);
    if (!arg.ok) return arg;
    args.push(arg.value);
  }
  const given = expandAll(transport.env, "its variable", sources);
  if (!given.ok) return given;
  const env = { ...inherited(deps.env, transport.inherit), ...given.value };
  const folder = transport.cwd === undefined ? ok("") : expand(transport.cwd, "its folder", sources);
  if (!folder.ok) return folder;
  const cwd = folder.value === "" ? deps.cwd : resolve(baseOf(source, deps.cwd), folder.value);
  if (!(await isFolder(cwd))) return err(serverFailed(name, `Its folder ${deps.conceal(cwd)} is not there.`));
  const program = await findProgram(command.value, env, cwd);
  if (program === undefined)
    return err(serverFailed(name, `The program ${deps.conceal(command.value)} was not found, or may not be executed.`));
  return ok({ command: program, args, cwd, env });
}

/** What would be started or asked, in words: as far as that can be said without doing it, or running anything for a key. */
export async function lookAt(setting: McpServerSetting, deps: TargetDeps): Promise<Result<string, Diagnostic>> {
  if (setting.transport.type === "http") {
    const target = addressOf(setting, deps);
    return target.ok ? ok(redactUrl(deps.conceal(target.value.url.href))) : target;
  }
  const target = await stdioTarget(setting, deps);
  return target.ok ? ok(deps.conceal(target.value.command)) : target;
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
