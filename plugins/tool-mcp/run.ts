import {
  failure,
  type HostError,
  isHostError,
  type JsonValue,
  type McpServerView,
  type ToolContext,
  type ToolOutput,
  type ToolSetCall,
} from "smith-agent/plugin";
import { asObject } from "./json.js";
import { presentAnswer } from "./present/answer.js";
import { presentResources } from "./present/resources.js";
import { someNames } from "./words.js";

/** What an offered tool stands for. */
type Target =
  { readonly type: "tool"; readonly server: string; readonly tool: string } | { readonly type: "resources"; readonly server: string };

function parseTarget(target: JsonValue): Target | undefined {
  const { server, tool, reads } = asObject(target);
  if (typeof server !== "string") return undefined;
  if (typeof tool === "string") return { type: "tool", server, tool };
  return reads === "resources" ? { type: "resources", server } : undefined;
}

/** Runs one call. It is sent once; what the host refuses or cannot do becomes an error with what is known of the server. */
export async function run({ name, target, args }: ToolSetCall, context: ToolContext): Promise<ToolOutput> {
  const found = parseTarget(target);
  if (found === undefined)
    return failure(`${name} names no tool of an MCP server; the servers have changed. Use a tool that is offered now.`);
  try {
    return found.type === "tool" ? await callTool(found, args, context) : await readResource(found.server, args["uri"], context);
  } catch (error) {
    if (!isHostError(error)) throw error;
    return await failed(error, found, context);
  }
}

async function callTool(
  { server, tool }: Extract<Target, { type: "tool" }>,
  args: ToolSetCall["args"],
  { mcp }: ToolContext,
): Promise<ToolOutput> {
  return presentAnswer(await mcp.call({ server, tool, args }), { server, tool });
}

async function readResource(server: string, uri: JsonValue | undefined, { mcp }: ToolContext): Promise<ToolOutput> {
  if (typeof uri !== "string" || uri === "") return presentResources(server, await mcp.resources({ server }));
  return presentAnswer(await mcp.read({ server, uri }), { server, uri });
}

/** Failures after a call went out that do not say so themselves. */
const IS_SENT: ReadonlySet<string> = new Set(["mcp.timed-out", "mcp.stopped"]);
/** Failures whose words are how the server stands. */
const TELLS_STATE: ReadonlySet<string> = new Set(["mcp.server-failed", "mcp.server-off", "mcp.sign-in-needed"]);

async function failed({ code, what, why, next }: HostError, target: Target, { mcp }: ToolContext): Promise<ToolOutput> {
  let servers: readonly McpServerView[] = [];
  try {
    servers = await mcp.servers();
  } catch (error) {
    // The failure itself is what counts; what else is known is an extra.
    if (!isHostError(error)) throw error;
  }
  const state = servers.length === 0 || TELLS_STATE.has(code) ? undefined : serverWords(target, servers);
  const outcome =
    target.type === "tool" && IS_SENT.has(code) ? "Whether it was carried out is not known; it is not sent again." : undefined;
  return failure([what, why, outcome, next, state].filter((line) => line !== undefined && line !== "").join("\n"), {
    summary: what,
    details: { data: { server: target.server, ...(target.type === "tool" ? { tool: target.tool } : {}), code } },
  });
}

/** What has become of the server since its tool was offered; nothing where it is as it was. */
function serverWords(target: Target, servers: readonly McpServerView[]): string | undefined {
  const view = servers.find(({ name }) => name === target.server);
  if (view === undefined)
    return `There is no MCP server ${target.server} any more; there are ${someNames(
      servers.map(({ name }) => name),
      20,
    )}.`;
  if (view.state !== "connected")
    return `The MCP server ${view.name} is ${STATE_WORDS[view.state]} now${view.message === undefined ? "." : `: ${view.message}`}`;
  if (target.type === "resources" || view.tools.some(({ name }) => name === target.tool)) return undefined;
  return `${view.name} does not list the tool ${target.tool} any more.`;
}

const STATE_WORDS: { readonly [State in McpServerView["state"]]: string } = {
  off: "turned off",
  connecting: "connecting",
  stale: "connecting",
  connected: "connected",
  reconnecting: "connecting again",
  "sign-in": "waiting for somebody to sign in",
  failed: "not usable",
};
