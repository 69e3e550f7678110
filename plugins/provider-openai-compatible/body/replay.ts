import type { JsonObject, ThinkingPart } from "smith-agent/plugin";
import type { Replay } from "../profile/index.js";
import { detailOf } from "../stream/index.js";
import type { AssistantMessage } from "./history.js";

interface ReplayContext {
  readonly replay: Replay;
  readonly own: { readonly provider: string; readonly model: string };
  readonly isOfLastTurn: boolean;
  readonly thinks: boolean;
}

/** What of a message's thinking goes back: fields beside the content, and parts before it. */
export interface Replayed {
  readonly fields: JsonObject;
  readonly parts: readonly JsonObject[];
}

const NOTHING: Replayed = { fields: {}, parts: [] };
/** Stands where a server insists on thinking and another model did the work. */
const NOT_KEPT = "(not kept)";

/** Thinking goes back only to the provider that made it, unaltered; to the same model where it may be bound to that. */
export function replayed(message: AssistantMessage, context: ReplayContext): Replayed {
  const { replay, own } = context;
  const isOfProvider = message.from?.provider === own.provider;
  const isOfModel = isOfProvider && message.from?.model === own.model;
  const thinking = message.thinking ?? [];
  switch (replay.form) {
    case "none":
      return NOTHING;
    case "reasoning_content":
      return { fields: contentField(message, isOfProvider ? thinking : [], replay, context), parts: [] };
    case "reasoning_details": {
      const details = isOfModel ? thinking.flatMap(detailOf) : [];
      return details.length === 0 ? NOTHING : { fields: { reasoning_details: details }, parts: [] };
    }
    case "parts":
      return { fields: {}, parts: isOfModel ? thinking.filter(isSpoken).map(thinkingPart) : [] };
  }
}

function contentField(
  message: AssistantMessage,
  thinking: readonly ThinkingPart[],
  replay: Extract<Replay, { form: "reasoning_content" }>,
  { isOfLastTurn, thinks }: ReplayContext,
): JsonObject {
  if (replay.scope === "turn" && !isOfLastTurn) return {};
  const text = thinking.map((part) => part.text).join("");
  if (text !== "") return { reasoning_content: text };
  return replay.required && thinks && message.toolCalls.length > 0 ? { reasoning_content: NOT_KEPT } : {};
}

const isSpoken = (part: ThinkingPart): boolean => part.text !== "";

const thinkingPart = (part: ThinkingPart): JsonObject => ({ type: "thinking", thinking: [{ type: "text", text: part.text }] });
