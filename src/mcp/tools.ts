import type { CallToolResult, ListToolsResult, Tool } from "@modelcontextprotocol/sdk/types.js";
import { closest, type JsonObject } from "../base/index.js";
import type { Runtime, RuntimeSession } from "../runtime/index.js";
import type { AccessMode, ToolDefinition } from "../schema/index.js";
import { AGENT_TOOL, agentTool, runAgent } from "./agent-tool.js";
import { failed, wordsOf } from "./failure.js";
import { progressOf, type RequestExtra } from "./progress.js";
import type { Sessions } from "./sessions.js";

export interface ToolsPorts {
  readonly runtime: Pick<Runtime, "callable" | "toolsReady">;
  readonly sessions: Sessions;
  readonly mode: AccessMode;
  /** The tools a person named; undefined: those of the settings. */
  readonly chosen: readonly string[] | undefined;
  readonly isBehind: () => boolean;
}

/**
 * Those of smith that the access mode allows, and the one that runs a whole prompt with them. Servers that are still starting are waited for:
 * not every client asks again when it is told that the list has changed.
 */
export async function listTools(ports: ToolsPorts, signal: AbortSignal): Promise<ListToolsResult> {
  await ports.runtime.toolsReady(signal);
  return { tools: [...offered(ports).map(toolOf), agentTool(ports.mode)] };
}

const offered = ({ runtime, mode, chosen }: ToolsPorts): readonly ToolDefinition[] =>
  runtime.callable(chosen).filter(({ name, readOnly }) => name !== AGENT_TOOL && (readOnly || mode === "auto" || mode === "ask-writes"));

const isOffered = (ports: ToolsPorts, name: string): boolean => offered(ports).some((tool) => tool.name === name);

function toolOf({ name, description, parameters, readOnly }: ToolDefinition): Tool {
  const title = titleOf(name);
  return {
    name,
    title,
    description,
    inputSchema: { ...parameters, type: "object" },
    // Nothing more is known of one that changes things.
    annotations: { title, readOnlyHint: readOnly, ...(readOnly ? {} : { destructiveHint: true }) },
  };
}

const titleOf = (name: string): string => {
  const words = name.replaceAll(/[_-]+/gu, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Whatever goes wrong is a result the model can act on, also a name that is not offered. */
export async function callTool(
  ports: ToolsPorts,
  { name, args }: { readonly name: string; readonly args: JsonObject },
  extra: RequestExtra,
): Promise<CallToolResult> {
  if (name === AGENT_TOOL) return await runAgent(ports, args, extra);
  if (!isOffered(ports, name)) await ports.runtime.toolsReady(extra.signal);
  if (!isOffered(ports, name)) return failed(unknownTool(name, [...offered(ports).map((tool) => tool.name), AGENT_TOOL]));
  const session = await ports.sessions.direct();
  if (!session.ok) return failed(wordsOf(session.error));
  const tell = progressOf(extra, ports.isBehind);
  const called = await session.value.callTool(name, args, { signal: extra.signal, ...(tell === undefined ? {} : { onProgress: tell }) });
  ports.sessions.called();
  return called.ok ? resultOf(called.value) : failed(wordsOf(called.error));
}

function unknownTool(name: string, names: readonly string[]): string {
  const near = closest(name, names);
  return `Unknown tool ${JSON.stringify(name)}.${near === undefined ? "" : ` Did you mean ${near}?`} Available tools: ${names.join(", ")}.`;
}

type Called = Extract<Awaited<ReturnType<RuntimeSession["callTool"]>>, { readonly ok: true }>["value"];

/** Facts go beside the result: there are clients that show a model nothing but structured content where there is any. */
function resultOf({ text, isError, omittedBytes, mutation, summary, data, images = [] }: Called): CallToolResult {
  return {
    content: [
      { type: "text", text },
      ...images.map(({ mediaType, base64 }) => ({ type: "image" as const, data: base64, mimeType: mediaType })),
    ],
    isError,
    _meta: {
      "smith/mutation": mutation,
      ...(omittedBytes === 0 ? {} : { "smith/omittedBytes": omittedBytes }),
      ...(summary === undefined ? {} : { "smith/summary": summary }),
      ...(data === undefined ? {} : { "smith/data": data }),
    },
  };
}
