import type { JsonObject, Message, ThinkingPart } from "smith-agent/plugin";
import { parseJson } from "smith-agent/plugin";
import { asObject } from "../json.js";
import { callId, functionName } from "./names.js";
import type { Traits } from "./traits.js";
import type { Part } from "./turns.js";
import { modelId } from "../url.js";

export type AssistantMessage = Extract<Message, { role: "assistant" }>;
type Call = AssistantMessage["toolCalls"][number];

/** Words of thinking parts to ourselves: `thought` is what the model thought; `text` marks where a part of the text was signed. */
export const THOUGHT = "thought";
export const SIGNED_TEXT = "text";

/**
 * Stands for the signature of a call that this model did not make: the API's documentation names this value for a history that comes
 * from elsewhere.
 */
export const FOREIGN_SIGNATURE = "skip_thought_signature_validator";

/** Whom the conversation goes to. */
export interface Reader {
  readonly provider: string;
  readonly model: string;
  readonly traits: Traits;
}

/**
 * The parts of one answer, in the order they came as far as it is known. What was signed stays a part of its own. An answer that broke
 * off before anything was said is left out, thoughts and all.
 */
export function replayed(message: AssistantMessage, reader: Reader): readonly Part[] {
  if (message.text === "" && message.toolCalls.length === 0) return [];
  const isOwn = madeBy(message, reader);
  const parts: Part[] = [];
  const said = { text: 0, calls: 0 };
  const sayText = (to: number): void => {
    const text = message.text.slice(said.text, to);
    said.text = Math.max(said.text, to);
    if (text !== "") parts.push({ text });
  };
  const sayCalls = (to: number): void => {
    for (const call of message.toolCalls.slice(said.calls, to)) parts.push(callPart(call, isOwn));
    said.calls = Math.max(said.calls, to);
  };
  for (const thinking of isOwn ? (message.thinking ?? []) : []) {
    const { text = 0, calls = 0 } = thinking.after ?? {};
    sayText(Math.max(said.text, text - signedLength(thinking)));
    sayCalls(calls);
    const part = thinkingPart(thinking, message.text.slice(said.text, text));
    if (isSignedText(thinking)) said.text = Math.max(said.text, text);
    if (part !== undefined) parts.push(part);
  }
  sayText(message.text.length);
  sayCalls(message.toolCalls.length);
  return parts;
}

/** Whether the very model that is asked made it: another one refuses its signatures. */
const madeBy = ({ from }: AssistantMessage, { provider, model }: Reader): boolean =>
  from?.provider === provider && modelId(from.model) === modelId(model);

const isSignedText = ({ kind, signature }: ThinkingPart): boolean => kind === SIGNED_TEXT && signature !== undefined;

/** How many characters before it the mark of a signed text part is about. */
const signedLength = (part: ThinkingPart): number => (isSignedText(part) ? Math.max(0, Number(part.id ?? 0) || 0) : 0);

function thinkingPart({ text, signature, kind }: ThinkingPart, signedText: string): Part | undefined {
  const signed = signature === undefined ? {} : { thoughtSignature: signature };
  if (kind === SIGNED_TEXT) return signature === undefined ? undefined : { text: signedText, ...signed };
  return text === "" && signature === undefined ? undefined : { text, thought: true, ...signed };
}

function callPart(call: Call, isOwn: boolean): Part {
  return {
    functionCall: { id: callId(call.providerId), name: functionName(call.name), args: argsOf(call) },
    ...(isOwn && call.signature !== undefined ? { thoughtSignature: call.signature } : {}),
  };
}

/** Always an object: one that does not parse was never run, and its result says so. */
const argsOf = (call: Call): JsonObject => call.args ?? asObject(parseJson(call.argsText)) ?? {};

/** Signs the first call of a turn that has no signature: the API asks for one there, and only there. */
export function withForeignSignature(parts: readonly Part[]): readonly Part[] {
  const first = parts.findIndex((part) => part["functionCall"] !== undefined);
  const part = parts[first];
  if (part === undefined || part["thoughtSignature"] !== undefined) return parts;
  return parts.with(first, { ...part, thoughtSignature: FOREIGN_SIGNATURE });
}
