import type { JsonObject, ProviderDelta } from "smith-agent/plugin";
import { type Calls, takeCall } from "./calls.js";
import { asObject, asText } from "../json.js";
import { SIGNED_TEXT, THOUGHT } from "../request/replay.js";

/** What is known of the parts of a response so far. No text is kept. */
export type Parts = {
  readonly calls: Calls;
  /** Parts of thinking so far, and whether what comes next may go on with the last one. */
  readonly thoughts: number;
  readonly isThinking: boolean;
  /** Something was said, or a function called. */
  readonly hasContent: boolean;
};

export interface PartsStep {
  readonly parts: Parts;
  readonly deltas: readonly ProviderDelta[];
}

/** One part of a candidate. Those of hosted tools (code, its result) and of other media are passed over. */
export function takePart(parts: Parts, part: JsonObject): PartsStep {
  const call = asObject(part["functionCall"]);
  const signature = asText(part["thoughtSignature"]);
  if (call !== undefined) {
    const step = takeCall(parts.calls, call, signature || asText(call["thoughtSignature"]));
    return { parts: { ...parts, calls: step.calls, isThinking: false, hasContent: true }, deltas: step.deltas };
  }
  if (typeof part["text"] !== "string" && (signature === "" || Object.keys(part).some((key) => !BARE.has(key))))
    return { parts, deltas: [] };
  const text = asText(part["text"]);
  return part["thought"] === true ? takeThought(parts, text, signature) : takeText(parts, text, signature);
}

/** Fields of a part that holds nothing but a signature: it is that of an empty text. */
const BARE: ReadonlySet<string> = new Set(["thoughtSignature", "thought"]);

/** Thoughts in a row are one part, until one is signed or something else comes. */
function takeThought(parts: Parts, text: string, signature: string): PartsStep {
  if (text === "" && signature === "") return { parts, deltas: [] };
  const thoughts = parts.isThinking ? parts.thoughts : parts.thoughts + 1;
  return {
    parts: { ...parts, thoughts, isThinking: signature === "" },
    deltas: [{ type: "thinking", key: String(thoughts), kind: THOUGHT, text, ...(signature === "" ? {} : { signature }) }],
  };
}

/** The signature of a text is kept as a part of its own behind it, which remembers how much before it was signed. */
function takeText(parts: Parts, text: string, signature: string): PartsStep {
  const said = text === "" ? [] : [{ type: "text", text } as const];
  if (signature === "") {
    const isSame = text === "" || (parts.hasContent && !parts.isThinking);
    return { parts: isSame ? parts : { ...parts, isThinking: false, hasContent: true }, deltas: said };
  }
  const thoughts = parts.thoughts + 1;
  return {
    parts: { ...parts, thoughts, isThinking: false, hasContent: parts.hasContent || text !== "" },
    deltas: [...said, { type: "thinking", key: String(thoughts), kind: SIGNED_TEXT, id: String(text.length), text: "", signature }],
  };
}
