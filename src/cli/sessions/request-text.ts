import { type SessionId, shortId } from "../../base/index.js";
import type { EffectiveRequest } from "../../runtime/index.js";
import type { ImagePart, Message, ToolDefinition } from "../../schema/index.js";
import { imageWords } from "../output/image.js";
import { type Paint, plain } from "../output/colour.js";
import { localMinute } from "../output/time.js";
import { visible, visibleLine } from "../output/visible.js";

const VERIFIED: Readonly<Record<EffectiveRequest["verified"], string>> = {
  yes: "as sent: they have the digest recorded before sending",
  no: "NOT as sent: their digest is not the one recorded before sending",
  unrecorded: "rebuilt; no digest was recorded to check them by",
};

/** A request for people: its facts, instructions, tools and messages, under headings. Ends with a newline. */
export function renderRequest(found: EffectiveRequest, session: SessionId, paint: Paint = plain): string {
  const { request, number, system, tools, messages, verified } = found;
  const { dispatch } = request;
  const facts: readonly (readonly [string, string])[] = [
    ["id", request.request],
    ["time", localMinute(request.time)],
    ["dispatch", `${dispatch.provider}/${dispatch.model}, attempt ${String(request.attempt)}`],
    ["selection", request.selection],
    ...(request.thinking === undefined ? [] : [["thinking", request.thinking] as const]),
    ...routingFacts(request),
    ["generation", String(request.generation)],
    ["messages", `${String(messages.length)}, ${VERIFIED[verified]}`],
  ];
  return [
    `${paint("bold", `Request ${String(number)} of session ${shortId(session)}`)}\n`,
    ...facts.map(([name, value]) => `  ${paint("dim", name.padEnd(10))} ${visibleLine(value)}\n`),
    "\n",
    heading("Instructions", paint),
    `${textOf(system)}\n\n`,
    heading(`Tools (${String(tools.length)})`, paint),
    ...tools.map((tool) => renderTool(tool, paint)),
    heading(`Messages (${String(messages.length)})`, paint),
    ...messages.map((message, index) => renderMessage(message, index + 1, paint)),
  ].join("");
}

/** Why it went there, and what was known of the model. */
function routingFacts({ routing, facts, sampling }: EffectiveRequest["request"]): readonly (readonly [string, string])[] {
  const route = routing && [routing.connection, ...(routing.via === undefined ? [] : [`by way of ${routing.via.join(", ")}`])];
  return [
    ...(route === undefined ? [] : [["routing", route.join(", ")] as const]),
    ...(routing?.credential === undefined ? [] : [["credential", routing.credential] as const]),
    ...(routing?.because === undefined ? [] : [["because", routing.because] as const]),
    ...(facts === undefined ? [] : [["model", JSON.stringify(facts)] as const]),
    ...(sampling === undefined ? [] : [["sampling", JSON.stringify(sampling)] as const]),
  ];
}

const heading = (text: string, paint: Paint): string => `${paint("bold", text)}\n\n`;

const textOf = (text: string): string => visible(text).replace(/\n+$/u, "");

function renderTool({ name, plugin, description, parameters }: ToolDefinition, paint: Paint): string {
  return `${paint("cyan", visibleLine(name))} ${paint("dim", `(${visibleLine(plugin)})`)}\n${textOf(description)}\n${visible(JSON.stringify(parameters))}\n\n`;
}

/** A message of a request for people. Ends with an empty line. */
export function renderMessage(message: Message, number: number, paint: Paint = plain): string {
  const { head, body } = describe(message);
  const text = body.map(textOf).filter((part) => part !== "");
  return `${[`${paint("dim", `#${String(number)}`)} ${paint("bold", visibleLine(head))}`, ...text].join("\n")}\n\n`;
}

function describe(message: Message): { readonly head: string; readonly body: readonly string[] } {
  switch (message.role) {
    case "user":
      return { head: `user${images(message.images)}`, body: [message.text, ...imageLines(message.images)] };
    case "assistant":
      return {
        head: message.from === undefined ? "assistant" : `assistant ${message.from.provider}/${message.from.model}`,
        body: [
          ...(message.thinking ?? []).map(({ text }) => (text === "" ? "" : `(thinking) ${text}`)),
          message.text,
          ...message.toolCalls.map(({ name, argsText }) => `(calls ${name} ${argsText})`),
        ],
      };
    case "tool":
      return {
        head: `tool ${message.name}${message.isError ? " (failed)" : ""}${images(message.images)}`,
        body: [message.text, ...imageLines(message.images)],
      };
  }
}

const imageLines = (parts: readonly ImagePart[] = []): readonly string[] => parts.map((image) => `[image ${imageWords(image)}]`);

const images = (parts: readonly ImagePart[] | undefined): string =>
  parts === undefined || parts.length === 0 ? "" : ` with ${String(parts.length)} ${parts.length === 1 ? "image" : "images"}`;
