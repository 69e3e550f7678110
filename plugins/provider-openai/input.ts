import type { ImagePart, JsonObject, JsonValue, Message, ProviderRequest, ThinkingPart } from "smith-agent/plugin";
import { parseJson } from "smith-agent/plugin";
import { asObject } from "./json.js";
import type { Profile } from "./profiles.js";

type AssistantMessage = Extract<Message, { role: "assistant" }>;
type ToolMessage = Extract<Message, { role: "tool" }>;
type ToolCall = AssistantMessage["toolCalls"][number];

interface Conversation {
  readonly request: ProviderRequest;
  readonly profile: Profile;
  readonly results: ReadonlyMap<string, ToolMessage>;
  /** Ids of calls as the vendor takes them, by ours. */
  readonly wireIds: ReadonlyMap<string, string>;
}

/** Roles before the conversation: a server that has no `instructions` reads them as its first item. */
export const systemItem = (system: string, profile: Profile): readonly JsonObject[] =>
  system === "" || profile.system === "instructions" ? [] : [message(profile.system, [inputText(system)])];

/**
 * The conversation as items. Every call is followed by its result before anything else is said; a result whose call is not there is told
 * as the user's words, since the API refuses it otherwise.
 */
export function inputItems(request: ProviderRequest, profile: Profile): readonly JsonObject[] {
  const calls = request.messages.flatMap((said) => (said.role === "assistant" ? said.toolCalls : []));
  const results = new Map<string, ToolMessage>();
  for (const said of request.messages) if (said.role === "tool" && !results.has(said.call)) results.set(said.call, said);
  const conversation = { request, profile, results, wireIds: namedCalls(calls) };
  return request.messages.flatMap((said) => itemsOf(said, conversation));
}

function itemsOf(said: Message, conversation: Conversation): readonly JsonObject[] {
  switch (said.role) {
    case "user":
      return userMessage(said.text, said.images ?? [], conversation);
    case "assistant":
      return [...answer(said, conversation), ...outputs(said.toolCalls, conversation)];
    case "tool":
      if (conversation.wireIds.has(said.call)) return [];
      return userMessage(`Result of the tool ${said.name}, called earlier:\n${said.text}`, said.images ?? [], conversation);
  }
}

function userMessage(text: string, images: readonly ImagePart[], { request }: Conversation): readonly JsonObject[] {
  const shown = request.facts.images === true ? images : [];
  const words = withNote(text, images.length - shown.length);
  const content = [...(words === "" ? [] : [inputText(words)]), ...shown.map(inputImage)];
  return content.length === 0 ? [] : [message("user", content)];
}

/** Text and calls of one answer in the order they had, with what was thought between them where the model may have it back. */
function answer(said: AssistantMessage, conversation: Conversation): readonly JsonObject[] {
  const items: JsonObject[] = [];
  let text = 0;
  let calls = 0;
  const sayUntil = (untilText: number, untilCalls: number): void => {
    const words = said.text.slice(text, untilText);
    if (words !== "") items.push(saidBefore(words, untilText < said.text.length || said.toolCalls.length > 0, conversation));
    text = Math.max(text, untilText);
    for (const call of said.toolCalls.slice(calls, untilCalls)) items.push(functionCall(call, conversation));
    calls = Math.max(calls, untilCalls);
  };
  for (const thought of thoughts(said, conversation)) {
    sayUntil(thought.after.text, thought.after.calls);
    items.push(thought.item);
  }
  sayUntil(said.text.length, said.toolCalls.length);
  // The API refuses thinking that nothing follows.
  return items.slice(0, items.findLastIndex((item) => item["type"] !== "reasoning") + 1);
}

/** As plain text, which every server takes. Models that tell remarks on the way from answers are told which it was. */
function saidBefore(content: string, isRemark: boolean, { request, profile }: Conversation): JsonObject {
  const hasPhases = profile.vendorFields && request.facts.hints?.["phases"] === true;
  return { type: "message", role: "assistant", content, ...(hasPhases ? { phase: isRemark ? "commentary" : "final_answer" } : {}) };
}

function functionCall(call: ToolCall, { wireIds }: Conversation): JsonObject {
  return {
    type: "function_call",
    call_id: wireIds.get(call.call) ?? call.providerId,
    name: toolName(call.name),
    arguments: replayedArguments(call),
  };
}

/** Always a JSON object: servers refuse a whole conversation for one that is not. */
function replayedArguments({ argsText, args }: ToolCall): string {
  if (asObject(parseJson(argsText)) !== undefined) return argsText;
  return args === undefined ? "{}" : JSON.stringify(args);
}

function outputs(calls: readonly ToolCall[], conversation: Conversation): readonly JsonObject[] {
  const { results, wireIds, request, profile } = conversation;
  const withImages: ToolMessage[] = [];
  const items = calls.map((call): JsonObject => {
    const result = results.get(call.call);
    const images = result?.images ?? [];
    const shown = request.facts.images === true ? images : [];
    const words = withNote(resultText(result), images.length - shown.length);
    const isInside = shown.length > 0 && profile.imagesInOutput;
    if (result !== undefined && shown.length > 0 && !isInside) withImages.push(result);
    const output: JsonValue = isInside ? [inputText(words), ...shown.map(inputImage)] : words;
    return { type: "function_call_output", call_id: wireIds.get(call.call) ?? call.providerId, output };
  });
  const images = withImages.flatMap(({ name, images: shown = [] }) => [inputText(`Images of the tool ${name}:`), ...shown.map(inputImage)]);
  return images.length === 0 ? items : [...items, message("user", images)];
}

function resultText(result: ToolMessage | undefined): string {
  if (result === undefined) return "There is no result: the call was not carried out.";
  const text = result.text === "" ? "(no output)" : result.text;
  return result.isError && !/^error\b/iu.test(text) ? `Error: ${text}` : text;
}

interface Thought {
  readonly after: { readonly text: number; readonly calls: number };
  readonly item: JsonObject;
}

/**
 * Thinking that goes back: of this provider alone, and only what is encrypted, for the server keeps nothing by which it would know the
 * rest. Parts with one id are one item: what each says, and the signature of the last.
 */
function thoughts(said: AssistantMessage, { request, profile }: Conversation): readonly Thought[] {
  const { from, thinking = [] } = said;
  if (from?.provider !== request.provider || !(profile.sharesThinking || from.model === request.model)) return [];
  return grouped(thinking).flatMap((parts) => {
    const first = parts[0];
    const signature = parts.at(-1)?.signature ?? "";
    if (first === undefined || signature === "") return [];
    return [{ after: first.after ?? { text: 0, calls: 0 }, item: reasoningItem(first, parts, signature) }];
  });
}

function grouped(thinking: readonly ThinkingPart[]): readonly (readonly ThinkingPart[])[] {
  const groups: ThinkingPart[][] = [];
  for (const part of thinking) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const goesOn = last !== undefined && last.signature === undefined && part.id !== undefined && last.id === part.id;
    if (goesOn) group?.push(part);
    else groups.push([part]);
  }
  return groups;
}

function reasoningItem(first: ThinkingPart, parts: readonly ThinkingPart[], signature: string): JsonObject {
  const isRaw = first.kind === "raw";
  const texts = parts.map((part) => part.text).filter((text) => text !== "");
  const content = texts.map((text) => ({ type: isRaw ? "reasoning_text" : "summary_text", text }));
  return {
    type: "reasoning",
    ...(first.id === undefined ? {} : { id: first.id }),
    summary: isRaw ? [] : content,
    ...(isRaw && content.length > 0 ? { content } : {}),
    encrypted_content: signature,
  };
}

/** Letters, digits, `_` and `-`, at most 64: what the vendor takes as the id of a call, and as a tool's name. */
const ACCEPTED = /^[A-Za-z0-9_-]{1,64}$/u;

/** An id of its own for every call: the given one where the vendor takes it, else one made from it, always the same. */
function namedCalls(calls: readonly ToolCall[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const { call, providerId } of calls) {
    if (names.has(call)) continue;
    const wanted = accepted(providerId);
    const id = taken.has(wanted) ? accepted(`${providerId}#${call}`) : wanted;
    taken.add(id);
    names.set(call, id);
  }
  return names;
}

const toolName = (name: string): string => accepted(name);

/** The rest of an id that is not accepted tells it apart by a hash: two that differ only there stay two. */
function accepted(id: string): string {
  return ACCEPTED.test(id) ? id : `${id.replace(/[^A-Za-z0-9_-]/gu, "_").slice(0, 48)}_${hash(id)}`;
}

/** FNV-1a over UTF-16 units, 32 bits. */
function hash(text: string): string {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return sum.toString(36);
}

const message = (role: string, content: readonly JsonValue[]): JsonObject => ({ type: "message", role, content });
const inputText = (text: string): JsonObject => ({ type: "input_text", text });
const inputImage = ({ mediaType, base64 }: ImagePart): JsonObject => ({
  type: "input_image",
  image_url: `data:${mediaType};base64,${base64}`,
  detail: "auto",
});

function withNote(text: string, leftOut: number): string {
  if (leftOut === 0) return text;
  const note = `[${leftOut === 1 ? "an image" : `${String(leftOut)} images`} left out: the model takes none]`;
  return text === "" ? note : `${text}\n${note}`;
}
