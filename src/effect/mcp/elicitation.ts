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
  const fields = formIn(params);
  if (fields === undefined) return { action: "decline" };
  if (ask === undefined) return unattended(fields);
  const message = typeof params["message"] === "string" ? params["message"] : "";
  const content: NonNullable<Elicited["content"]> = {};
  for (const [index, field] of fields.entries()) {
    const answer = await askField(field, index === 0 ? `${server}: ${message}` : server, ask);
    if (answer === "unavailable") return unattended(fields);
    if (answer === "dismissed" && field.isRequired) return { action: index === 0 ? "decline" : "cancel" };
    if (answer !== "dismissed" && answer.value !== undefined) content[field.name] = answer.value;
  }
  return { action: "accept", content };
}

/** Forms only: no address of a server is opened. */
const formIn = ({ mode = "form", requestedSchema }: JsonObject): readonly Field[] | undefined =>
  mode === "form" ? fieldsOf(requestedSchema) : undefined;

const MAX_TRIES = 3;

/** Its value, undefined where it was left open; asked anew where it does not fit. */
async function askField(
  field: Field,
  head: string,
  ask: Ask,
): Promise<{ readonly value: ReturnType<typeof valueOf> } | "dismissed" | "unavailable"> {
  const question = questionOf(field, head);
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const answer = await ask(tries === 1 ? question : { ...question, text: `${question.text}\n${expectedOf(field)}` });
    if (answer === "unavailable") return answer;
    if (answer.type === "dismissed") return "dismissed";
    const value = valueOf(field, answer);
    const isOpen = answer.type === "text" && answer.text.trim() === "" && !field.isRequired;
    if (isOpen) return { value: undefined };
    if (value !== undefined) return { value };
  }
  return "dismissed";
}

const expectedOf = ({ schema }: Field): string => {
  const type = schema["type"] === "integer" ? "A whole number" : schema["type"] === "number" ? "A number" : "An answer";
  const { minimum, maximum } = schema;
  const from = typeof minimum === "number" ? ` from ${minimum}` : "";
  const to = typeof maximum === "number" ? ` up to ${maximum}` : "";
  return `${type}${from}${to} is needed.`;
};

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
  const titled = listIn(schema, "oneOf") ?? listIn(schema, "anyOf");
  if (titled !== undefined)
    return titled
      .filter(isJsonObject)
      .flatMap((one) => (typeof one["const"] === "string" ? [{ value: one["const"], label: labelOf(one["title"], one["const"]) }] : []));
  const names = listIn(schema, "enumNames") ?? [];
  const words = listIn(schema, "enum") ?? [];
  return words.flatMap((word, index) => (typeof word === "string" ? [{ value: word, label: labelOf(names[index], word) }] : []));
}

const listIn = (schema: JsonObject, key: string): readonly JsonValue[] | undefined => {
  const value = schema[key];
  return Array.isArray(value) ? (value as readonly JsonValue[]) : undefined;
};

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
      // A value goes back as it came, however long; only what is shown is cut.
      options: choices.slice(0, 100).map(({ value, label }) => ({ value, label: label.slice(0, 200) })),
      ...(isMany ? { many: true } : {}),
    };
  if (schema["type"] === "boolean") return { type: "confirm", text };
  const initial = schema["default"];
  return { type: "ask", text, ...(typeof initial === "string" || typeof initial === "number" ? { initial: String(initial) } : {}) };
}

function valueOf({ schema, isRequired }: Field, answer: QuestionAnswer): string | number | boolean | string[] | undefined {
  switch (answer.type) {
    case "confirmed":
      return answer.yes;
    case "chosen":
      return schema["type"] === "array" ? [...answer.values] : answer.values[0];
    case "text": {
      const text = answer.text.trim();
      if (schema["type"] !== "number" && schema["type"] !== "integer") return text === "" && isRequired ? undefined : answer.text;
      return text === "" ? undefined : numberIn(Number(text), schema);
    }
    case "dismissed":
      return undefined;
  }
}

function numberIn(number: number, { type, minimum, maximum }: JsonObject): number | undefined {
  const isKind = type === "integer" ? Number.isInteger(number) : Number.isFinite(number);
  const isWithin = !(typeof minimum === "number" && number < minimum) && !(typeof maximum === "number" && number > maximum);
  return isKind && isWithin ? number : undefined;
}
