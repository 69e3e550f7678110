/** What OpenAI's Responses API and strict servers that speak it refuse, checked on one request body. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/base/index.js";

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const CALL_ID = NAME;
const FIELDS: ReadonlySet<string> = new Set(
  "model instructions input tools stream store include prompt_cache_key reasoning text max_output_tokens temperature top_p".split(" "),
);
const EFFORTS: readonly JsonValue[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** Every rule the body breaks, in words; empty when it passes. */
export function validate(body: JsonValue): readonly string[] {
  if (!isJsonObject(body)) return ["the body is no object"];
  const input = list(body["input"]);
  return [
    ...Object.keys(body).flatMap((key) => (FIELDS.has(key) ? [] : [`unknown field ${key}`])),
    ...(typeof body["model"] === "string" && body["model"] !== "" ? [] : ["model is missing"]),
    ...(body["instructions"] === "" ? ["instructions are empty"] : []),
    ...(input.length === 0 ? ["input is empty"] : []),
    ...(input.every(isJsonObject) ? [...input.flatMap(itemComplaints), ...pairing(input), ...followed(input)] : ["an item is no object"]),
    ...toolComplaints(body["tools"]),
    ...reasoningComplaints(body["reasoning"]),
    ...formatComplaints(body["text"]),
  ];
}

function itemComplaints(item: JsonObject, index: number): readonly string[] {
  const at = `input[${String(index)}]`;
  const found = ITEM_RULES.get(text(item["type"]));
  return found === undefined
    ? [`${at}: unknown type ${JSON.stringify(item["type"])}`]
    : found(item).map((complaint) => `${at}: ${complaint}`);
}

const ITEM_RULES: ReadonlyMap<string, (item: JsonObject) => readonly string[]> = new Map([
  ["message", messageComplaints],
  ["function_call", callComplaints],
  ["function_call_output", outputComplaints],
  ["reasoning", thoughtComplaints],
]);

function messageComplaints(item: JsonObject): readonly string[] {
  const { role, content } = { role: item["role"], content: item["content"] };
  const known = only(item, ["type", "role", "content", "phase"]);
  if (role === "assistant") {
    const phases: readonly (JsonValue | undefined)[] = [undefined, "commentary", "final_answer"];
    return [
      ...known,
      ...(text(content) === "" ? ["an answer without text"] : []),
      ...(phases.includes(item["phase"]) ? [] : ["unknown phase"]),
    ];
  }
  if (role !== "user" && role !== "system" && role !== "developer") return [`unknown role ${JSON.stringify(role)}`];
  return [...known, ...("phase" in item ? ["a phase of somebody else's message"] : []), ...contentComplaints(content)];
}

function contentComplaints(content: JsonValue | undefined): readonly string[] {
  if (typeof content === "string") return content === "" ? ["empty content"] : [];
  const parts = list(content);
  return parts.length === 0 ? ["empty content"] : parts.flatMap(partComplaints);
}

function partComplaints(part: JsonValue): readonly string[] {
  if (!isJsonObject(part)) return ["a part is no object"];
  if (part["type"] === "input_text") return text(part["text"]) === "" ? ["an empty text part"] : only(part, ["type", "text"]);
  if (part["type"] !== "input_image") return [`unknown part ${JSON.stringify(part["type"])}`];
  const isData = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/.test(text(part["image_url"]));
  return [...(isData ? [] : ["an image that is no data URL"]), ...(part["detail"] === "auto" ? [] : ["an image without detail"])];
}

function callComplaints(item: JsonObject): readonly string[] {
  return [
    ...only(item, ["type", "call_id", "name", "arguments"]),
    ...(CALL_ID.test(text(item["call_id"])) ? [] : [`bad call id ${JSON.stringify(item["call_id"])}`]),
    ...(NAME.test(text(item["name"])) ? [] : [`bad name ${JSON.stringify(item["name"])}`]),
    ...(isObjectText(text(item["arguments"])) ? [] : ["arguments are no JSON object"]),
  ];
}

function outputComplaints(item: JsonObject): readonly string[] {
  return [...only(item, ["type", "call_id", "output"]), ...contentComplaints(item["output"])];
}

function thoughtComplaints(item: JsonObject): readonly string[] {
  const summary = item["summary"];
  const parts = [...list(summary), ...list(item["content"])].filter(isJsonObject);
  return [
    ...only(item, ["type", "id", "summary", "content", "encrypted_content"]),
    ...(Array.isArray(summary) ? [] : ["thinking without a summary"]),
    ...(text(item["encrypted_content"]) === "" ? ["thinking that the server does not have"] : []),
    ...(item["id"] === undefined || text(item["id"]) !== "" ? [] : ["an empty id"]),
    ...(parts.every((part) => text(part["text"]) !== "") ? [] : ["an empty thought"]),
  ];
}

/** Every call is answered once, before anybody else speaks; no id stands for two calls. */
function pairing(items: readonly JsonObject[]): readonly string[] {
  const complaints: string[] = [];
  const known = new Set<string>();
  const open = new Set<string>();
  for (const [index, item] of items.entries()) {
    const at = `input[${String(index)}]`;
    const id = text(item["call_id"]);
    if (item["type"] === "function_call") {
      if (known.has(id)) complaints.push(`${at}: the call id ${id} is used twice`);
      known.add(id);
      open.add(id);
    } else if (item["type"] === "function_call_output") {
      if (!open.delete(id)) complaints.push(`${at}: a result for no open call (${id})`);
    } else if (item["type"] === "message" && item["role"] !== "assistant" && open.size > 0) {
      complaints.push(`${at}: results are missing for ${[...open].join(", ")}`);
    }
  }
  return open.size > 0 ? [...complaints, `calls without a result: ${[...open].join(", ")}`] : complaints;
}

/** What was thought belongs to what the model said or called next. */
function followed(items: readonly JsonObject[]): readonly string[] {
  const ids = items.flatMap((item) => (item["type"] === "reasoning" && typeof item["id"] === "string" ? [item["id"]] : []));
  const orphans = items.flatMap((item, index) => {
    if (item["type"] !== "reasoning") return [];
    const next = items.slice(index + 1).find((later) => later["type"] !== "reasoning");
    const isItsOwn = next?.["type"] === "function_call" || (next?.["type"] === "message" && next["role"] === "assistant");
    return isItsOwn ? [] : [`input[${String(index)}]: thinking without the item it belongs to`];
  });
  return new Set(ids).size < ids.length ? [...orphans, "two thoughts have one id"] : orphans;
}

function toolComplaints(tools: JsonValue | undefined): readonly string[] {
  if (tools === undefined) return [];
  const all = list(tools).filter(isJsonObject);
  const names = all.map((tool) => text(tool["name"]));
  return [
    ...(all.length === 0 ? ["tools are empty"] : []),
    ...(names.every((name) => NAME.test(name)) ? [] : ["a tool has no valid name"]),
    ...(new Set(names).size < names.length ? ["two tools have one name"] : []),
    ...all.flatMap((tool) => only(tool, ["type", "name", "description", "parameters", "strict"])),
    ...all.flatMap((tool) => (typeof tool["strict"] === "boolean" ? [] : ["a tool does not say whether it is strict"])),
    ...all.flatMap((tool) =>
      isJsonObject(tool["parameters"]) && tool["parameters"]["type"] === "object" ? [] : ["parameters are no object"],
    ),
    ...all.flatMap((tool) => (tool["strict"] === true ? strictComplaints(tool["parameters"]) : [])),
  ];
}

/** Objects of a strict schema are closed and all of their properties required, at every depth. */
function strictComplaints(schema: JsonValue | undefined): readonly string[] {
  if (!isJsonObject(schema)) return ["a strict schema is no object"];
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const isOpen = schema["type"] === "object" && schema["additionalProperties"] !== false;
  const isPartial = Object.keys(properties).some((name) => !list(schema["required"]).includes(name));
  return [
    ...(isOpen ? ["a strict schema has an open object"] : []),
    ...(isPartial ? ["a strict schema has a property that is not required"] : []),
    ...["oneOf", "allOf", "not", "default", "patternProperties"].filter((key) => key in schema).map((key) => `a strict schema has ${key}`),
    ...[...Object.values(properties), ...list(schema["anyOf"])].flatMap(strictComplaints),
    ...(schema["items"] === undefined ? [] : strictComplaints(schema["items"])),
  ];
}

function reasoningComplaints(reasoning: JsonValue | undefined): readonly string[] {
  if (reasoning === undefined) return [];
  if (!isJsonObject(reasoning) || !EFFORTS.includes(reasoning["effort"] ?? "")) return ["reasoning without a known effort"];
  return only(reasoning, ["effort", "summary"]);
}

function formatComplaints(value: JsonValue | undefined): readonly string[] {
  if (value === undefined) return [];
  const format = isJsonObject(value) ? value["format"] : undefined;
  if (!isJsonObject(format)) return ["text without a format"];
  if (format["type"] !== "json_schema") return format["type"] === "json_object" || format["type"] === "text" ? [] : ["unknown format"];
  return [
    ...only(format, ["type", "name", "description", "schema", "strict"]),
    ...(NAME.test(text(format["name"])) ? [] : ["a format without a name"]),
    ...(isJsonObject(format["schema"]) ? [] : ["a format without a schema"]),
  ];
}

const only = (object: JsonObject, keys: readonly string[]): readonly string[] =>
  Object.keys(object).flatMap((key) => (keys.includes(key) ? [] : [`unknown field ${key}`]));

const text = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

const list = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? (value as readonly JsonValue[]) : []);

function isObjectText(value: string): boolean {
  try {
    return isJsonObject(JSON.parse(value));
  } catch {
    return false;
  }
}
