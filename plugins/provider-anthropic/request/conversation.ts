import type { ImagePart, JsonObject, Message, ProviderRequest } from "smith-agent/plugin";
import { assistantBlocks, textBlock } from "./assistant.js";
import { wireIds } from "./ids.js";

/** One message as it goes over the wire: roles alternate, the user's comes first, and none is empty. */
export interface Turn {
  readonly role: "user" | "assistant";
  readonly content: readonly JsonObject[];
}

type ToolMessage = Extract<Message, { role: "tool" }>;

/** What the vendor wants said where a conversation would begin or end with the model. */
const BEGIN = "Begin.";
const CONTINUE = "Continue.";

/**
 * The conversation as the vendor takes it: results come directly after their calls, before anything else the user says, and every call has
 * one; what the same side says in a row is one message; what says nothing is left out.
 */
export function conversation(request: ProviderRequest): readonly Turn[] {
  const { messages } = request;
  const ids = wireIds(messages);
  const results = new Map<string, ToolMessage>();
  for (const message of messages) if (message.role === "tool" && !results.has(message.call)) results.set(message.call, message);
  const turns: { readonly role: Turn["role"]; readonly content: JsonObject[] }[] = [];
  const say = (role: Turn["role"], blocks: readonly JsonObject[]): void => {
    const last = turns.at(-1);
    if (blocks.length === 0) return;
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: [...blocks] });
  };
  for (const message of messages) {
    if (message.role === "user") say("user", [...imageBlocks(message.images ?? [], request), ...textBlock(message.text)]);
    else if (message.role === "tool") say("user", ids.has(message.call) ? [] : textBlock(`Result of ${message.name}: ${message.text}`));
    else {
      say("assistant", assistantBlocks(message, request, ids));
      say(
        "user",
        message.toolCalls.map(({ call }) => resultBlock(ids.get(call) ?? "call", results.get(call), request)),
      );
    }
  }
  return turns[0]?.role === "user" ? turns : [{ role: "user", content: textBlock(BEGIN) }, ...turns];
}

/** Where the model spoke last: blanks at its end are refused, and of models that take no beginning of an answer so is the whole. */
export function withLastWord(turns: readonly Turn[], { facts }: ProviderRequest): readonly Turn[] {
  const last = turns.at(-1);
  if (last?.role !== "assistant") return turns;
  const text = last.content.at(-1);
  const ended =
    text?.["type"] === "text" && typeof text["text"] === "string"
      ? { ...last, content: [...last.content.slice(0, -1), { ...text, text: text["text"].trimEnd() }] }
      : last;
  const goOn: readonly Turn[] = facts.hints?.["prefill"] === false ? [{ role: "user", content: textBlock(CONTINUE) }] : [];
  return [...turns.slice(0, -1), ended, ...goOn];
}

/** Result of a call; one that was never recorded is an error, since the vendor wants one for every call. */
function resultBlock(id: string, message: ToolMessage | undefined, request: ProviderRequest): JsonObject {
  if (message === undefined) return { type: "tool_result", tool_use_id: id, content: "No result was recorded.", is_error: true };
  const { text, isError, images = [] } = message;
  // An error that is empty, or holds anything but text, is refused.
  const shown = isError ? images.map(() => IMAGE_LEFT_OUT) : imageBlocks(images, request);
  const words = textBlock(text);
  const content = [...words, ...shown];
  return {
    type: "tool_result",
    tool_use_id: id,
    content: content.length === 0 ? "(no output)" : content.length === 1 && words.length === 1 ? text : content,
    ...(isError ? { is_error: true } : {}),
  };
}

const IMAGE_LEFT_OUT: JsonObject = { type: "text", text: "[an image is left out here]" };

/** Images, for a model that is known to see them. */
const imageBlocks = (images: readonly ImagePart[], { facts }: ProviderRequest): readonly JsonObject[] =>
  images.map(({ mediaType, base64 }) =>
    facts.images === true ? { type: "image", source: { type: "base64", media_type: mediaType, data: base64 } } : IMAGE_LEFT_OUT,
  );

/** Names of the tools that the conversation has calls of. */
export const calledTools = (turns: readonly Turn[]): readonly string[] => [
  ...new Set(
    turns.flatMap(({ content }) => content).flatMap(({ type, name }) => (type === "tool_use" && typeof name === "string" ? [name] : [])),
  ),
];
