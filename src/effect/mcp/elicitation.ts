import { isJsonObject, type JsonObject, type JsonValue } from "../../base/index.js";
import type { Question, QuestionAnswer } from "../../schema/index.js";

export type Ask = (question: Question) => Promise<QuestionAnswer | "unavailable">;

export interface Elicited {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Record<string, string | number | boolean | string[]>;
}

const MAX_FIELDS = 20;

/**
 * What a server wants to know of a person, asked field by field. Where nobody can be asked, a form whose every required field has a
 * default is accepted as it stands, which is what a person does who just confirms it; any other is declined.
 */
export async function elicit(params: JsonObject, server: string, ask: Ask | undefined): Promise<Elicited> {
  if (params["mode"] !== undefined && params["mode"] !== "form") return { action: "decline" };
  const fields = fieldsOf(params["requestedSchema"]);
  if (fields === undefined) return { action: "decline" };
  if (ask === undefined) return unattended(fields);
  const message = typeof params["message"] === "string" ? params["message"] : "";
  const content: NonNullable<Elicited["content"]> = {};
  for (const [index, field] of fields.entries()) {
    const answer = await ask(questionOf(field, index === 0 ? `${server}: ${message}` : server));
    if (answer === "unavailable") return unattended(fields);
    if (answer.type === "dismissed") {
      if (field.isRequired) return { action: index === 0 ? "decline" : "cancel" };
      continue;
    }
    const value = valueOf(field, answer);
    if (value !== undefined) content[field.name] = value;
    else if (field.isRequired) return { action: "cancel" };
  }
  return { action: "accept", content };
}

/** Defaults are put in by the protocol's own code. */
const unattended = (fields: readonly Field[]): Elicited =>
  fields.length > 0 && fields.every(({ isRequired, schema }) => !isRequired || schema["default"] !== undefined)
    ? { action: "accept", content: {} }
    : { action: "decline" };

interface Field {
  readonly name: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

function fieldsOf(schema: JsonValue | undefined): readonly Field[] | undefined {
  if (!isJsonObject(schema) || !isJsonObject(schema["properties"])) return undefined;
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const fields = Object.entries(schema["properties"]).flatMap(([name, field]) =>
    isJsonObject(field) ? [{ name, schema: field, isRequired: required.includes(name) }] : [],
  );
  return fields.length > MAX_FIELDS ? undefined : fields;
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** Words of an enum, with titles in any of the forms there are. */
function choicesOf(schema: JsonObject): readonly Choice[] {
  const titled = schema["oneOf"] ?? schema["anyOf"];
  if (Array.isArray(titled))
    return titled
      .filter(isJsonObject)
      .flatMap((one) => (typeof one["const"] === "string" ? [{ value: one["const"], label: labelOf(one["title"], one["const"]) }] : []));
  const names = Array.isArray(schema["enumNames"]) ? schema["enumNames"] : [];
  const words = Array.isArray(schema["enum"]) ? schema["enum"] : [];
  return words.flatMap((word, index) => (typeof word === "string" ? [{ value: word, label: labelOf(names[index], word) }] : []));
}

const labelOf = (title: JsonValue | undefined, fallback: string): string => (typeof title === "string" && title !== "" ? title : fallback);

function questionOf({ name, schema, isRequired }: Field, head: string): Question {
  const title = labelOf(schema["title"], name);
  const about = typeof schema["description"] === "string" ? ` (${schema["description"]})` : "";
  const text = `${head}\n${title}${about}${isRequired ? "" : " - optional"}`.slice(0, 4_000);
  const isMany = schema["type"] === "array";
  const choices = isMany && isJsonObject(schema["items"]) ? choicesOf(schema["items"]) : choicesOf(schema);
  if (choices.length > 0)
    return {
      type: "choose",
      text,
      options: choices.slice(0, 100).map(({ value, label }) => ({ value: value.slice(0, 200), label: label.slice(0, 200) })),
      ...(isMany ? { many: true } : {}),
    };
  if (schema["type"] === "boolean") return { type: "confirm", text };
  const initial = schema["default"];
  return { type: "ask", text, ...(typeof initial === "string" || typeof initial === "number" ? { initial: String(initial) } : {}) };
}

function valueOf({ schema }: Field, answer: QuestionAnswer): string | number | boolean | string[] | undefined {
  switch (answer.type) {
    case "confirmed":
      return answer.yes;
    case "chosen":
      return schema["type"] === "array" ? [...answer.values] : answer.values[0];
    case "text": {
      if (schema["type"] !== "number" && schema["type"] !== "integer") return answer.text;
      const number = Number(answer.text.trim());
      const isRight = answer.text.trim() !== "" && Number.isFinite(number) && (schema["type"] === "number" || Number.isInteger(number));
      return isRight ? number : undefined;
    }
    case "dismissed":
      return undefined;
  }
}
