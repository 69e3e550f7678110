import type { Diagnostic, McpServerSetting } from "../../schema/index.js";
import type { ConfigFile } from "../types.js";
import type { McpFile } from "./fields.js";
import { readJsonServers } from "./json-file.js";
import { readKdlServers } from "./kdl-file.js";

/** Whether a node is no setting but the group that is read here; `key` is its path joined by dots. */
export const isMcpNode = (key: string): boolean => key === "mcp";

/**
 * Servers by name, in order of names. Of two with one name the later counts: a person's `mcp.json`, their `config.kdl`, the project's
 * `.mcp.json`, its `.smith/config.kdl`. Pure.
 */
export function readMcpServers(
  kdl: readonly ConfigFile[],
  json: readonly McpFile[],
): { readonly servers: readonly McpServerSetting[]; readonly diagnostics: readonly Diagnostic[] } {
  const of = (from: McpFile["from"]) => [
    ...json.filter((file) => file.from === from).map(readJsonServers),
    ...kdl.filter(({ layer }) => (layer === "project") === (from === "project")).map(readKdlServers),
  ];
  const read = [...of("user"), ...of("project")];
  const byName = new Map(read.flatMap(({ servers }) => servers).map((server) => [server.name, server]));
  return {
    servers: [...byName.values()].sort((left, right) => (left.name < right.name ? -1 : 1)),
    diagnostics: read.flatMap(({ diagnostics }) => diagnostics),
  };
}
