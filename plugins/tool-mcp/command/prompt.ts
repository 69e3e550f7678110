import { type Action, type CommandContext, isHostError, type JsonValue, type McpPromptOutput } from "smith-agent/plugin";
import { asObject } from "../json.js";
import { promptUsage } from "../offer/prompts.js";
import { presentParts } from "../present/parts.js";
import { clip } from "../words.js";
import { parsePromptArguments } from "./arguments.js";

interface PromptCall {
  readonly name: string;
  readonly target: JsonValue;
  readonly args: string;
}

/** UTF-16 units of JSON: what a command wants may not be longer. */
const MAX_UNITS = 240 * 1024;
const MAX_NOTICE = 2_000;

/** `/mcp__server__prompt args`: renders a prompt of a server, and what comes of it is said as if it had been typed. */
export async function runPrompt({ name, target, args }: PromptCall, { mcp }: CommandContext): Promise<readonly Action[]> {
  const { server, prompt } = asObject(target);
  if (typeof server !== "string" || typeof prompt !== "string") return wrong(`/${name} is no prompt of an MCP server.`);
  try {
    const view = (await mcp.servers()).find((one) => one.name === server);
    if (view === undefined) return wrong(`There is no MCP server ${server} any more.`);
    const info = view.prompts.find((one) => one.name === prompt);
    if (info === undefined) return wrong(`${server} does not list the prompt ${prompt} any more.`);
    const read = parsePromptArguments(args, info.arguments);
    if (read.type === "wrong") return wrong(`${read.problem}. Write: /${name} ${promptUsage(info)}`.trim());
    const text = promptText(await mcp.prompt({ server, prompt, args: read.args }));
    if (text === "") return wrong(`The prompt ${prompt} of ${server} came out empty.`);
    if (JSON.stringify(text).length > MAX_UNITS)
      return wrong(`The prompt ${prompt} of ${server} has ${text.length} characters, which is too long.`);
    return [{ type: "enqueue", text }];
  } catch (error) {
    if (!isHostError(error)) throw error;
    return wrong([error.what, error.why, error.next].join(" "));
  }
}

/** The messages one after the other; where an assistant speaks in them, everybody is named. What is no text is told of. */
export function promptText({ messages }: McpPromptOutput): string {
  const isConversation = messages.some(({ role }) => role === "assistant");
  return messages
    .map(({ role, content }) => {
      const text = presentParts([content]).blocks.join("\n").trim();
      return isConversation && text !== "" ? `${role === "user" ? "User" : "Assistant"}:\n${text}` : text;
    })
    .filter((text) => text !== "")
    .join("\n\n");
}

const wrong = (text: string): readonly Action[] => [{ type: "notify", text: clip(text, MAX_NOTICE), role: "error" }];
