import type { JsonObject, McpServerView, McpToolInfo, OfferedTool } from "smith-agent/plugin";
import { asObject, texts } from "../json.js";
import { repairSchema } from "../schema/repair.js";
import { clip, oneLine, plural } from "../words.js";
import { readerName, toolName } from "./names.js";
import { isAllowed } from "./select.js";

/** A tool that can be offered, and what it weighs in a request. */
export interface MadeTool {
  readonly tool: OfferedTool;
  readonly units: number;
}

/** What became of one server's tools. */
export interface MadeTools {
  readonly tools: readonly MadeTool[];
  /** Tools its setting does not let through. */
  readonly barred: number;
  readonly notes: readonly string[];
}

const MAX_DESCRIPTION = 2_048;
const CUT_MARK = " [… cut]";
/** Of a tool's own name, in notes. */
const MAX_SHOWN_NAME = 80;
/** Servers list a few hundred at the most; one that never ends takes nothing from the others. */
const MAX_LISTED = 2_048;

/** What of all servers may still be looked at: tools, and UTF-16 units of what they are. */
export interface Room {
  tools: number;
  units: number;
}

/** Looking takes time, and there is a second for all of it. */
export const roomForAll = (): Room => ({ tools: 512, units: 384 * 1024 });

/**
 * The tools of one server as models get them, in the order of their names. One that cannot be used is left out with the reason; it takes no
 * other along. What there is no room for is left out, too.
 */
export function makeTools(server: McpServerView, room: Room): MadeTools {
  const made: MadeTool[] = [];
  const notes: string[] = [];
  const seen = new Set<string>();
  let barred = 0;
  let over = 0;
  if (server.resources && room.tools > 0) {
    made.push(readerTool(server));
    room.tools -= 1;
  }
  const listed = server.tools.slice(0, MAX_LISTED).toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
  if (server.tools.length > listed.length)
    notes.push(`${server.name}: only the first ${MAX_LISTED} of its ${server.tools.length} tools are looked at.`);
  for (const tool of listed) {
    const shown = JSON.stringify(clip(tool.name, MAX_SHOWN_NAME));
    if (seen.has(tool.name)) {
      notes.push(`${server.name}: the tool ${shown} is listed twice; the first is used.`);
      continue;
    }
    seen.add(tool.name);
    if (!isAllowed(tool.name, server)) {
      barred += 1;
      continue;
    }
    if (room.tools <= 0 || room.units <= 0) {
      over += 1;
      continue;
    }
    room.units -= JSON.stringify(tool).length;
    const result = makeTool(server, tool);
    if (typeof result === "string") notes.push(`${server.name}: the tool ${shown} was left out: ${result}.`);
    else {
      made.push(result);
      room.tools -= 1;
    }
  }
  if (over > 0) notes.push(`${server.name}: ${plural(over, "tool")} left out: all servers together have too many.`);
  return { tools: made, barred, notes };
}

/** The tool, or why there is none. */
function makeTool(server: McpServerView, tool: McpToolInfo): MadeTool | string {
  const schema = repairSchema(tool.inputSchema);
  if (schema.type === "unusable") return schema.reason;
  const name = toolName(server.name, tool.name);
  const description = descriptionOf(server, tool, schema.words);
  const summaryKeys = summaryKeysOf(schema.schema);
  return {
    tool: {
      name,
      description,
      parameters: schema.schema,
      ...(summaryKeys.length === 0 ? {} : { summaryKeys }),
      target: { server: server.name, tool: tool.name },
    },
    units: name.length + description.length + schema.units,
  };
}

/** What its schema cannot say any more comes after what the server says, and is never cut away. */
function descriptionOf(server: McpServerView, { name, title, description }: McpToolInfo, words: readonly string[]): string {
  const own =
    [description, title].map((text) => text?.trim() ?? "").find((text) => text !== "") ?? `${name} of the MCP server ${server.name}.`;
  const added = clip(words.map((line) => `\n${line}`).join(""), MAX_DESCRIPTION / 2);
  return `${clip(own, MAX_DESCRIPTION - added.length, CUT_MARK)}${added}`;
}

/** Up to two arguments that are short by their kind, needed ones first. */
function summaryKeysOf(schema: JsonObject): readonly string[] {
  const properties = asObject(schema["properties"]);
  const required = texts(schema["required"]);
  const isShort = (name: string): boolean =>
    Object.hasOwn(properties, name) && ["string", "number", "integer"].some((type) => asObject(properties[name])["type"] === type);
  const names = Object.keys(properties).filter(isShort);
  return [...names.filter((name) => required.includes(name)), ...names.filter((name) => !required.includes(name))].slice(0, 2);
}

const READER_PARAMETERS: JsonObject = {
  type: "object",
  properties: { uri: { type: "string", description: "Left out: lists the resources" } },
};

function readerTool(server: McpServerView): MadeTool {
  const name = readerName(server.name, server.tools);
  const title = server.title === undefined ? server.name : `${server.name} (${clip(oneLine(server.title), 80)})`;
  const description = `Read a resource of the MCP server ${title}, or list them.`;
  return {
    tool: { name, description, parameters: READER_PARAMETERS, summaryKeys: ["uri"], target: { server: server.name, reads: "resources" } },
    units: name.length + description.length + JSON.stringify(READER_PARAMETERS).length,
  };
}
