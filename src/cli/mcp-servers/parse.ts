import { err, type JsonObject, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { RunnableId } from "../command-table.js";
import { type CommandLine, type CommonFlags, has, valueOf, valuesOf, wordOf } from "../given-flags.js";
import { SERVER_COMMANDS, type ServerCommandId } from "./declare.js";
import { badServerFlag, commandOrUrl } from "./diagnostics.js";
import type { ServersInvocation } from "./invocation.js";

const IDS: ReadonlySet<string> = new Set(SERVER_COMMANDS.map(({ id }) => id));

export const isServerCommand = (id: RunnableId): id is ServerCommandId => IDS.has(id);

/** Gives a line that begins with `mcp-servers` its meaning. Pure. */
export function toServersInvocation(id: ServerCommandId, line: CommandLine, common: CommonFlags): Result<ServersInvocation, Diagnostic> {
  const place = has(line, "--project") ? "project" : "user";
  switch (id) {
    case "mcp-servers list":
      return ok({ type: id, common, json: has(line, "--json") });
    case "mcp-servers check":
      return ok({ type: id, common, json: has(line, "--json"), names: line.words.map(({ text }) => text) });
    case "mcp-servers add": {
      const server = serverOf(line);
      return server.ok ? ok({ type: id, common, name: wordOf(line, 0), server: server.value, place }) : server;
    }
    case "mcp-servers remove":
      return ok({ type: id, common, name: wordOf(line, 0), place });
    case "mcp-servers login":
    case "mcp-servers logout":
      return ok({ type: id, common, name: wordOf(line, 0) });
  }
}

function serverOf(line: CommandLine): Result<JsonObject, Diagnostic> {
  const command = line.words.slice(1).map(({ text }) => text);
  const url = valueOf(line, "--url");
  if ((command.length === 0) === (url === undefined)) return err(commandOrUrl(url !== undefined));
  const transport = url === undefined ? startedBy(line, command) : reachedAt(line, url);
  if (!transport.ok) return transport;
  const timeout = timeoutOf(line);
  if (!timeout.ok) return timeout;
  const lists = { allow: valuesOf(line, "--allow"), deny: valuesOf(line, "--deny") };
  return ok({
    ...transport.value,
    ...(timeout.value === undefined ? {} : { timeout: timeout.value }),
    ...Object.fromEntries(Object.entries(lists).filter(([, names]) => names.length > 0)),
    ...(has(line, "--required") ? { required: true } : {}),
  });
}

function startedBy(line: CommandLine, [command = "", ...args]: readonly string[]): Result<JsonObject, Diagnostic> {
  const misplaced = ["--header", "--bearer-env"].find((flag) => has(line, flag));
  if (misplaced !== undefined) return err(badServerFlag(misplaced, "it belongs to a server with --url"));
  const env = pairsOf(line, "--env", "=");
  if (!env.ok) return env;
  return ok({ command, ...(args.length === 0 ? {} : { args }), ...(Object.keys(env.value).length === 0 ? {} : { env: env.value }) });
}

function reachedAt(line: CommandLine, url: string): Result<JsonObject, Diagnostic> {
  if (has(line, "--env")) return err(badServerFlag("--env", "it belongs to a server with a command"));
  const headers = pairsOf(line, "--header", ":");
  if (!headers.ok) return headers;
  const bearer = valueOf(line, "--bearer-env");
  return ok({
    type: "http",
    url,
    ...(Object.keys(headers.value).length === 0 ? {} : { headers: headers.value }),
    ...(bearer === undefined ? {} : { bearerTokenEnv: bearer }),
  });
}

function pairsOf(line: CommandLine, flag: string, mark: "=" | ":"): Result<Readonly<Record<string, string>>, Diagnostic> {
  const pairs: Record<string, string> = {};
  for (const text of valuesOf(line, flag)) {
    const at = text.indexOf(mark);
    if (at < 1) return err(badServerFlag(`${flag} ${text}`, `it is written NAME${mark === "=" ? "=" : ": "}VALUE`));
    pairs[text.slice(0, at).trim()] = mark === "=" ? text.slice(at + 1) : text.slice(at + 1).trim();
  }
  return ok(pairs);
}

function timeoutOf(line: CommandLine): Result<number | undefined, Diagnostic> {
  const text = valueOf(line, "--timeout");
  if (text === undefined) return ok(undefined);
  return /^\d{4,7}$/u.test(text) && Number(text) <= 3_600_000
    ? ok(Number(text))
    : err(badServerFlag(`--timeout ${text}`, "it is a number of milliseconds from 1000 to 3600000"));
}
