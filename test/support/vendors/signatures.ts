import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/base/index.js";
import { sign } from "../strict-anthropic.js";

/** The value that Google documents for calls that another model made. */
const FOREIGN = "skip_thought_signature_validator";

/** Encrypted thinking of the Responses API: worth something only with this item's id and its summary. */
export const encrypted = (id: string, summary: string): string => `enc-${sign(id, summary)}`;

/** A block of thinking that is not shown; worth something to its model only. */
export const redacted = (model: string): string => `redacted-${sign(model, "")}`;

/** Google's signature of one part: worth something only on this part, to this model. */
export const signedPart = (model: string, part: JsonObject): string =>
  Buffer.from(`part-${sign(model, partText(part))}`, "utf8").toString("base64");

function partText(part: JsonObject): string {
  const call = part["functionCall"];
  if (!isJsonObject(call)) return JSON.stringify([part["thought"] === true, part["text"] ?? ""]);
  return JSON.stringify([call["name"], sorted(call["args"] ?? {})]);
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => sorted(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}

const objectsIn = (value: JsonValue | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

/** Redacted blocks that are not of this model. What the rest of thinking is worth, strict-anthropic.ts finds itself. */
export const anthropicAlterations = (body: JsonObject): readonly string[] =>
  objectsIn(body["messages"])
    .flatMap((message) => objectsIn(message["content"]))
    .filter(({ type, data }) => type === "redacted_thinking" && data !== redacted(typeof body["model"] === "string" ? body["model"] : ""))
    .map(({ data }) => `redacted_thinking ${JSON.stringify(data)} was made by another model or altered`);

export const responsesAlterations = (body: JsonObject): readonly string[] =>
  objectsIn(body["input"])
    .filter(({ type }) => type === "reasoning")
    .filter(({ id, summary, encrypted_content: content }) => {
      const text = objectsIn(summary)
        .map((part) => (typeof part["text"] === "string" ? part["text"] : ""))
        .join("\n\n");
      return typeof id !== "string" || content !== encrypted(id, text);
    })
    .map((item) => `reasoning was altered: ${JSON.stringify(item).slice(0, 200)}`);

export const googleAlterations = (body: JsonObject, model: string): readonly string[] =>
  objectsIn(body["contents"])
    .flatMap((turn) => objectsIn(turn["parts"]))
    .filter((part) => {
      const { thoughtSignature: signature } = part;
      return signature !== undefined && signature !== FOREIGN && signature !== signedPart(model, part);
    })
    .map((part) => `a signature is not of this part: ${JSON.stringify(part).slice(0, 200)}`);
