import type { CallId, JsonObject } from "../base/index.js";
import type { ModelRef, Usage } from "./model/index.js";

/** What the provider said about the end of one response. */
export type StopReason = "stop" | "tool-use" | "limit" | "refusal" | "content-filter" | "aborted" | "failed";

/** One call the model asked for. `args` is absent when the text is not a JSON object; the tool is then never run. */
export interface ToolCall {
  readonly call: CallId;
  /** The id the provider gave, replayed to it; ours when it gave none. */
  readonly providerId: string;
  readonly name: string;
  /** The arguments exactly as streamed. */
  readonly argsText: string;
  readonly args?: JsonObject;
  /** Opaque to us, replayed exactly to the provider that made it. */
  readonly signature?: string;
}

export interface ThinkingPart {
  /** Empty when the provider hides it. */
  readonly text: string;
  /** Opaque to us, replayed exactly to the provider that made it: a signature, or what stands for hidden text. */
  readonly signature?: string;
  /** What it is, in a word of the plugin that made it. */
  readonly kind?: string;
  /** The provider's id of it. */
  readonly id?: string;
  /** What of the response came before it: UTF-16 units of text, and calls. Absent: nothing. */
  readonly after?: { readonly text: number; readonly calls: number };
}

export interface ImagePart {
  readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  readonly base64: string;
}

/** Bytes of an image before base64. */
export const imageBytes = ({ base64 }: Pick<ImagePart, "base64">): number =>
  Math.floor((base64.length * 3) / 4) - (base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0);

/** The model-visible conversation: what a projection yields and a provider plugin turns into a request. */
export type Message =
  | { readonly role: "user"; readonly text: string; readonly images?: readonly ImagePart[] }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly thinking?: readonly ThinkingPart[];
      readonly toolCalls: readonly ToolCall[];
      readonly from?: ModelRef;
    }
  | {
      readonly role: "tool";
      readonly call: CallId;
      readonly providerId: string;
      readonly name: string;
      readonly text: string;
      readonly isError: boolean;
      readonly images?: readonly ImagePart[];
    };

/** The end of a response, authoritative over its deltas. */
export interface AssistantResult {
  readonly text: string;
  readonly thinking: readonly ThinkingPart[];
  readonly toolCalls: readonly ToolCall[];
  readonly stop: StopReason;
  readonly usage?: Usage;
}
