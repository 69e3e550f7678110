import { err, invariant, type JsonValue, ok, type Result, utf8Length } from "../../base/index.js";
import type { Diagnostic, McpCallInput, McpContent, Question, SdkOperations } from "../../schema/index.js";
import type { EffectContext, EffectReply, Facility, McpAnswer, McpPart, McpPort, McpUse, UiPort } from "../types.js";
import { mcpArgumentsTooLarge, mcpDenied, mcpUnavailable } from "./mcp-failures.js";
import { shownText } from "./shown-text.js";

const BOUNDS = {
  /** UTF-8 bytes of the arguments of one call. */
  args: 1024 * 1024,
  /** UTF-16 units of JSON that the texts of one answer may have. */
  text: 1024 * 1024,
  /** The same of what is structured in it. */
  structured: 1024 * 1024,
  /** The same of all that is around the texts: addresses, names, kinds. */
  around: 512 * 1024,
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
  const { isError } = result.value;
  const { parts, structured, omitted } = fitted(result.value);
  const { content, omitted: more } = bounded(parts, context);
  return { outcome, result: ok({ content, omitted: omitted + more, isError, ...(structured === undefined ? {} : { structured }) }) };
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
    ...(asks ? { ask: async (question) => await ui.ask(shown(question), { effect, plugin, signal }) } : {}),
  };
}

/** A question of a server as people get to see it. What comes back is never shown and stays as it is. */
function shown(question: Question): Question {
  const text = shownText(question.text);
  switch (question.type) {
    case "ask":
      return { ...question, text, ...(question.initial === undefined ? {} : { initial: shownText(question.initial) }) };
    case "choose":
      return { ...question, text, options: question.options.map((option) => ({ ...option, label: shownText(option.label) })) };
    case "confirm":
      return { ...question, text };
  }
}

/** An answer before its texts are bounded, and how many characters of it are left out already. */
interface Fitted {
  readonly parts: readonly McpPart[];
  readonly structured?: JsonValue;
  readonly omitted: number;
}

/** What is structured, where it is within its bound. Where it is all there is, the beginning of its JSON is shown as a text. */
function fitted({ content, structured }: McpAnswer): Fitted {
  if (structured === undefined) return { parts: content, omitted: 0 };
  const json = JSON.stringify(structured);
  if (json.length <= BOUNDS.structured) return { parts: content, structured, omitted: 0 };
  return content.length === 0 ? { parts: [{ type: "text", text: json }], omitted: 0 } : { parts: content, omitted: json.length };
}

/**
 * What comes back of an answer: texts as far as they fit, images on the shelf, and how many characters of text were left out. Parts keep their
 * places; only those at the end are left out whole, where there is no room for what is around their texts.
 */
function bounded(
  parts: readonly McpPart[],
  { images }: Pick<EffectContext, "images">,
): { readonly content: readonly McpContent[]; readonly omitted: number } {
  const content: McpContent[] = [];
  let [text, around]: readonly [number, number] = [BOUNDS.text, BOUNDS.around];
  let omitted = 0;
  for (const [index, part] of parts.entries()) {
    const whole = part.type === "image" ? shelved(part, images) : part;
    const made = "text" in whole ? { ...whole, text: cutText(whole.text, text) } : whole;
    const textUnits = "text" in made ? JSON.stringify(made.text).length : 0;
    around -= JSON.stringify(made).length - textUnits;
    if (around < 0) return { content, omitted: omitted + lengthOf(parts.slice(index)) };
    text = Math.max(0, text - textUnits);
    omitted += textLength(whole) - textLength(made);
    content.push(made);
  }
  return { content, omitted };
}

const textLength = (part: McpPart | McpContent): number => ("text" in part ? part.text.length : 0);
const lengthOf = (parts: readonly McpPart[]): number => parts.reduce((sum, part) => sum + textLength(part), 0);

/** The beginning of a text that has at most `units` as JSON, quotes left aside. */
function cutText(text: string, units: number): string {
  let end = Math.min(text.length, units);
  for (;;) {
    const cut = end === text.length ? text : text.slice(0, end).replace(/[\uD800-\uDBFF]$/u, "");
    const size = JSON.stringify(cut).length - 2;
    if (size <= units) return cut;
    end = Math.floor((end * units) / size);
  }
}

function shelved({ image }: Extract<McpPart, { readonly type: "image" }>, images: EffectContext["images"]): McpContent {
  const kept = images?.keep(image);
  if (kept !== undefined) return { type: "image", image: kept };
  return { type: "other", kind: "image", mediaType: image.mediaType, bytes: Math.floor((image.base64.length * 3) / 4) };
}
