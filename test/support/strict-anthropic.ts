/**
 * What the Messages API refuses, as one pure function: for tests of requests, and for a server that answers 400 with what it says. Thinking
 * that was signed with {@link sign} is held against its signature, so that a block that was altered, or made by another model, is found.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/base/index.js";

/** Signature of thinking that {@link validate} can check: worth something only with this text, to this model. */
export function sign(model: string, thinking: string): string {
  let sum = 0x811c9dc5;
  for (const unit of `${model}\n${thinking}`) sum = Math.imul(sum ^ (unit.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return `${SIGNED}${sum.toString(16)}`;
}

const SIGNED = "signed-";
const ID = /^[a-zA-Z0-9_-]+$/u;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/u;
const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/u;
const MAX_POINTS = 4;
const IMAGES: readonly JsonValue[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

const FIELDS = new Set(
  "model max_tokens messages system tools tool_choice stream thinking output_config temperature top_p top_k stop_sequences metadata service_tier".split(
    " ",
  ),
);
/** Keys of each kind of block, by who may send it. */
const BLOCKS: { readonly [role: string]: { readonly [type: string]: readonly string[] } } = {
  user: {
    text: ["text"],
    image: ["source"],
    tool_result: ["tool_use_id", "content", "is_error"],
  },
  assistant: {
    text: ["text"],
    thinking: ["thinking", "signature"],
    redacted_thinking: ["data"],
    tool_use: ["id", "name", "input"],
  },
  tool_result: { text: ["text"], image: ["source"] },
  system: { text: ["text"] },
};

interface Turn {
  readonly at: string;
  readonly role: string;
  readonly blocks: readonly JsonObject[];
}

/** Every complaint about a request body; none: the vendor takes it. */
export function validate(body: JsonValue): readonly string[] {
  if (!isJsonObject(body)) return ["the body is not an object"];
  const messages = body["messages"];
  const turns = Array.isArray(messages) ? messages.map(turnOf) : [];
  return [
    ...Object.keys(body)
      .filter((name) => !FIELDS.has(name))
      .map((name) => `${name}: extra inputs are not permitted`),
    ...(typeof body["model"] === "string" && body["model"] !== "" ? [] : ["model: field required"]),
    ...(isCount(body["max_tokens"]) ? [] : ["max_tokens: must be a whole number, at least 1"]),
    ...(turns.length === 0 ? ["messages: at least one message is required"] : []),
    ...systemComplaints(body["system"]),
    ...turns.flatMap((turn, index) => turnComplaints(turn, turns[index - 1], body)),
    ...pairingComplaints(turns),
    ...endComplaints(turns),
    ...toolComplaints(body, turns),
    ...thinkingComplaints(body, turns),
    ...samplingComplaints(body),
    ...pointComplaints(body),
  ];
}

/** Of a JSON value, where the language forgets what a list of one holds. */
const listOf = (value: readonly unknown[]): readonly JsonValue[] => value as readonly JsonValue[];
const isCount = (value: JsonValue | undefined): value is number => typeof value === "number" && Number.isInteger(value) && value >= 1;
const isBlank = (value: JsonValue | undefined): boolean => typeof value !== "string" || value.trim() === "";

function turnOf(message: JsonValue, index: number): Turn {
  const at = `messages.${String(index)}`;
  if (!isJsonObject(message)) return { at, role: "", blocks: [] };
  const { role, content } = { role: message["role"], content: message["content"] };
  const blocks =
    typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content.filter(isJsonObject) : [];
  return { at, role: typeof role === "string" ? role : "", blocks };
}

function systemComplaints(system: JsonValue | undefined): readonly string[] {
  if (system === undefined || typeof system === "string") return system !== undefined && isBlank(system) ? ["system: is empty"] : [];
  if (!Array.isArray(system)) return ["system: must be a text or a list of blocks"];
  return listOf(system).flatMap((block, index) => blockComplaints(block, `system.${String(index)}`, "system"));
}

function turnComplaints({ at, role, blocks }: Turn, before: Turn | undefined, body: JsonObject): readonly string[] {
  if (role !== "user" && role !== "assistant") return [`${at}: unknown role ${JSON.stringify(role)}`];
  const order = before === undefined ? role === "user" : before.role !== role;
  return [
    ...(order ? [] : [before === undefined ? `${at}: the first message must be the user's` : `${at}: roles must alternate`]),
    ...(blocks.length === 0 ? [`${at}: all messages must have non-empty content`] : []),
    ...blocks.flatMap((block, index) => blockComplaints(block, `${at}.content.${String(index)}`, role)),
    ...blocks.flatMap((block, index) => signatureComplaints(block, `${at}.content.${String(index)}`, body)),
  ];
}

function blockComplaints(block: JsonValue, at: string, place: string): readonly string[] {
  if (!isJsonObject(block)) return [`${at}: is not a block`];
  const type = block["type"];
  const keys = typeof type === "string" ? BLOCKS[place]?.[type] : undefined;
  if (keys === undefined || typeof type !== "string") return [`${at}: a block of type ${JSON.stringify(type)} is not allowed here`];
  const extra = Object.keys(block).filter((name) => !["type", "cache_control", ...keys].includes(name));
  return [...extra.map((name) => `${at}.${name}: extra inputs are not permitted`), ...(CHECKS[type]?.(block, at) ?? [])];
}

const CHECKS: { readonly [type: string]: (block: JsonObject, at: string) => readonly string[] } = {
  text: (block, at) => (isBlank(block["text"]) ? [`${at}: text content blocks must contain non-whitespace text`] : []),
  image: (block, at) => {
    const source = block["source"];
    const isImage =
      isJsonObject(source) && source["type"] === "base64" && IMAGES.includes(source["media_type"] ?? null) && !isBlank(source["data"]);
    return isImage ? [] : [`${at}: is not an image`];
  },
  thinking: (block, at) =>
    isBlank(block["signature"]) || typeof block["thinking"] !== "string" ? [`${at}.signature: field required`] : [],
  redacted_thinking: (block, at) => (isBlank(block["data"]) ? [`${at}.data: field required`] : []),
  tool_use: (block, at) => [
    ...(typeof block["id"] === "string" && ID.test(block["id"]) ? [] : [`${at}.id: does not match ${String(ID)}`]),
    ...(typeof block["name"] === "string" && TOOL_NAME.test(block["name"]) ? [] : [`${at}.name: does not match ${String(TOOL_NAME)}`]),
    ...(isJsonObject(block["input"]) ? [] : [`${at}.input: input should be an object`]),
  ],
  tool_result: (block, at) => {
    const content = block["content"];
    const isError = block["is_error"] === true;
    if (content === undefined || typeof content === "string")
      return isError && isBlank(content) ? [`${at}: content cannot be empty if is_error is true`] : [];
    if (!Array.isArray(content)) return [`${at}.content: must be a text or a list of blocks`];
    return [
      ...(isError && content.some((part) => !isJsonObject(part) || part["type"] !== "text")
        ? [`${at}: all content must be text if is_error is true`]
        : []),
      ...listOf(content).flatMap((part, index) => blockComplaints(part, `${at}.content.${String(index)}`, "tool_result")),
    ];
  },
};

function signatureComplaints(block: JsonObject, at: string, body: JsonObject): readonly string[] {
  const { signature, thinking } = { signature: block["signature"], thinking: block["thinking"] };
  if (typeof signature !== "string" || !signature.startsWith(SIGNED)) return [];
  const model = typeof body["model"] === "string" ? body["model"] : "";
  const isGenuine = typeof thinking === "string" && signature === sign(model, thinking);
  return isGenuine ? [] : [`${at}: invalid signature in thinking block`];
}

const idsOf = (blocks: readonly JsonObject[], type: string, key: string): readonly JsonValue[] =>
  blocks.filter((block) => block["type"] === type).map((block) => block[key] ?? null);

/** Every call has one result, at the beginning of the next message; every result belongs to such a call. */
function pairingComplaints(turns: readonly Turn[]): readonly string[] {
  const all = turns.flatMap(({ blocks }) => idsOf(blocks, "tool_use", "id"));
  const repeated = all.filter((id, index) => all.indexOf(id) !== index).map((id) => `tool_use ids must be unique: ${JSON.stringify(id)}`);
  const unpaired = turns.flatMap(({ at, blocks }, index): readonly string[] => {
    const calls = idsOf(turns[index - 1]?.blocks ?? [], "tool_use", "id");
    const results = idsOf(blocks, "tool_result", "tool_use_id");
    const first = blocks.findIndex((block) => block["type"] !== "tool_result");
    return [
      ...calls
        .filter((id) => !results.includes(id))
        .map((id) => `${at}: tool_use ${JSON.stringify(id)} without a tool_result right after it`),
      ...results.filter((id) => !calls.includes(id)).map((id) => `${at}: unexpected tool_result ${JSON.stringify(id)}`),
      ...results.filter((id, place) => results.indexOf(id) !== place).map((id) => `${at}: two results for ${JSON.stringify(id)}`),
      ...(results.length > 0 && first !== -1 && first < results.length ? [`${at}: tool_result blocks must come first`] : []),
    ];
  });
  return [...repeated, ...unpaired];
}

function endComplaints(turns: readonly Turn[]): readonly string[] {
  const thoughts = turns
    .filter(({ role, blocks }) => role === "assistant" && isThinking(blocks.at(-1)))
    .map(({ at }) => `${at}: the final block in an assistant message cannot be thinking`);
  const last = turns.at(-1);
  if (last?.role !== "assistant") return thoughts;
  const text = last.blocks.at(-1)?.["text"];
  const open = idsOf(last.blocks, "tool_use", "id").map((id) => `${last.at}: tool_use ${JSON.stringify(id)} without a result`);
  const isTrailing = typeof text === "string" && text !== text.trimEnd();
  return [...thoughts, ...open, ...(isTrailing ? [`${last.at}: final assistant content cannot end with trailing whitespace`] : [])];
}

const isThinking = (block: JsonObject | undefined): boolean => block?.["type"] === "thinking" || block?.["type"] === "redacted_thinking";

function toolComplaints(body: JsonObject, turns: readonly Turn[]): readonly string[] {
  const tools = body["tools"];
  const hasCalls = turns.some(({ blocks }) => blocks.some(({ type }) => type === "tool_use" || type === "tool_result"));
  if (tools === undefined)
    return [
      ...(hasCalls ? ["tools: requests with tool_use or tool_result blocks must define tools"] : []),
      ...(body["tool_choice"] === undefined ? [] : ["tool_choice: may only be specified while providing tools"]),
    ];
  if (!Array.isArray(tools)) return ["tools: must be a list"];
  const names = tools.map((tool) => (isJsonObject(tool) ? tool["name"] : undefined));
  return [
    ...(new Set(names).size < names.length ? ["tools: tool names must be unique"] : []),
    ...listOf(tools).flatMap((tool, index) => oneToolComplaints(tool, `tools.${String(index)}`)),
  ];
}

function oneToolComplaints(tool: JsonValue, at: string): readonly string[] {
  if (!isJsonObject(tool)) return [`${at}: is not a tool`];
  const schema = tool["input_schema"];
  if (!isJsonObject(schema)) return [`${at}.input_schema: field required`];
  const properties = schema["properties"];
  return [
    ...(typeof tool["name"] === "string" && TOOL_NAME.test(tool["name"]) ? [] : [`${at}.name: does not match ${String(TOOL_NAME)}`]),
    ...(schema["type"] === "object" ? [] : [`${at}.input_schema.type: input should be 'object'`]),
    ...["anyOf", "oneOf", "allOf"]
      .filter((key) => key in schema)
      .map((key) => `${at}.input_schema: does not support ${key} at the top level`),
    ...(isJsonObject(properties) ? Object.keys(properties) : [])
      .filter((name) => !PROPERTY_NAME.test(name))
      .map((name) => `${at}.input_schema.properties: ${JSON.stringify(name)} does not match ${String(PROPERTY_NAME)}`),
  ];
}

function thinkingComplaints(body: JsonObject, turns: readonly Turn[]): readonly string[] {
  const thinking = body["thinking"];
  if (!isJsonObject(thinking) || thinking["type"] === "disabled") return [];
  const choice = body["tool_choice"];
  const { temperature, top_p: topP } = body;
  return [
    ...(isJsonObject(choice) && FORCED.includes(choice["type"] ?? null) ? ["thinking: not when tool_choice forces tool use"] : []),
    ...(temperature === undefined || temperature === 1 ? [] : ["temperature: may only be set to 1 when thinking is enabled"]),
    ...(topP === undefined || (typeof topP === "number" && topP >= 0.95) ? [] : ["top_p: must be at least 0.95 when thinking is enabled"]),
    ...(thinking["type"] === "enabled" ? budgetComplaints(thinking["budget_tokens"], body["max_tokens"], turns) : []),
  ];
}

const FORCED: readonly JsonValue[] = ["any", "tool"];

function budgetComplaints(budget: JsonValue | undefined, limit: JsonValue | undefined, turns: readonly Turn[]): readonly string[] {
  const asked = turns.findLastIndex(({ role, blocks }) => role === "user" && blocks.some(({ type }) => type !== "tool_result"));
  const first = turns[asked + 1];
  return [
    ...(isCount(budget) && budget >= 1024 ? [] : ["thinking.budget_tokens: must be at least 1024"]),
    ...(isCount(budget) && isCount(limit) && budget >= limit ? ["max_tokens: must be greater than thinking.budget_tokens"] : []),
    ...(first === undefined || isThinking(first.blocks[0]) ? [] : [`${first.at}.content.0: must start with a thinking block`]),
  ];
}

function samplingComplaints({ temperature, top_p: topP, stop_sequences: stops }: JsonObject): readonly string[] {
  const isShare = (value: JsonValue | undefined): boolean => value === undefined || (typeof value === "number" && value >= 0 && value <= 1);
  return [
    ...(isShare(temperature) ? [] : ["temperature: range 0..1"]),
    ...(isShare(topP) ? [] : ["top_p: range 0..1"]),
    ...(Array.isArray(stops) && stops.some(isBlank) ? ["stop_sequences: each stop sequence must contain non-whitespace"] : []),
  ];
}

function pointComplaints(body: JsonObject): readonly string[] {
  const marked = [...marks(body["tools"]), ...marks(body["system"]), ...marks(body["messages"])];
  return [
    ...(marked.length > MAX_POINTS ? [`a maximum of 4 blocks with cache_control may be provided, found ${String(marked.length)}`] : []),
    ...(marked.some((block) => isThinking(block)) ? ["cache_control: not allowed on thinking"] : []),
    ...(marked.some(({ cache_control: point }) => !isJsonObject(point) || point["type"] !== "ephemeral")
      ? ["cache_control.type: must be ephemeral"]
      : []),
  ];
}

/** Every object in a value that has a cache point. */
function marks(value: JsonValue | undefined): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((part: JsonValue) => marks(part));
  if (!isJsonObject(value)) return [];
  return [...("cache_control" in value ? [value] : []), ...marks(value["content"])];
}
