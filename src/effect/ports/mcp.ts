import { err, invariant, ok, type Result, utf8Length } from "../../base/index.js";
import type { Diagnostic, McpCallInput, McpContent, SdkOperations } from "../../schema/index.js";
import type { EffectContext, EffectReply, Facility, McpPart, McpPort, McpUse, UiPort } from "../types.js";
import { mcpArgumentsTooLarge, mcpDenied, mcpUnavailable } from "./mcp-failures.js";

const BOUNDS = {
  /** UTF-8 bytes of the arguments of one call. */
  args: 1024 * 1024,
  /** UTF-16 units of text in one answer. */
  text: 1024 * 1024,
} as const;

type McpOperation = "mcp.servers" | "mcp.call" | "mcp.read" | "mcp.resources" | "mcp.prompt" | "mcp.reconnect";
type Facilities = { readonly [Op in McpOperation]: Facility<Op> };
type Reply<Op extends McpOperation> = EffectReply<SdkOperations[Op]["output"]>;

export interface McpFacilityDeps {
  readonly mcp?: McpPort;
  readonly ui: UiPort;
}

/** Servers by name, each only where the grant names it. What comes back is bounded; images stay with the host. */
export function createMcpFacilities({ mcp, ui }: McpFacilityDeps): Facilities {
  const port = (): Result<McpPort, Diagnostic> => (mcp === undefined ? err(mcpUnavailable()) : ok(mcp));
  return {
    "mcp.servers": {
      authorize: async (input, context) => permitted(context, input),
      run: async (_, { grants }) => {
        const servers = mcp?.servers().filter(({ name }) => isGranted(grants.mcp, name)) ?? [];
        return await Promise.resolve({ outcome: "not-applied", result: ok({ servers }) });
      },
    },
    "mcp.call": {
      authorize: async (input, context) => authorizeCall(input, context),
      run: async (input, context) => await call(port(), ui, input, context),
    },
    "mcp.read": {
      authorize: async (input, context) => permitted(context, input, input.server),
      run: async ({ server, uri }, context) =>
        await reading<"mcp.read">(port(), async (found) => {
          const read = await found.read(server, uri, useOf(ui, context));
          return read.ok ? ok(bounded(read.value, context)) : read;
        }),
    },
    "mcp.resources": {
      authorize: async (input, context) => permitted(context, input, input.server),
      run: async ({ server }, context) =>
        await reading<"mcp.resources">(port(), async (found) => await found.resources(server, useOf(ui, context))),
    },
    "mcp.prompt": {
      authorize: async (input, context) => permitted(context, input, input.server),
      run: async ({ server, prompt, args = {} }, context) =>
        await reading<"mcp.prompt">(port(), async (found) => {
          const rendered = await found.prompt(server, { name: prompt, args }, useOf(ui, context));
          if (!rendered.ok) return rendered;
          const { content } = bounded(
            rendered.value.messages.map((message) => message.content),
            context,
          );
          // Parts that were left out for the bound are at the end.
          const messages = content.map((part, index) => ({ role: rendered.value.messages[index]?.role ?? "user", content: part }));
          return ok({ ...rendered.value, messages });
        }),
    },
    "mcp.reconnect": {
      authorize: async (input, context) => permitted(context, input, input.server),
      run: async ({ server }, context) =>
        await reading<"mcp.reconnect">(port(), async (found) => await found.reconnect(server, useOf(ui, context))),
    },
  };
}

function authorizeCall(input: McpCallInput, context: EffectContext): Result<McpCallInput, Diagnostic> {
  const bytes = utf8Length(JSON.stringify(input.args));
  return bytes > BOUNDS.args ? err(mcpArgumentsTooLarge(input, bytes, BOUNDS.args)) : permitted(context, input, input.server);
}

/** Without a server named: whoever may use any. */
function permitted<Input>({ plugin, grants }: EffectContext, input: Input, server?: string): Result<Input, Diagnostic> {
  const may = server === undefined ? grants.mcp.length > 0 : isGranted(grants.mcp, server);
  return may ? ok(input) : err(mcpDenied(plugin, server, grants.mcp));
}

const isGranted = (granted: readonly string[], server: string): boolean => granted.includes("*") || granted.includes(server);

async function call(
  port: Result<McpPort, Diagnostic>,
  ui: UiPort,
  input: McpCallInput,
  context: EffectContext,
): Promise<Reply<"mcp.call">> {
  if (!port.ok) return { outcome: "not-applied", result: port };
  const { outcome, result } = await port.value.call(input, useOf(ui, context));
  if (!result.ok) return { outcome, result };
  const { content, structured, isError } = result.value;
  return { outcome, result: ok({ ...bounded(content, context), isError, ...(structured === undefined ? {} : { structured }) }) };
}

async function reading<Op extends McpOperation>(
  port: Result<McpPort, Diagnostic>,
  run: (port: McpPort) => Promise<Result<SdkOperations[Op]["output"], Diagnostic>>,
): Promise<Reply<Op>> {
  return { outcome: "not-applied", result: port.ok ? await run(port.value) : port };
}

function useOf(ui: UiPort, { effect, plugin, signal, onProgress, grants }: EffectContext): McpUse {
  invariant(effect !== undefined, "a server is used for an effect on record");
  const asks = grants.ui.includes("ask") && grants.ui.includes("choose") && grants.ui.includes("confirm");
  return {
    signal,
    ...(onProgress === undefined ? {} : { onProgress }),
    ...(asks ? { ask: async (question) => await ui.ask(question, { effect, plugin, signal }) } : {}),
  };
}

/** Text within the bound, images on the shelf, and how much text was left out. */
function bounded(
  parts: readonly McpPart[],
  { images }: Pick<EffectContext, "images">,
): { readonly content: readonly McpContent[]; readonly omitted: number } {
  let left: number = BOUNDS.text;
  let omitted = 0;
  const content = parts.map((part): McpContent => {
    if (part.type === "image") return shelved(part, images);
    if (part.type === "other") return part;
    const text = left >= part.text.length ? part.text : part.text.slice(0, left).replace(/[\uD800-\uDBFF]$/u, "");
    omitted += part.text.length - text.length;
    left -= text.length;
    return { ...part, text };
  });
  return { content, omitted };
}

function shelved({ image }: Extract<McpPart, { readonly type: "image" }>, images: EffectContext["images"]): McpContent {
  const kept = images?.keep(image);
  if (kept !== undefined) return { type: "image", image: kept };
  return { type: "other", kind: "image", mediaType: image.mediaType, bytes: Math.floor((image.base64.length * 3) / 4) };
}
