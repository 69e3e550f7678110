import type { CredentialSource, Diagnostic, McpServerSetting, McpTransportSetting } from "../../schema/index.js";
import { badNode, type FilePlace, unknownNode } from "../diagnostics.js";
import type { KdlNode, KdlValue } from "../file/node.js";
import type { ConfigFile } from "../types.js";
import {
  envCredential,
  type GivenServer,
  HEADER_NAME,
  isServerUrl,
  NAME_EXPECTED,
  OFFERS,
  optional,
  SERVER_NAME,
  serverOf,
  TIMEOUT_MS,
  VARIABLE,
} from "./fields.js";

interface Scope {
  readonly path: string;
  readonly diagnostics: Diagnostic[];
}

const CHILDREN = [
  "command",
  "cwd",
  "env",
  "inherit",
  "url",
  "header",
  "bearer",
  "oauth",
  "timeout",
  "required",
  "enabled",
  "allow",
  "deny",
  "offer",
];

/** `mcp { server "name" { command "npx" "-y" "package"; env KEY="{secret:KEY}"; … } }` */
export function readKdlServers({ path, layer, nodes }: ConfigFile): {
  readonly servers: readonly McpServerSetting[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const scope: Scope = { path, diagnostics: [] };
  const seen = new Set<string>();
  const servers = nodes
    .filter(({ name }) => name === "mcp")
    .flatMap(({ children }) => children)
    .flatMap((node) => {
      if (node.name !== "server") return unknown(scope, node, "server");
      const name = textsOf(node)[0];
      if (name === undefined || node.entries.length !== 1 || !SERVER_NAME.test(name))
        return report(scope, node, "the name of server", NAME_EXPECTED);
      if (seen.has(name)) return report(scope, node, `server ${name}`, "there once");
      seen.add(name);
      const given = readGiven(scope, name, node);
      return given === undefined
        ? []
        : [serverOf(name, given, { from: layer === "project" ? "project" : "user", file: path, line: node.line })];
    });
  return { servers, diagnostics: scope.diagnostics };
}

function readGiven(scope: Scope, name: string, node: KdlNode): GivenServer | undefined {
  const before = scope.diagnostics.length;
  for (const child of node.children) if (!CHILDREN.includes(child.name)) unknown(scope, child, CHILDREN.join(", "));
  for (const child of repeated(node)) report(scope, child, `${child.name} of ${name}`, "there once");
  const one = (word: string): KdlNode | undefined => node.children.find((child) => child.name === word);
  const transport = readTransport(scope, name, node);
  const timeoutMs = readTimeout(scope, one("timeout"));
  const offer = readOffer(scope, one("offer"));
  const given = {
    ...optional("timeoutMs", timeoutMs),
    ...optional("required", readFlag(scope, one("required"))),
    ...optional("enabled", readFlag(scope, one("enabled"))),
    ...optional("allow", readPatterns(scope, one("allow"))),
    ...optional("deny", readPatterns(scope, one("deny"))),
    ...optional("offer", offer),
  };
  return transport === undefined || scope.diagnostics.length > before ? undefined : { ...given, transport };
}

const MANY = ["env", "header"];
const repeated = ({ children }: KdlNode): readonly KdlNode[] =>
  children.filter(({ name }, index) => !MANY.includes(name) && children.findIndex((child) => child.name === name) < index);

function readTransport(scope: Scope, name: string, node: KdlNode): McpTransportSetting | undefined {
  const one = (word: string): KdlNode | undefined => node.children.find((child) => child.name === word);
  const [command, url] = [one("command"), one("url")];
  if ((command === undefined) === (url === undefined))
    return refuse(scope, node, `server ${name}`, "given a command to start or a url to reach");
  const odd = node.children.find((child) =>
    (command === undefined ? ["cwd", "env", "inherit"] : ["header", "bearer", "oauth"]).includes(child.name),
  );
  if (odd !== undefined)
    return refuse(
      scope,
      odd,
      `${odd.name} of ${name}`,
      `left out: it belongs to a server with ${command === undefined ? "command" : "url"}`,
    );
  return command === undefined ? readHttp(scope, node, url ?? node) : readStdio(scope, node, command);
}

function readStdio(scope: Scope, node: KdlNode, commandNode: KdlNode): McpTransportSetting | undefined {
  const [command, ...args] = textsOf(commandNode);
  if (command === undefined || command === "" || !isPlain(commandNode))
    return refuse(scope, commandNode, "command", "a program and its arguments, each a text");
  const env = readEnv(scope, node);
  const inherit = childOf(node, "inherit");
  if (inherit !== undefined && !isPlain(inherit))
    return refuse(scope, inherit, "inherit", "names of variables, with * at the end for all that begin so");
  const rest = optional("cwd", readFolder(scope, childOf(node, "cwd")));
  return env === undefined
    ? undefined
    : { type: "stdio", command, args, env, inherit: inherit === undefined ? [] : textsOf(inherit), ...rest };
}

function readFolder(scope: Scope, node: KdlNode | undefined): string | undefined {
  if (node === undefined) return undefined;
  const [folder] = textsOf(node);
  return folder !== undefined && node.entries.length === 1 ? folder : refuse(scope, node, "cwd", "one folder");
}

const childOf = ({ children }: KdlNode, word: string): KdlNode | undefined => children.find(({ name }) => name === word);

function readEnv(scope: Scope, node: KdlNode): Readonly<Record<string, string>> | undefined {
  const env: Record<string, string> = {};
  for (const child of node.children.filter(({ name }) => name === "env")) {
    for (const entry of child.entries) {
      if (entry.name === undefined || !VARIABLE.test(entry.name) || typeof entry.value !== "string")
        return refuse(scope, entry, "env", 'variables with texts, such as env KEY="value"');
      env[entry.name] = entry.value;
    }
  }
  return env;
}

function readHttp(scope: Scope, node: KdlNode, urlNode: KdlNode): McpTransportSetting | undefined {
  const [url, extra] = textsOf(urlNode);
  if (url === undefined || extra !== undefined || !isServerUrl(url)) return refuse(scope, urlNode, "url", "one http or https address");
  const headers = readHeaders(scope, node);
  const bearerNode = childOf(node, "bearer");
  const bearer = bearerNode === undefined ? undefined : readBearer(bearerNode);
  if (bearerNode !== undefined && bearer === undefined)
    return refuse(scope, bearerNode, "bearer", 'env="NAME", command="…" or auth="NAME"');
  const oauth = childOf(node, "oauth");
  const rest = { ...optional("bearer", bearer), ...optional("oauth", oauth === undefined ? undefined : readOauth(scope, oauth)) };
  return headers === undefined ? undefined : { type: "http", url, headers, ...rest };
}

function readHeaders(scope: Scope, node: KdlNode): Readonly<Record<string, string>> | undefined {
  const headers: Record<string, string> = {};
  for (const child of node.children.filter(({ name }) => name === "header")) {
    const [name, value] = textsOf(child);
    if (name === undefined || value === undefined || child.entries.length !== 2 || !HEADER_NAME.test(name))
      return refuse(scope, child, "header", 'written as header "Name" "value"');
    headers[name] = value;
  }
  return headers;
}

function readBearer(node: KdlNode): CredentialSource | undefined {
  const [entry, extra] = node.entries;
  if (entry === undefined || extra !== undefined || typeof entry.value !== "string" || entry.value === "") return undefined;
  if (entry.name === "command") return { type: "command", command: entry.value };
  if (entry.name === "auth") return { type: "auth", name: entry.value };
  return entry.name === "env" ? envCredential(entry.value) : undefined;
}

function readOauth(scope: Scope, node: KdlNode): NonNullable<Extract<McpTransportSetting, { type: "http" }>["oauth"]> {
  const found: { clientId?: string; scopes?: readonly string[]; callbackPort?: number } = {};
  for (const entry of node.entries) {
    const { name, value } = entry;
    if (name === "client-id" && typeof value === "string") found.clientId = value;
    else if (name === "scopes" && typeof value === "string") found.scopes = value.split(",").map((scopeName) => scopeName.trim());
    else if (name === "callback-port" && typeof value === "number" && Number.isInteger(value) && value > 0 && value < 65_536)
      found.callbackPort = value;
    else report(scope, entry, "oauth", 'client-id="…", scopes="a,b", callback-port=8912');
  }
  return found;
}

function readTimeout(scope: Scope, node: KdlNode | undefined): number | undefined {
  if (node === undefined) return undefined;
  const value = node.entries[0]?.value;
  const isRight = typeof value === "number" && node.entries.length === 1 && value >= TIMEOUT_MS.least && value <= TIMEOUT_MS.most;
  return isRight ? Math.trunc(value) : refuse(scope, node, "timeout", `milliseconds from ${TIMEOUT_MS.least} to ${TIMEOUT_MS.most}`);
}

function readFlag(scope: Scope, node: KdlNode | undefined): boolean | undefined {
  if (node === undefined) return undefined;
  const value = node.entries[0]?.value;
  return typeof value === "boolean" && node.entries.length === 1 ? value : refuse(scope, node, node.name, "#true or #false");
}

function readOffer(scope: Scope, node: KdlNode | undefined): McpServerSetting["offer"] | undefined {
  if (node === undefined) return undefined;
  const found = OFFERS.find((word) => word === node.entries[0]?.value);
  return found !== undefined && node.entries.length === 1 ? found : refuse(scope, node, "offer", `one of ${OFFERS.join(", ")}`);
}

function readPatterns(scope: Scope, node: KdlNode | undefined): readonly string[] | undefined {
  if (node === undefined) return undefined;
  return isPlain(node) ? textsOf(node) : refuse(scope, node, node.name, "names of tools, with * for any text");
}

const textsOf = (node: KdlNode): readonly string[] =>
  node.entries.flatMap(({ name, value }) => (name === undefined && typeof value === "string" ? [value] : []));

/** Texts as arguments and nothing else. */
const isPlain = (node: KdlNode): boolean =>
  node.entries.every(({ name, value }) => name === undefined && typeof value === "string") && node.children.length === 0;

const placeOf = ({ path }: Scope, { line, column }: KdlNode | KdlValue): FilePlace => ({ path, line, column });

function report(scope: Scope, at: KdlNode | KdlValue, subject: string, expected: string): readonly [] {
  scope.diagnostics.push(badNode(placeOf(scope, at), subject, expected));
  return [];
}

function refuse(scope: Scope, at: KdlNode | KdlValue, subject: string, expected: string): undefined {
  report(scope, at, subject, expected);
}

function unknown(scope: Scope, node: KdlNode, known: string): readonly [] {
  scope.diagnostics.push(unknownNode(placeOf(scope, node), node.name, known));
  return [];
}
