import { isJsonObject, type JsonObject, type JsonValue } from "../../base/index.js";
import { imageFacts } from "../fs/index.js";
import type { McpAnswer, McpPart, McpRendered } from "../types.js";
import { MAX_LEVELS, nestsWithin } from "./bounds.js";

/** Of one text about a part. */
const MAX_UNITS = 2_048;

/** What a tool answered, part by part. A part of no known kind is told as what it is; base64 never becomes text. */
export function readAnswer(result: JsonObject): McpAnswer {
  const structured = result["structuredContent"];
  const content = listOf(result["content"]).map(partOf);
  const isError = result["isError"] === true;
  if (structured === undefined) return { content, isError };
  return nestsWithin(structured) ? { content, structured, isError } : { content: [...content, TOO_DEEP], isError };
}

const TOO_DEEP: McpPart = {
  type: "text",
  text: `(The structured part of this answer was left out: it has more than ${MAX_LEVELS} levels within one another.)`,
};

/** Contents of a resource. */
export const readContents = (result: JsonObject): readonly McpPart[] => listOf(result["contents"]).map(resourcePart);

export function readRendered(result: JsonObject): McpRendered {
  const description = textIn(result, "description")?.slice(0, MAX_UNITS);
  return {
    ...(description === undefined ? {} : { description }),
    messages: listOf(result["messages"]).map((message) => ({
      role: message["role"] === "assistant" ? "assistant" : "user",
      content: partOf(objectIn(message, "content")),
    })),
  };
}

const listOf = (value: JsonValue | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);
const textIn = (value: JsonObject, key: string): string | undefined => (typeof value[key] === "string" ? value[key] : undefined);

function objectIn(value: JsonObject, key: string): JsonObject {
  const found = value[key];
  return isJsonObject(found) ? found : {};
}

function partOf(part: JsonObject): McpPart {
  const type = textIn(part, "type") ?? "unknown";
  switch (type) {
    case "text":
      return { type: "text", text: textIn(part, "text") ?? "" };
    case "image":
      return imagePart(part);
    case "resource":
      return resourcePart(objectIn(part, "resource"));
    case "resource_link":
      return other("link", part);
    default:
      return other(type, part);
  }
}

/** Its type is taken from its bytes: a request with something else under the name of an image would be refused, again and again. */
function imagePart(part: JsonObject): McpPart {
  return imageOf(textIn(part, "data")) ?? other("image", part);
}

function resourcePart(resource: JsonObject): McpPart {
  const text = textIn(resource, "text");
  const mediaType = textIn(resource, "mimeType")?.slice(0, MAX_UNITS);
  const uri = textIn(resource, "uri")?.slice(0, MAX_UNITS) ?? "";
  if (text !== undefined) return { type: "resource", uri, ...(mediaType === undefined ? {} : { mediaType }), text };
  const blob = textIn(resource, "blob");
  const image = mediaType?.startsWith("image/") === true ? imageOf(blob) : undefined;
  return image ?? other("blob", { ...resource, ...(blob === undefined ? {} : { data: blob }) });
}

/** Written anew: vendors take no line ends in it, and no other alphabet. */
function imageOf(base64: string | undefined): McpPart | undefined {
  if (base64 === undefined) return undefined;
  const bytes = Buffer.from(base64, "base64");
  const facts = imageFacts(bytes);
  return facts === undefined ? undefined : { type: "image", image: { mediaType: facts.mediaType, base64: bytes.toString("base64") } };
}

function other(kind: string, part: JsonObject): McpPart {
  const data = textIn(part, "data") ?? textIn(part, "blob");
  const size = typeof part["size"] === "number" ? part["size"] : undefined;
  const bytes = data === undefined ? size : Buffer.byteLength(data, "base64");
  const cut = (key: string): string | undefined => textIn(part, key)?.slice(0, MAX_UNITS);
  const found = { uri: cut("uri"), name: cut("name"), description: cut("description"), mediaType: cut("mimeType"), bytes };
  const known = Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
  return { type: "other", kind: kind.slice(0, 40), ...known };
}
