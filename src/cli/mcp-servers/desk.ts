import { redactUrl } from "../../base/index.js";
import type { ServerAdmin } from "../../runtime/index.js";
import type { McpServerSetting } from "../../schema/index.js";
import type { CommandContext } from "../context.js";
import { shortPath } from "../output/path.js";

/** What a command on servers works with. */
export interface ServerDesk {
  readonly context: CommandContext;
  readonly admin: ServerAdmin;
}

/** How a server is reached, on one line: nothing of its variables and headers, which may hold a key. */
export function reachedBy({ transport }: McpServerSetting): string {
  if (transport.type === "http") return redactUrl(transport.url);
  return [transport.command, ...transport.args].map((word) => (/\s/u.test(word) ? JSON.stringify(word) : word)).join(" ");
}

export function placeOf({ source }: McpServerSetting, { context }: ServerDesk): string {
  const file = shortPath(source.file, context.host.env["HOME"]);
  return source.line === undefined ? file : `${file}:${source.line}`;
}
