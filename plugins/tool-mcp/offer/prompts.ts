import type { McpPromptInfo, McpServerView, OfferedCommand } from "smith-agent/plugin";
import { clip, oneLine } from "../words.js";
import { toolName } from "./names.js";

/** A session takes no more commands of one plugin. */
const MAX_COMMANDS = 256;
const MAX_LINE = 200;

export interface MadeCommands {
  readonly commands: readonly OfferedCommand[];
  readonly notes: readonly string[];
}

/** The prompts of all servers as commands of people: `/mcp__server__prompt`. */
export function makeCommands(servers: readonly McpServerView[]): MadeCommands {
  const commands = new Map<string, OfferedCommand>();
  const notes: string[] = [];
  for (const server of servers) {
    for (const prompt of server.prompts) {
      const name = toolName(server.name, prompt.name);
      if (commands.has(name))
        notes.push(`${server.name}: the prompt ${JSON.stringify(clip(prompt.name, 80))} is listed twice; the first is used.`);
      else commands.set(name, commandOf(server, prompt, name));
    }
  }
  const over = commands.size - MAX_COMMANDS;
  if (over > 0) notes.push(`${over} prompts of MCP servers were left out: there are at most ${MAX_COMMANDS}.`);
  return { commands: [...commands.values()].slice(0, MAX_COMMANDS), notes };
}

function commandOf(server: McpServerView, prompt: McpPromptInfo, name: string): OfferedCommand {
  const usage = promptUsage(prompt);
  const words = [prompt.description, prompt.title].map((text) => oneLine(text ?? "")).find((text) => text !== "");
  return {
    name,
    description: clip(words ?? `The prompt ${prompt.name} of the MCP server ${server.name}`, MAX_LINE),
    ...(usage === "" ? {} : { usage: clip(usage, MAX_LINE) }),
    target: { server: server.name, prompt: prompt.name },
  };
}

/** Arguments in the order they may be given without their names; those in brackets may be left out. */
export const promptUsage = ({ arguments: args }: Pick<McpPromptInfo, "arguments">): string =>
  args.map(({ name, required }) => (required ? oneLine(name) : `[${oneLine(name)}]`)).join(" ");
