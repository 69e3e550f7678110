/** What the Gemini API refuses, checked on one request body: all complaints, none when it passes. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/base/index.js";

export interface StrictRules {
  /** The model refuses a turn whose first function call has no signature. */
  readonly demandsSignatures?: boolean;
  /** Signatures the server made, and the value that stands for one; any other is a corrupted one. */
  readonly signatures?: ReadonlySet<string>;
}

export function validate(body: string, rules: StrictRules = {}): string[] {
  const parsed = JSON.parse(body) as JsonValue;
  if (!isJsonObject(parsed)) return ["the body is no object"];
  return [
    ...turnsComplaints(listOf(parsed["contents"]), rules),
    ...systemComplaints(parsed["systemInstruction"]),
    ...toolsComplaints(parsed["tools"]),
    ...configComplaints(parsed["generationConfig"]),
  ];
}

const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/u;
const DATA = ["text", "inlineData", "functionCall", "functionResponse"];

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? (value as readonly JsonValue[]) : []);
const objectOf = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});
const partsOf = (turn: JsonValue | undefined): readonly JsonObject[] => listOf(objectOf(turn)["parts"]).map(objectOf);

function turnsComplaints(turns: readonly JsonValue[], rules: StrictRules): string[] {
  if (turns.length === 0) return ["contents is empty"];
  return turns.flatMap((turn, at) => {
    const role = objectOf(turn)["role"];
    const parts = partsOf(turn);
    const where = `contents[${String(at)}]`;
    const complaints = parts.flatMap((part, place) =>
      partComplaints(part, role, rules).map((text) => `${where}.parts[${String(place)}]: ${text}`),
    );
    if (role !== (at % 2 === 0 ? "user" : "model")) complaints.push(`${where}: roles do not alternate from user on`);
    if (parts.length === 0) complaints.push(`${where}: no parts`);
    const calls = parts.flatMap((part) => (isJsonObject(part["functionCall"]) ? [part] : []));
    if (rules.demandsSignatures === true && calls[0] !== undefined && calls[0]["thoughtSignature"] === undefined)
      complaints.push(`${where}: function call is missing a thought_signature`);
    return [
      ...complaints,
      ...pairingComplaints(at === 0 ? [] : partsOf(turns[at - 1]), parts).map((text) => `${where}: ${text}`),
      ...openComplaints(turns, at),
    ];
  });
}

function partComplaints(part: JsonObject, role: JsonValue | undefined, { signatures }: StrictRules): string[] {
  const signature = part["thoughtSignature"];
  const holds = (...keys: readonly string[]): boolean => keys.some((key) => part[key] !== undefined);
  const isKnown = typeof signature === "string" && signature !== "" && signatures?.has(signature) !== false;
  return [
    ...broken([
      [DATA.filter((key) => holds(key)).length !== 1, "a part holds exactly one kind of data"],
      [part["text"] === "" && signature === undefined, "empty text"],
      [holds("functionCall", "thought", "thoughtSignature") && role !== "model", "belongs to the model's side"],
      [holds("functionResponse", "inlineData") && role !== "user", "belongs to the user's side"],
      [signature !== undefined && !isKnown, "thought signature is not valid"],
    ]),
    ...(holds("functionCall") ? callComplaints(objectOf(part["functionCall"]), "args") : []),
    ...(holds("functionResponse") ? callComplaints(objectOf(part["functionResponse"]), "response") : []),
    ...(holds("inlineData") ? imageComplaints(objectOf(part["inlineData"])) : []),
  ];
}

/** What is said of the rules that are broken. */
const broken = (rules: readonly (readonly [isBroken: boolean, complaint: string])[]): string[] =>
  rules.flatMap(([isBroken, complaint]) => (isBroken ? [complaint] : []));

function callComplaints(call: JsonObject, value: "args" | "response"): string[] {
  const { name, id } = { name: call["name"], id: call["id"] };
  return [
    ...(typeof name === "string" && NAME.test(name) ? [] : [`bad name ${JSON.stringify(name)}`]),
    ...(id === undefined || (typeof id === "string" && /^[A-Za-z0-9_-]{1,64}$/u.test(id)) ? [] : [`bad id ${JSON.stringify(id)}`]),
    ...(isJsonObject(call[value]) ? [] : [`${value} is no object`]),
    ...listOf(call["parts"]).flatMap((part) => imageComplaints(objectOf(objectOf(part)["inlineData"]))),
  ];
}

const imageComplaints = ({ mimeType, data }: JsonObject): string[] =>
  typeof mimeType === "string" && /^image\/(?:png|jpeg|gif|webp)$/u.test(mimeType) && typeof data === "string" && data !== ""
    ? []
    : ["bad inlineData"];

/** The responses of a turn are those of the calls before it, in their order, before anything else. */
function pairingComplaints(before: readonly JsonObject[], parts: readonly JsonObject[]): string[] {
  const calls = before.flatMap((part) => (isJsonObject(part["functionCall"]) ? [part["functionCall"]] : []));
  const responses = parts.flatMap((part) => (isJsonObject(part["functionResponse"]) ? [part["functionResponse"]] : []));
  if (responses.length !== calls.length) return [`${String(calls.length)} function calls have ${String(responses.length)} responses`];
  const isFirst = responses.every((_, at) => parts[at]?.["functionResponse"] !== undefined);
  const isInOrder = responses.every((response, at) => response["name"] === calls[at]?.["name"] && response["id"] === calls[at]?.["id"]);
  return isFirst && isInOrder ? [] : ["function responses are not those of the calls before"];
}

/** The last turn may not leave calls open. */
const openComplaints = (turns: readonly JsonValue[], at: number): string[] =>
  at === turns.length - 1 && partsOf(turns[at]).some((part) => part["functionCall"] !== undefined)
    ? ["function calls without responses at the end"]
    : [];

function systemComplaints(system: JsonValue | undefined): string[] {
  if (system === undefined) return [];
  const parts = partsOf(system);
  return parts.length > 0 && parts.every(({ text }) => typeof text === "string" && text !== "") ? [] : ["systemInstruction is empty"];
}

function toolsComplaints(tools: JsonValue | undefined): string[] {
  if (tools === undefined) return [];
  const declared = listOf(tools).flatMap((tool) => listOf(objectOf(tool)["functionDeclarations"]).map(objectOf));
  if (declared.length === 0) return ["tools without functions"];
  const names = new Set(declared.map(({ name }) => name));
  return [
    ...(names.size < declared.length ? ["two functions have one name"] : []),
    ...declared.flatMap((declaration) => {
      const { name, description, parameters, parametersJsonSchema } = declaration;
      const complaints = typeof name === "string" && NAME.test(name) ? [] : [`bad function name ${JSON.stringify(name)}`];
      if (typeof description !== "string" || description === "") complaints.push("a function has no description");
      if (parameters !== undefined && parametersJsonSchema !== undefined) complaints.push("parameters are given twice");
      if (parameters !== undefined && Object.keys(objectOf(objectOf(parameters)["properties"])).length === 0)
        complaints.push("parameters.properties: should be non-empty for OBJECT type");
      complaints.push(...(parameters === undefined ? [] : schemaComplaints(parameters, "reduced", "parameters")));
      return [
        ...complaints,
        ...(parametersJsonSchema === undefined ? [] : schemaComplaints(parametersJsonSchema, "json", "parametersJsonSchema")),
      ];
    }),
  ];
}

const COMMON = [
  "type",
  "title",
  "description",
  "format",
  "enum",
  "items",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "anyOf",
  "properties",
  "required",
];
const KEYWORDS = {
  reduced: new Set([...COMMON, "nullable", "pattern", "minLength", "maxLength", "minProperties", "maxProperties"]),
  json: new Set([...COMMON, "additionalProperties"]),
};
const TYPES: readonly JsonValue[] = ["string", "number", "integer", "boolean", "array", "object"];

/** Complaints of a schema in one of the two forms the API takes. */
export function schemaComplaints(value: JsonValue, form: "reduced" | "json", at: string): string[] {
  if (!isJsonObject(value)) return [`${at}: no schema`];
  const nested = [
    ...Object.entries(objectOf(value["properties"])).flatMap(([name, child]) => schemaComplaints(child, form, `${at}.${name}`)),
    ...listOf(value["anyOf"]).flatMap((child, place) => schemaComplaints(child, form, `${at}.anyOf[${String(place)}]`)),
    ...(value["items"] === undefined ? [] : schemaComplaints(value["items"], form, `${at}[]`)),
    ...(isJsonObject(value["additionalProperties"]) ? schemaComplaints(value["additionalProperties"], form, `${at}.*`) : []),
  ];
  const unknown = Object.keys(value).filter((key) => !KEYWORDS[form].has(key));
  return [
    ...(unknown.length === 0 ? [] : [`${at}: unknown keywords ${unknown.join(", ")}`]),
    ...nodeComplaints(value, form).map((text) => `${at}: ${text}`),
    ...nested,
  ];
}

function nodeComplaints(schema: JsonObject, form: "reduced" | "json"): string[] {
  const { type, enum: values, anyOf, required } = schema;
  const types = Array.isArray(type) ? listOf(type) : type === undefined ? [] : [type];
  const properties = objectOf(schema["properties"]);
  const defined = (name: JsonValue): boolean => typeof name === "string" && Object.hasOwn(properties, name);
  return broken([
    [types.some((one) => one !== "null" && !TYPES.includes(one)), "unknown type"],
    [types.includes("array") && schema["items"] === undefined, "items: missing field"],
    [schema["properties"] !== undefined && Object.keys(properties).length === 0, "properties: should be non-empty"],
    [!listOf(required).every(defined), "required: property is not defined"],
    [values !== undefined && (listOf(values).length === 0 || listOf(values).includes("")), "enum: cannot be empty"],
    [anyOf !== undefined && listOf(anyOf).length === 0, "anyOf is empty"],
    ...(form === "reduced" ? reducedRules(schema, types) : []),
  ]);
}

const reducedRules = ({ type, enum: values, anyOf }: JsonObject, types: readonly JsonValue[]): readonly (readonly [boolean, string])[] => [
  [Array.isArray(type) || types.includes("null"), "a list of types, or null as one"],
  [types.length === 0 && anyOf === undefined, "no type"],
  [
    values !== undefined && (type !== "string" || listOf(values).some((one) => typeof one !== "string")),
    "enum: only allowed for STRING type",
  ],
];

function configComplaints(value: JsonValue | undefined): string[] {
  if (value === undefined) return [];
  const config = objectOf(value);
  const thinking = objectOf(config["thinkingConfig"]);
  const schemas = ["responseSchema", "responseJsonSchema"].filter((key) => config[key] !== undefined);
  return [
    ...broken([
      [Object.keys(config).length === 0, "generationConfig is empty"],
      [listOf(config["stopSequences"]).length > 5, "more than 5 stop sequences"],
      [thinking["thinkingBudget"] !== undefined && thinking["thinkingLevel"] !== undefined, "both a thinking budget and a level"],
      [schemas.length > 0 && config["responseMimeType"] !== "application/json", "a response schema without its media type"],
      [schemas.length > 1, "two response schemas"],
    ]),
    ...schemas.flatMap((key) => schemaComplaints(config[key] ?? null, key === "responseSchema" ? "reduced" : "json", key)),
  ];
}
