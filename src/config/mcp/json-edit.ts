import { isJsonObject, type JsonObject, parseJson } from "../../base/index.js";

/** The text with a server put in, in place of one of that name. Undefined: the text is no such file, and nothing of it may be lost. */
export function withServer(text: string | undefined, name: string, server: JsonObject): string | undefined {
  const file = readFile(text);
  if (file === undefined) return undefined;
  return mcpJsonText({ ...file.whole, [file.key]: { ...file.servers, [name]: server } });
}

/** The text without a server; `false`: it has none of that name. */
export function withoutServer(text: string | undefined, name: string): string | false | undefined {
  const file = readFile(text);
  if (file === undefined) return undefined;
  if (!Object.hasOwn(file.servers, name)) return false;
  const { [name]: _, ...rest } = file.servers;
  return mcpJsonText({ ...file.whole, [file.key]: rest });
}

const mcpJsonText = (whole: JsonObject): string => `${JSON.stringify(whole, undefined, 2)}\n`;

function readFile(
  text: string | undefined,
): { readonly whole: JsonObject; readonly key: string; readonly servers: JsonObject } | undefined {
  if (text === undefined || text.trim() === "") return { whole: {}, key: "mcpServers", servers: {} };
  const parsed = parseJson(text);
  if (!isJsonObject(parsed)) return undefined;
  const key = parsed["mcpServers"] === undefined && parsed["servers"] !== undefined ? "servers" : "mcpServers";
  const servers = parsed[key] ?? {};
  return isJsonObject(servers) ? { whole: parsed, key, servers } : undefined;
}
