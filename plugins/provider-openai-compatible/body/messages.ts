import type { ImagePart, JsonObject, ProviderRequest, ToolCall } from "smith-agent/plugin";
import { parseJson } from "smith-agent/plugin";
import type { Profile } from "../profile/index.js";
import { type Step, stepsOf, type ToolMessage } from "./history.js";
import { wireIds, wireName } from "./ids.js";
import { replayed } from "./replay.js";

export type WireMessage = JsonObject & { readonly role: string; readonly content: WireContent };
export type WireContent = string | null | readonly JsonObject[];

/** What the messages of one request depend on. */
interface Context {
  readonly profile: Profile;
  readonly ids: ReadonlyMap<string, string>;
  readonly own: { readonly provider: string; readonly model: string };
  /** The model sees, and the server takes images. */
  readonly sees: boolean;
  /** It is not asked to leave thinking out. */
  readonly thinks: boolean;
}

const NOTHING_SAID = "(no text)";
const NO_OUTPUT = "(no output)";
const BRIDGE = "Understood.";

/** The conversation on the wire, without the system prompt. No content is ever empty but where the profile says so. */
export function wireMessages(request: ProviderRequest, profile: Profile): readonly WireMessage[] {
  const steps = stepsOf(request.messages);
  const own = { provider: request.provider, model: request.model };
  const context: Context = {
    profile,
    ids: wireIds(steps, profile, own),
    own,
    sees: profile.images && request.facts.images === true,
    thinks: request.thinking !== "off",
  };
  const wire = steps.flatMap((step) => stepMessages(step, context));
  const alternating = profile.alternate ? joinNeighbours(wire) : wire;
  return profile.bridge ? alternating.flatMap((message, at) => bridged(message, alternating[at - 1])) : alternating;
}

function stepMessages(step: Step, context: Context): readonly WireMessage[] {
  if (step.type === "user") return [userMessage(step.message.text, step.message.images, context)];
  return [...assistant(step, context), ...step.results.map((result) => toolResult(result, context)), ...shown(step.results, context)];
}

function userMessage(text: string, images: readonly ImagePart[] = [], { sees }: Context): WireMessage {
  const words = `${text}${sees ? "" : imageNote(images.length)}`;
  if (!sees || images.length === 0) return { role: "user", content: words.trim() === "" ? NOTHING_SAID : words };
  const said: readonly JsonObject[] = words.trim() === "" ? [] : [{ type: "text", text: words }];
  return { role: "user", content: [...said, ...images.map(imagePart)] };
}

const imagePart = ({ mediaType, base64 }: ImagePart): JsonObject => ({
  type: "image_url",
  image_url: { url: `data:${mediaType};base64,${base64}` },
});

/** A message with nothing to say is refused by some servers, so it goes. */
function assistant(step: Extract<Step, { type: "assistant" }>, context: Context): readonly WireMessage[] {
  const { message } = step;
  const { profile } = context;
  const isSilent = message.text.trim() === "";
  if (isSilent && message.toolCalls.length === 0) return [];
  const back = replayed(message, { ...context, replay: profile.replay, isOfLastTurn: step.isOfLastTurn });
  return [
    {
      role: "assistant",
      content: contentOf(isSilent ? profile.emptyContent : message.text, back.parts),
      ...back.fields,
      ...(message.toolCalls.length === 0 ? {} : { tool_calls: message.toolCalls.map((call) => wireCall(call, context)) }),
    },
  ];
}

function contentOf(text: string | null, before: readonly JsonObject[]): string | null | readonly JsonObject[] {
  if (before.length === 0) return text;
  return text === null || text === "" ? before : [...before, { type: "text", text }];
}

const wireCall = (call: ToolCall, { ids }: Context): JsonObject => ({
  id: ids.get(call.call) ?? call.providerId,
  type: "function",
  function: { name: wireName(call.name), arguments: replayedArguments(call.argsText, call.args) },
});

/** Always a JSON object: servers refuse a whole conversation for one that is not. */
function replayedArguments(text: string, args: JsonObject | undefined): string {
  const parsed = parseJson(text);
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return text;
  return args === undefined ? "{}" : JSON.stringify(args);
}

function toolResult(message: ToolMessage, { profile, ids, sees }: Context): WireMessage {
  const prefix = message.isError && !/^error\b/iu.test(message.text) ? "Error: " : "";
  const text = `${prefix}${message.text}${sees ? "" : imageNote(message.images?.length)}`;
  return {
    role: "tool",
    tool_call_id: ids.get(message.call) ?? message.providerId,
    ...(profile.toolName ? { name: wireName(message.name) } : {}),
    content: text.trim() === "" ? (sees && (message.images?.length ?? 0) > 0 ? SHOWN_BELOW : NO_OUTPUT) : text,
  };
}

const SHOWN_BELOW = "(an image, shown in the next message)";

/** A result is text in this API: what it shows follows all results as a message of the user. */
function shown(results: readonly ToolMessage[], context: Context): readonly WireMessage[] {
  const images = results.flatMap((result) => result.images ?? []);
  if (!context.sees || images.length === 0) return [];
  const names = [...new Set(results.flatMap((result) => ((result.images?.length ?? 0) > 0 ? [wireName(result.name)] : [])))].join(", ");
  return [userMessage(`What ${names} returned as ${images.length === 1 ? "an image" : "images"}:`, images, context)];
}

function imageNote(count: number | undefined): string {
  if (count === undefined || count === 0) return "";
  return `\n[${count === 1 ? "an image" : `${count} images`} left out: this model or connection carries text only]`;
}

/** User messages in a row become one, and so do texts of the assistant. */
function joinNeighbours(messages: readonly WireMessage[]): readonly WireMessage[] {
  const joined: WireMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last !== undefined && areJoined(last, message))
      joined[joined.length - 1] = { ...message, content: joinContent(last.content, message.content) };
    else joined.push(message);
  }
  return joined;
}

const areJoined = (last: WireMessage, message: WireMessage): boolean =>
  last.role === message.role && (message.role === "user" || (message.role === "assistant" && isPlainText(last)));

/** Nothing but a text: joining it to what follows loses nothing. */
const isPlainText = (message: WireMessage): boolean =>
  typeof message.content === "string" && Object.keys(message).every((key) => key === "role" || key === "content");

function joinContent(left: WireContent | undefined, right: WireContent | undefined): WireContent {
  if (typeof left === "string" && typeof right === "string") return left === "" ? right : right === "" ? left : `${left}\n\n${right}`;
  return [...contentParts(left), ...contentParts(right)];
}

/** A content as a list of parts. */
export const contentParts = (content: WireContent | undefined): readonly JsonObject[] =>
  typeof content === "string" ? (content === "" ? [] : [{ type: "text", text: content }]) : (content ?? []);

function bridged(message: WireMessage, before: WireMessage | undefined): readonly WireMessage[] {
  return message.role === "user" && before?.role === "tool" ? [{ role: "assistant", content: BRIDGE }, message] : [message];
}
