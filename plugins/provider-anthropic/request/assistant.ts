import type { JsonObject, Message, ProviderRequest, ThinkingPart } from "smith-agent/plugin";
import { parseJson } from "smith-agent/plugin";
import { asObject } from "../json.js";
import { wireName } from "./ids.js";
import type { WireIds } from "./ids.js";

export type AssistantMessage = Extract<Message, { role: "assistant" }>;
type Call = AssistantMessage["toolCalls"][number];

const REDACTED = "redacted";

/**
 * Blocks of a message the model made, in the order in which they came: thinking stands where it stood between text and calls, unaltered.
 * The vendor takes it back only from the model that made it (a signature is worth nothing to another), and only signed.
 */
export function assistantBlocks(message: AssistantMessage, request: ProviderRequest, ids: WireIds): readonly JsonObject[] {
  const { from, text, toolCalls } = message;
  const isOwn = from?.provider === request.provider && from.model === request.model;
  const thinking = isOwn ? (message.thinking ?? []).filter(({ signature }) => signature !== undefined && signature !== "") : [];
  const blocks: JsonObject[] = [];
  let texts = 0;
  let calls = 0;
  const goTo = (toText: number, toCalls: number): void => {
    const end = Math.max(texts, toText);
    blocks.push(
      ...textBlock(text.slice(texts, end)),
      ...toolCalls.slice(calls, Math.max(calls, toCalls)).map((call) => callBlock(call, ids)),
    );
    texts = end;
    calls = Math.max(calls, toCalls);
  };
  for (const part of thinking) {
    goTo(part.after?.text ?? 0, part.after?.calls ?? 0);
    blocks.push(thinkingBlock(part));
  }
  goTo(text.length, toolCalls.length);
  return withoutLastThinking(blocks);
}

/** Text of nothing but blanks is refused. */
export const textBlock = (text: string): readonly JsonObject[] => (text.trim() === "" ? [] : [{ type: "text", text }]);

function thinkingBlock({ text, signature = "", kind }: ThinkingPart): JsonObject {
  return kind === REDACTED ? { type: "redacted_thinking", data: signature } : { type: "thinking", thinking: text, signature };
}

export const isThinkingBlock = (block: JsonObject | undefined): boolean =>
  block?.["type"] === "thinking" || block?.["type"] === "redacted_thinking";

/** Thinking that led to nothing cannot end a message. */
function withoutLastThinking(blocks: readonly JsonObject[]): readonly JsonObject[] {
  const last = blocks.findLastIndex((block) => !isThinkingBlock(block));
  return blocks.slice(0, last + 1);
}

/** Arguments are an object, whatever was streamed: the result that follows says what was wrong with them. */
function callBlock({ call, name, args, argsText }: Call, ids: WireIds): JsonObject {
  return { type: "tool_use", id: ids.get(call) ?? "call", name: wireName(name), input: args ?? asObject(parseJson(argsText)) ?? {} };
}
