import { z } from "zod";
import { parseJson, plural } from "../../../base/index.js";
import { plainWords } from "../names.js";

/** As other programs write it, so what is not used is not judged. */
const serversSchema = z.looseObject({
  mcpServers: z.record(
    z.string(),
    z.looseObject({
      command: z.string().optional(),
      args: z.array(z.unknown()).optional(),
      env: z.record(z.string(), z.unknown()).optional(),
      url: z.string().optional(),
    }),
  ),
});

const MAX_SERVERS = 20;

/** What `.mcp.json` starts and connects to, with its commands as they are. */
export function serverWords(text: string): string {
  const parsed = serversSchema.safeParse(parseJson(text));
  if (!parsed.success) return "names MCP servers in a form that cannot be read";
  const servers = Object.entries(parsed.data.mcpServers);
  const words = servers.slice(0, MAX_SERVERS).map(([name, { command, args, env, url }]) => {
    const line = [command ?? url ?? "nothing", ...(args ?? []).map((argument) => (typeof argument === "string" ? argument : "?"))].join(
      " ",
    );
    const variables =
      env === undefined
        ? ""
        : ` (sets ${Object.keys(env)
            .map((key) => plainWords(key, 40))
            .join(", ")})`;
    return `${plainWords(name, 60)}: ${plainWords(line, 200)}${variables}`;
  });
  const more = servers.length > MAX_SERVERS ? "; and more" : "";
  return `starts or connects to ${plural(servers.length, "MCP server")}${words.length === 0 ? "" : `: ${words.join("; ")}`}${more}`;
}
