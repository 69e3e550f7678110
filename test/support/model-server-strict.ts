/** What strict OpenAI-compatible servers and chat templates refuse, checked on one request body. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/base/index.js";

/** The first rule a chat request breaks, in words for its 400; `undefined` when it passes. */
export function strictComplaint(body: JsonObject): string | undefined {
  const messages = body["messages"];
  if (!Array.isArray(messages) || messages.length === 0) return "messages must be a list that is not empty";
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (!isJsonObject(message)) return `messages[${String(index)}] is not an object`;
    const complaint = messageComplaint(message, index) ?? pairingComplaint(message, index, open);
    if (complaint !== undefined) return complaint;
    open = openAfter(message, open);
  }
  return open.size > 0 ? `tool calls without a result: ${[...open].join(", ")}` : toolsComplaint(body["tools"]);
}

function messageComplaint(message: JsonObject, index: number): string | undefined {
  const at = `messages[${String(index)}]`;
  const { role, content } = { role: message["role"], content: message["content"] };
  if (role === undefined || !ROLES.includes(role)) return `${at}: unknown role ${JSON.stringify(role)}`;
  if (content === null || content === undefined) return `${at}: content is null`;
  if (role === "system" && index > 0) return `${at}: a system message must be first`;
  if (role === "tool" && typeof content !== "string") return `${at}: content of a tool result must be a string`;
  for (const item of callsOf(message)) {
    const complaint = callComplaint(item);
    if (complaint !== undefined) return `${at}: ${complaint}`;
  }
  return undefined;
}

function callComplaint(item: JsonObject): string | undefined {
  const fn = item["function"];
  if (typeof item["id"] !== "string" || item["id"] === "") return "a tool call has no id";
  if (!isJsonObject(fn) || typeof fn["name"] !== "string" || fn["name"] === "") return "a tool call has no name";
  if (typeof fn["arguments"] !== "string" || !isObjectText(fn["arguments"])) return "arguments of a tool call are not a JSON object";
  return undefined;
}

function pairingComplaint(message: JsonObject, index: number, open: ReadonlySet<string>): string | undefined {
  const at = `messages[${String(index)}]`;
  if (message["role"] !== "tool") return open.size > 0 ? `${at}: results are missing for ${[...open].join(", ")}` : undefined;
  const id = message["tool_call_id"];
  return typeof id === "string" && open.has(id) ? undefined : `${at}: result for a call nobody made: ${JSON.stringify(id)}`;
}

function openAfter(message: JsonObject, open: ReadonlySet<string>): Set<string> {
  if (message["role"] === "tool") {
    const rest = new Set(open);
    rest.delete(idText(message["tool_call_id"]));
    return rest;
  }
  return new Set(callsOf(message).map((item) => idText(item["id"])));
}

function toolsComplaint(tools: JsonValue | undefined): string | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools) || tools.length === 0) return "tools must be a list that is not empty";
  const names = tools.map((tool) => (isJsonObject(tool) && isJsonObject(tool["function"]) ? tool["function"]["name"] : undefined));
  if (names.some((name) => typeof name !== "string" || !/^[A-Za-z0-9_-]{1,64}$/.test(name))) return "a tool has no valid name";
  return new Set(names).size < names.length ? "two tools have one name" : undefined;
}

const idText = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

const ROLES: readonly JsonValue[] = ["system", "user", "assistant", "tool"];

const callsOf = (message: JsonObject): readonly JsonObject[] => {
  const list = message["tool_calls"];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
};

function isObjectText(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text));
  } catch {
    return false;
  }
}
