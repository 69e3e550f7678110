/**
 * What strict servers of Chat Completions refuse, checked on one request body. The rules that every one of them has are always on;
 * those that only some have are switched on by name.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/base/index.js";

export type StrictRule =
  /** No content is null or missing. */
  | "content-present"
  /** One system message, and it stands first. */
  | "one-system-first"
  /** Tool results are text. */
  | "text-results"
  /** Only fields of the oldest form of the API. */
  | "known-fields"
  /** Every tool parameter has a type. */
  | "typed-parameters"
  /** Tool results carry their tool's name. */
  | "named-results"
  /** The role `developer` is unknown. */
  | "no-developer"
  /** Neighbours have different roles, but for tool results. */
  | "alternation"
  /** No user message directly after a tool result. */
  | "no-user-after-tool"
  /** Ids of calls are nine letters and digits. */
  | "nine-character-ids";

const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...["model", "messages", "tools", "tool_choice", "stream", "max_tokens", "temperature", "top_p", "stop", "seed", "response_format"],
]);
const ROLES: ReadonlySet<string> = new Set(["system", "developer", "user", "assistant", "tool"]);
const NAME = /^[A-Za-z0-9_-]{1,64}$/u;

interface Place {
  readonly at: number;
  readonly message: JsonObject;
  readonly before: JsonObject | undefined;
}

/** Everything that is refused, in words; empty when the body passes. */
export function validate(body: JsonValue, rules: readonly StrictRule[] = []): readonly string[] {
  if (!isJsonObject(body)) return ["the body is not an object"];
  const messages = listOf(body["messages"]);
  if (messages.length === 0) return ["messages must be a list that is not empty"];
  const places = messages.flatMap((value, at): readonly Place[] => {
    const before = messages[at - 1];
    return isJsonObject(value) ? [{ at, message: value, before: isJsonObject(before) ? before : undefined }] : [];
  });
  const has = new Set(rules);
  return [
    ...(places.length === messages.length ? [] : ["a message is not an object"]),
    ...(typeof body["model"] === "string" && body["model"] !== "" ? [] : ["model must be a text"]),
    ...(has.has("known-fields") ? Object.keys(body).flatMap((key) => (KNOWN_FIELDS.has(key) ? [] : [`unknown field ${key}`])) : []),
    ...places.flatMap((place) => messageProblems(place, has)),
    ...pairingProblems(places),
    ...toolProblems(body["tools"], has),
  ];
}

function messageProblems(place: Place, rules: ReadonlySet<StrictRule>): readonly string[] {
  const role = textOf(place.message["role"]);
  const broken = (Object.keys(MESSAGE_RULES) as readonly (keyof typeof MESSAGE_RULES)[]).flatMap((rule) =>
    rules.has(rule) ? (MESSAGE_RULES[rule]({ ...place, role }) ?? []) : [],
  );
  const problems = [
    ...(ROLES.has(role) ? [] : [`unknown role ${JSON.stringify(role)}`]),
    ...contentProblems(place.message, role, rules),
    ...callsOf(place.message).flatMap((call) => callProblems(call, rules)),
    ...broken,
  ];
  return problems.map((problem) => `messages[${String(place.at)}]: ${problem}`);
}

/** Rules about one message and the one before it. */
const MESSAGE_RULES = {
  "no-developer": ({ role }) => (role === "developer" ? "the role developer is unknown" : undefined),
  "one-system-first": ({ role, at }) =>
    at > 0 && (role === "system" || role === "developer") ? "a system message must be the first" : undefined,
  "named-results": ({ role, message }) =>
    role === "tool" && !NAME.test(textOf(message["name"])) ? "a tool result needs a name" : undefined,
  alternation: ({ role, before }) => (role !== "tool" && role === before?.["role"] ? `two messages of ${role} in a row` : undefined),
  "no-user-after-tool": ({ role, before }) =>
    role === "user" && before?.["role"] === "tool" ? "unexpected role user after role tool" : undefined,
} as const satisfies { readonly [Rule in StrictRule]?: (place: Place & { readonly role: string }) => string | undefined };

function contentProblems(message: JsonObject, role: string, rules: ReadonlySet<StrictRule>): readonly string[] {
  const content = message["content"];
  const mayBeEmpty = role === "assistant" && callsOf(message).length > 0;
  if (content === null || content === undefined) return rules.has("content-present") || !mayBeEmpty ? ["content is missing"] : [];
  if (typeof content === "string") return content.trim() === "" && !mayBeEmpty ? ["content is empty"] : [];
  if (!Array.isArray(content)) return ["content is neither a text nor a list"];
  return partProblems(content as readonly JsonValue[], rules.has("text-results") && role === "tool");
}

const partProblems = (parts: readonly JsonValue[], mustBeText: boolean): readonly string[] => [
  ...(parts.length === 0 ? ["content has no parts"] : []),
  ...(mustBeText ? ["content of a tool result must be a text"] : []),
  ...(parts.some(isEmptyPart) ? ["an empty part"] : []),
];

const isEmptyPart = (part: JsonValue): boolean => !isJsonObject(part) || (part["type"] === "text" && textOf(part["text"]).trim() === "");

function callProblems(call: JsonObject, rules: ReadonlySet<StrictRule>): readonly string[] {
  const fn = isJsonObject(call["function"]) ? call["function"] : {};
  const id = textOf(call["id"]);
  return [
    ...(id === "" ? ["a tool call has no id"] : []),
    ...(rules.has("nine-character-ids") && !/^[A-Za-z0-9]{9}$/u.test(id)
      ? [`the id ${JSON.stringify(id)} is not nine letters and digits`]
      : []),
    ...(call["type"] === "function" ? [] : ["a tool call is not of type function"]),
    ...(NAME.test(textOf(fn["name"])) ? [] : [`the name ${JSON.stringify(fn["name"])} of a call`]),
    ...(isObjectText(textOf(fn["arguments"])) ? [] : ["arguments of a tool call are not a JSON object"]),
  ];
}

/** Each call has exactly one result, and results stand directly after the message with the calls. */
function pairingProblems(places: readonly Place[]): readonly string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  let open: readonly string[] = [];
  for (const { at, message } of places) {
    if (message["role"] === "tool") {
      const id = textOf(message["tool_call_id"]);
      if (!open.includes(id)) problems.push(`messages[${String(at)}]: a result for a call nobody made: ${JSON.stringify(id)}`);
      open = open.filter((one) => one !== id);
      continue;
    }
    if (open.length > 0) problems.push(`messages[${String(at)}]: results are missing for ${open.join(", ")}`);
    open = callsOf(message).map((call) => textOf(call["id"]));
    for (const id of open) {
      if (seen.has(id)) problems.push(`messages[${String(at)}]: the id ${JSON.stringify(id)} was used before`);
      seen.add(id);
    }
  }
  return open.length > 0 ? [...problems, `results are missing for ${open.join(", ")}`] : problems;
}

function toolProblems(tools: JsonValue | undefined, rules: ReadonlySet<StrictRule>): readonly string[] {
  if (tools === undefined) return [];
  const list = listOf(tools).map((tool) => (isJsonObject(tool) && isJsonObject(tool["function"]) ? tool["function"] : {}));
  const names = list.map((fn) => textOf(fn["name"]));
  return [
    ...(list.length === 0 ? ["tools must be a list that is not empty"] : []),
    ...names.filter((name) => !NAME.test(name)).map((name) => `the name ${JSON.stringify(name)} of a tool`),
    ...(new Set(names).size < names.length ? ["two tools have one name"] : []),
    ...(rules.has("typed-parameters") ? list.flatMap((fn) => untyped(fn["parameters"], textOf(fn["name"]))) : []),
  ];
}

function untyped(schema: JsonValue | undefined, path: string): readonly string[] {
  if (!isJsonObject(schema)) return [`${path} has no schema`];
  const properties = isJsonObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  return [
    ...("type" in schema || "$ref" in schema || "anyOf" in schema || "oneOf" in schema || "allOf" in schema ? [] : [`${path} has no type`]),
    ...properties.flatMap(([name, value]) => untyped(value, `${path}.${name}`)),
    ...(isJsonObject(schema["items"]) ? untyped(schema["items"], `${path}[]`) : []),
  ];
}

const textOf = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");
const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? (value as readonly JsonValue[]) : []);
const callsOf = (message: JsonObject): readonly JsonObject[] => listOf(message["tool_calls"]).filter(isJsonObject);

function isObjectText(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text));
  } catch {
    return false;
  }
}
