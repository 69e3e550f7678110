import type { CallToolResult, ListToolsResult, Tool } from "@modelcontextprotocol/sdk/types.js";
import type { JsonObject } from "../base/index.js";
import type { Runtime, RuntimeSession } from "../runtime/index.js";
import type { AccessMode, ToolDefinition } from "../schema/index.js";
import { AGENT_TOOL, agentTool, runAgent } from "./agent-tool.js";
import { invalidParams, wordsOf } from "./failure.js";
import { progressOf, type RequestExtra } from "./progress.js";
import type { Sessions } from "./sessions.js";

export interface ToolsPorts {
  readonly runtime: Pick<Runtime, "callable">;
  readonly sessions: Sessions;
  readonly mode: AccessMode;
  /** The tools a person named; undefined: those of the settings. */
  readonly chosen: readonly string[] | undefined;
  readonly isBehind: () => boolean;
}

/** Those of smith that the access mode allows, and the one that runs a whole prompt with them. */
export function listTools(ports: ToolsPorts): ListToolsResult {
  return { tools: [...offered(ports).map(toolOf), agentTool(ports.mode)] };
}

const offered = ({ runtime, mode, chosen }: ToolsPorts): readonly ToolDefinition[] =>
  runtime.callable(chosen).filter(({ name, readOnly }) => name !== AGENT_TOOL && (readOnly || mode === "auto" || mode === "ask-writes"));

function toolOf({ name, description, parameters, readOnly }: ToolDefinition): Tool {
  const title = titleOf(name);
  return {
    name,
    title,
    description,
    inputSchema: { ...parameters, type: "object" },
    // What else a client assumes of a tool that says nothing is the worst, and that is right.
    annotations: { title, readOnlyHint: readOnly },
  };
}

const titleOf = (name: string): string => {
  const words = name.replaceAll(/[_-]+/gu, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Names that are not offered are an error of the protocol; everything else that goes wrong is a result the model can act on. */
export async function callTool(
  ports: ToolsPorts,
  { name, args }: { readonly name: string; readonly args: JsonObject },
  extra: RequestExtra,
): Promise<CallToolResult> {
  if (name === AGENT_TOOL) return await runAgent(ports, args, extra);
  if (!offered(ports).some((tool) => tool.name === name)) throw invalidParams(`Unknown tool: ${name}`);
  const session = await ports.sessions.direct();
  if (!session.ok) return { content: [{ type: "text", text: wordsOf(session.error) }], isError: true };
  const tell = progressOf(extra, ports.isBehind);
  const called = await session.value.callTool(name, args, { signal: extra.signal, ...(tell === undefined ? {} : { onProgress: tell }) });
  ports.sessions.called();
  return called.ok ? resultOf(called.value) : { content: [{ type: "text", text: wordsOf(called.error) }], isError: true };
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
