import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/base/index.js";
import { type Api, apiOf, type Asked } from "./api.js";
import { textOf } from "./turn.js";

/** One piece of a conversation, whatever API it was sent by. */
export type Item =
  | { readonly type: "user" | "assistant"; readonly text: string; readonly images: number }
  | { readonly type: "thinking"; readonly text: string; readonly signature: string }
  | { readonly type: "call"; readonly id: string; readonly name: string; readonly args: JsonValue }
  | { readonly type: "result"; readonly id: string; readonly text: string; readonly images: number };

/** The conversation of a request, in its order. */
export function itemsOf(asked: Pick<Asked, "path" | "body">): readonly Item[] {
  const api = apiOf(asked.path);
  return api === undefined ? [] : READERS[api](asked.body);
}

/** Words of the system prompt. */
export function systemOf({ path, body }: Pick<Asked, "path" | "body">): string {
  const api = apiOf(path);
  if (api === "anthropic") return textIn(body["system"]);
  if (api === "responses") return textOf(body["instructions"]);
  if (api === "google") return textIn(objectOf(body["systemInstruction"])["parts"]);
  return textIn(objectsIn(body["messages"]).find(({ role }) => role === "system")?.["content"]);
}

const READERS: { readonly [A in Api]: (body: JsonObject) => readonly Item[] } = {
  chat: (body) => objectsIn(body["messages"]).flatMap(chatItems),
  anthropic: (body) =>
    objectsIn(body["messages"]).flatMap((message) => {
      const { role, content } = message;
      const blocks = typeof content === "string" ? [{ type: "text", text: content }] : objectsIn(content);
      return blocks.flatMap((block) => anthropicItem(block, role === "assistant" ? "assistant" : "user"));
    }),
  responses: (body) => objectsIn(body["input"]).flatMap(responsesItem),
  google: (body) =>
    objectsIn(body["contents"]).flatMap((turn) =>
      objectsIn(turn["parts"]).flatMap((part) => googleItem(part, turn["role"] === "model" ? "assistant" : "user")),
    ),
};

function chatItems(message: JsonObject): readonly Item[] {
  const { role, content } = message;
  const [text, images] = [textIn(content), imagesIn(content)];
  if (role === "tool") return [{ type: "result", id: textOf(message["tool_call_id"]), text, images }];
  if (role === "user") return [{ type: "user", text, images }];
  if (role !== "assistant") return [];
  const thought = textOf(message["reasoning_content"]);
  return [
    ...(thought === "" ? [] : [{ type: "thinking" as const, text: thought, signature: "" }]),
    ...(text === "" ? [] : [{ type: "assistant" as const, text, images }]),
    ...objectsIn(message["tool_calls"]).map((call) => {
      const fn = objectOf(call["function"]);
      return { type: "call" as const, id: textOf(call["id"]), name: textOf(fn["name"]), args: parsed(textOf(fn["arguments"])) };
    }),
  ];
}

function anthropicItem(block: JsonObject, type: "user" | "assistant"): readonly Item[] {
  switch (textOf(block["type"])) {
    case "text":
      return [{ type, text: textOf(block["text"]), images: 0 }];
    case "image":
      return [{ type, text: "", images: 1 }];
    case "thinking":
      return [{ type: "thinking", text: textOf(block["thinking"]), signature: textOf(block["signature"]) }];
    case "redacted_thinking":
      return [{ type: "thinking", text: "", signature: textOf(block["data"]) }];
    case "tool_use":
      return [{ type: "call", id: textOf(block["id"]), name: textOf(block["name"]), args: block["input"] ?? null }];
    case "tool_result":
      return [{ type: "result", id: textOf(block["tool_use_id"]), text: textIn(block["content"]), images: imagesIn(block["content"]) }];
    default:
      return [];
  }
}

function responsesItem(item: JsonObject): readonly Item[] {
  switch (textOf(item["type"])) {
    case "message": {
      const type = item["role"] === "assistant" ? "assistant" : "user";
      return [{ type, text: textIn(item["content"]), images: imagesIn(item["content"]) }];
    }
    case "reasoning":
      return [{ type: "thinking", text: textIn(item["summary"]), signature: textOf(item["encrypted_content"]) }];
    case "function_call":
      return [{ type: "call", id: textOf(item["call_id"]), name: textOf(item["name"]), args: parsed(textOf(item["arguments"])) }];
    case "function_call_output":
      return [{ type: "result", id: textOf(item["call_id"]), text: textIn(item["output"]), images: imagesIn(item["output"]) }];
    default:
      return [];
  }
}

function googleItem(part: JsonObject, type: "user" | "assistant"): readonly Item[] {
  const { functionCall: call, functionResponse: result, inlineData } = part;
  const signature = textOf(part["thoughtSignature"]);
  if (isJsonObject(call)) return [{ type: "call", id: textOf(call["id"]), name: textOf(call["name"]), args: call["args"] ?? null }];
  if (isJsonObject(result)) {
    const told = objectOf(result["response"]);
    const text = textOf(told["output"] ?? told["error"]);
    return [{ type: "result", id: textOf(result["id"]), text, images: objectsIn(result["parts"]).length }];
  }
  if (isJsonObject(inlineData)) return [{ type, text: "", images: 1 }];
  const text = textOf(part["text"]);
  return part["thought"] === true || (text === "" && signature !== "")
    ? [{ type: "thinking", text, signature }]
    : [{ type, text, images: 0 }];
}

const objectOf = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});
const objectsIn = (value: JsonValue | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);
/** A text, or the texts of a list of parts. */
const textIn = (value: JsonValue | undefined): string =>
  typeof value === "string"
    ? value
    : objectsIn(value)
        .map((part) => textOf(part["text"]))
        .join("");
const imagesIn = (value: JsonValue | undefined): number =>
  objectsIn(value).filter(({ type }) => type === "image" || type === "image_url" || type === "input_image").length;

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
