import { isJsonObject, type JsonObject, jsonProblem, type JsonValue, parseJson } from "../../base/index.js";
import type { Diagnostic, McpServerSetting, McpTransportSetting } from "../../schema/index.js";
import { badMcpJson, badMcpServer } from "../diagnostics.js";
import {
  envCredential,
  HEADER_NAME,
  isServerUrl,
  type McpFile,
  NAME_EXPECTED,
  OFFERS,
  optional,
  SERVER_NAME,
  serverOf,
  TIMEOUT_MS,
  VARIABLE,
} from "./fields.js";

interface Read {
  readonly servers: readonly McpServerSetting[];
  readonly diagnostics: readonly Diagnostic[];
}

class Wrong extends Error {
  override readonly name = "Wrong";
}

const wrong = (words: string): never => {
  throw new Wrong(words);
};

/** Of one file; each that is on is a process or a connection. */
const MAX_SERVERS = 200;

/**
 * The form most clients share: `{ "mcpServers": { "name": { "command", "args", "env", "cwd" } | { "url", "headers" } } }`, and `servers` for
 * `mcpServers`. Words of other clients are passed over.
 */
export function readJsonServers({ path, from, text }: McpFile): Read {
  const parsed = parseJson(text);
  if (!isJsonObject(parsed)) {
    const problem = jsonProblem(text);
    const why = problem === undefined ? "It is no object." : `It is not JSON: ${problem}.`;
    return { servers: [], diagnostics: [badMcpJson(path, why)] };
  }
  const listed = parsed["mcpServers"] ?? parsed["servers"] ?? {};
  if (!isJsonObject(listed)) return { servers: [], diagnostics: [badMcpJson(path, "mcpServers is no object.")] };
  const count = Object.keys(listed).length;
  if (count > MAX_SERVERS)
    return { servers: [], diagnostics: [badMcpJson(path, `It lists ${count} servers; ${MAX_SERVERS} may be set up.`)] };
  const servers: McpServerSetting[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const [name, value] of Object.entries(listed)) {
    try {
      servers.push(readServer(name, value, { path, from }));
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      diagnostics.push(badMcpServer({ path }, name, error.message));
    }
  }
  return { servers, diagnostics };
}

/** Why a server written so would not be used; undefined: it would. */
export function problemOf(name: string, value: JsonObject, path: string): string | undefined {
  try {
    readServer(name, value, { path, from: "user" });
    return undefined;
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    return error.message;
  }
}

function readServer(name: string, value: JsonValue, { path, from }: Pick<McpFile, "path" | "from">): McpServerSetting {
  if (!SERVER_NAME.test(name)) return wrong(`its name must be ${NAME_EXPECTED}`);
  if (!isJsonObject(value)) return wrong("it must be an object");
  const given = {
    transport: readTransport(value),
    ...optional("timeoutMs", readTimeout(value)),
    ...optional("required", flag(value, "required")),
    ...optional("enabled", flag(value, "enabled") ?? (flag(value, "disabled") === true ? false : undefined)),
    ...optional("allow", texts(value, "allow") ?? texts(value, "includeTools")),
    ...optional("deny", texts(value, "deny") ?? texts(value, "excludeTools")),
    ...optional("offer", readOffer(value)),
  };
  return serverOf(name, given, { from, file: path });
}

function readOffer({ offer }: JsonObject): McpServerSetting["offer"] | undefined {
  return offer === undefined ? undefined : (OFFERS.find((word) => word === offer) ?? wrong(`offer must be one of ${OFFERS.join(", ")}`));
}

function readTransport(value: JsonObject): McpTransportSetting {
  const type = text(value, "type");
  const url = text(value, "url") ?? text(value, "httpUrl");
  if (type === "sse") return wrong("type sse is the old transport; use its streamable HTTP address with type http");
  if (url !== undefined) return readHttp(value, url);
  const [command, ...before] = commandOf(value);
  if (command === undefined || command === "") return wrong("it needs a command to start, or a url to reach");
  const cwd = text(value, "cwd");
  return {
    type: "stdio",
    command,
    args: [...before, ...(texts(value, "args") ?? [])],
    env: words(value, "env", VARIABLE, "the name of a variable") ?? words(value, "environment", VARIABLE, "the name of a variable") ?? {},
    inherit: texts(value, "inherit") ?? [],
    ...(cwd === undefined ? {} : { cwd }),
  };
}

/** A program, or a list of it and its first arguments. */
const commandOf = (value: JsonObject): readonly string[] =>
  Array.isArray(value["command"]) ? (texts(value, "command") ?? []) : [text(value, "command") ?? ""];

function readHttp(value: JsonObject, url: string): McpTransportSetting {
  if (!isServerUrl(url)) return wrong(`url must be an http or https address, not ${JSON.stringify(url.slice(0, 200))}`);
  const names = text(value, "bearerTokenEnv") ?? text(value, "bearer_token_env_var");
  const bearer = names === undefined ? undefined : (envCredential(names) ?? wrong("bearerTokenEnv must name variables"));
  const oauth = value["oauth"];
  if (oauth !== undefined && typeof oauth !== "boolean" && !isJsonObject(oauth)) return wrong("oauth must be an object");
  const known = isJsonObject(oauth) ? readOauth(oauth) : undefined;
  return {
    type: "http",
    url,
    headers: readHeaders(value),
    ...(bearer === undefined ? {} : { bearer }),
    ...(known === undefined ? {} : { oauth: known }),
  };
}

function readHeaders(value: JsonObject): Readonly<Record<string, string>> {
  const headers = words(value, "headers", HEADER_NAME, "the name of a header") ?? {};
  // The value may be a secret: it is not repeated.
  for (const [name, one] of Object.entries(headers)) if (/[\r\n\0]/u.test(one)) return wrong(`its header ${name} has more than one line`);
  return headers;
}

function readOauth(value: JsonObject): NonNullable<Extract<McpTransportSetting, { type: "http" }>["oauth"]> {
  const clientId = text(value, "clientId");
  const scopes = texts(value, "scopes");
  const port = value["callbackPort"];
  if (port !== undefined && !isPort(port)) return wrong("callbackPort must be a port, 1 to 65535");
  return {
    ...(clientId === undefined ? {} : { clientId }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(isPort(port) ? { callbackPort: port } : {}),
  };
}

const isPort = (value: JsonValue | undefined): value is number =>
  typeof value === "number" && Number.isInteger(value) && value > 0 && value < 65_536;

function readTimeout(value: JsonObject): number | undefined {
  const timeout = value["timeout"];
  if (timeout === undefined) return undefined;
  if (typeof timeout !== "number" || !Number.isFinite(timeout) || timeout < TIMEOUT_MS.least || timeout > TIMEOUT_MS.most)
    return wrong(`timeout must be milliseconds from ${TIMEOUT_MS.least} to ${TIMEOUT_MS.most}`);
  return Math.trunc(timeout);
}

const text = (value: JsonObject, key: string): string | undefined => {
  const found = value[key];
  return found === undefined || typeof found === "string" ? found : wrong(`${key} must be a text`);
};

const flag = (value: JsonObject, key: string): boolean | undefined => {
  const found = value[key];
  return found === undefined || typeof found === "boolean" ? found : wrong(`${key} must be true or false`);
};

function texts(value: JsonObject, key: string): readonly string[] | undefined {
  const found = value[key];
  if (found === undefined) return undefined;
  if (!Array.isArray(found)) return wrong(`${key} must be a list of texts`);
  return found.map((one) => (typeof one === "string" ? one : wrong(`${key} must be a list of texts`)));
}

/** Numbers and flags are written without quotes often enough. */
function words(value: JsonObject, key: string, named: RegExp, expected: string): Readonly<Record<string, string>> | undefined {
  const found = value[key];
  if (found === undefined) return undefined;
  if (!isJsonObject(found)) return wrong(`${key} must be an object of texts`);
  return Object.fromEntries(
    Object.entries(found).map(([name, one]) => {
      if (!named.test(name)) return wrong(`${JSON.stringify(name.slice(0, 80))} in ${key} is not ${expected}`);
      if (typeof one === "number" || typeof one === "boolean") return [name, String(one)];
      return typeof one === "string" ? [name, one] : wrong(`${name} in ${key} must be a text`);
    }),
  );
}
