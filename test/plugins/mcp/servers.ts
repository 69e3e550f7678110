import type { McpPromptInfo, McpServerView, McpToolInfo } from "../../../src/plugin/sdk.js";

/** A connected server with the given differences. */
export const serverOf = (over: Partial<McpServerView> = {}): McpServerView => ({
  name: "demo",
  state: "connected",
  tools: [],
  prompts: [],
  resources: false,
  notes: [],
  allow: [],
  deny: [],
  offer: "auto",
  timeoutMs: 30_000,
  ...over,
});

export const toolOf = (name: string, over: Partial<McpToolInfo> = {}): McpToolInfo => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  ...over,
});

/** A tool whose definition weighs about so many characters. */
export const heavyTool = (name: string, units: number): McpToolInfo =>
  toolOf(name, {
    description: "",
    title: "t",
    inputSchema: { type: "object", properties: { x: { type: "string", description: "d".repeat(units) } } },
  });

export const promptOf = (name: string, args: McpPromptInfo["arguments"] = []): McpPromptInfo => ({ name, arguments: args });

/** What the host throws into a plugin. */
export const hostError = (code: string, what: string, why = "Why.", next = "Next."): Error =>
  Object.assign(new Error(what), { name: "HostError", code, what, why, next });
