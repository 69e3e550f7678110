import { isJsonObject, type JsonObject, type JsonValue } from "../../base/index.js";
import type { Question, QuestionAnswer } from "../../schema/index.js";

export type Ask = (question: Question) => Promise<QuestionAnswer | "unavailable">;

export interface Elicited {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Record<string, string | number | boolean | string[]>;
}

const MAX_FIELDS = 20;
/** Of a question, in UTF-16 units: what the server says, and what it says of one field. */
const MAX_MESSAGE = 2_500;
const MAX_DETAIL = 500;
const MAX_CHOICES = 100;
const MAX_LABEL = 200;

/**
 * What a server wants to know of a person, asked field by field. Where nobody can be asked, a form whose every required field has a
 * default is accepted as it stands, which is what a person does who just confirms it; any other is declined.
 */
export async function elicit(params: JsonObject, server: string, ask: Ask | undefined): Promise<Elicited> {
  const fields = formIn(params);
  if (fields === undefined) return { action: "decline" };
  if (ask === undefined) return unattended(fields);
  const message = typeof params["message"] === "string" ? params["message"].slice(0, MAX_MESSAGE) : "";
  return fields.length === 0 ? await agreed(`${server}: ${message}`, ask) : await filled(fields, { server, message }, ask);
}

async function filled(
  fields: readonly Field[],
  { server, message }: { readonly server: string; readonly message: string },
  ask: Ask,
): Promise<Elicited> {
  const content: NonNullable<Elicited["content"]> = {};
  for (const [index, field] of fields.entries()) {
    const answer = await askField(field, index === 0 ? `${server}: ${message}` : server, ask);
    if (answer === "unavailable") return unattended(fields);
    if (answer === "dismissed" && field.isRequired) return { action: index === 0 ? "decline" : "cancel" };
    if (answer !== "dismissed" && answer.value !== undefined) content[field.name] = answer.value;
  }
  return { action: "accept", content };
}

/** A form without fields asks for a yes. */
async function agreed(text: string, ask: Ask): Promise<Elicited> {
  const answer = await ask({ type: "confirm", text });
  return answer !== "unavailable" && answer.type === "confirmed" && answer.yes ? { action: "accept", content: {} } : { action: "decline" };
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

/** What an answer has to be, for whoever gave another. */
function expectedOf({ schema }: Field): string {
  const { type, minimum, maximum, minLength, maxLength, minItems, maxItems, format } = schema;
  if (type === "integer" || type === "number")
    return `A ${type === "integer" ? "whole number" : "number"}${span(minimum, maximum)} is needed.`;
  if (type === "array") return `A choice${span(minItems, maxItems)} is needed.`;
  const form = typeof format === "string" && FORMATS.has(format) ? ` in the form of ${format}` : "";
  const length = typeof minLength === "number" || typeof maxLength === "number" ? `, in length${span(minLength, maxLength)},` : "";
  return `An answer${form}${length} is needed.`;
}

function span(least: JsonValue | undefined, most: JsonValue | undefined): string {
  const from = typeof least === "number" ? ` from ${least}` : "";
  return typeof most === "number" ? `${from} up to ${most}` : from;
}

/** Defaults are put in by the protocol's own code. A form without any is a question, and nobody is there to say yes. */
const unattended = (fields: readonly Field[]): Elicited =>
  fields.some(hasDefault) && fields.every((field) => !field.isRequired || hasDefault(field))
    ? { action: "accept", content: {} }
    : { action: "decline" };

const hasDefault = ({ schema }: Field): boolean => schema["default"] !== undefined;

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

/** What there is to choose from, each value once; empty: nothing. */
function choicesOf(schema: JsonObject): readonly Choice[] {
  const items = schema["items"];
  const all = wordsOf(schema["type"] === "array" && isJsonObject(items) ? items : schema);
  return [...new Map(all.map((choice) => [choice.value, choice])).values()].slice(0, MAX_CHOICES);
}

/** Words of an enum, with titles in any of the forms there are. */
function wordsOf(schema: JsonObject): readonly Choice[] {
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
  const title = labelOf(schema["title"], name).slice(0, MAX_LABEL);
  const about = typeof schema["description"] === "string" ? ` (${schema["description"].slice(0, MAX_DETAIL)})` : "";
  const text = `${head}\n${title}${about}${isRequired ? "" : " - optional"}`;
  const choices = choicesOf(schema);
  if (choices.length > 0)
    return {
      type: "choose",
      text,
      // A value goes back as it came, however long; only what is shown is cut.
      options: choices.map(({ value, label }) => ({ value, label: label.slice(0, MAX_LABEL) })),
      ...(schema["type"] === "array" ? { many: true } : {}),
    };
  if (schema["type"] === "boolean") return { type: "confirm", text };
  const initial = schema["default"];
  return {
    type: "ask",
    text,
    ...(typeof initial === "string" || typeof initial === "number" ? { initial: String(initial).slice(0, MAX_MESSAGE) } : {}),
  };
}

function valueOf({ schema, isRequired }: Field, answer: QuestionAnswer): string | number | boolean | string[] | undefined {
  switch (answer.type) {
    case "confirmed":
      return answer.yes;
    case "chosen":
      return chosenOf(schema, answer.values);
    case "text": {
      const text = answer.text.trim();
      if (schema["type"] === "number" || schema["type"] === "integer") return text === "" ? undefined : numberIn(Number(text), schema);
      return (text === "" && isRequired) || !isText(answer.text, schema) ? undefined : answer.text;
    }
    case "dismissed":
      return undefined;
  }
}

function chosenOf(schema: JsonObject, values: readonly string[]): string | string[] | undefined {
  const offered = new Set(choicesOf(schema).map(({ value }) => value));
  if (!values.every((value) => offered.has(value))) return undefined;
  if (schema["type"] !== "array") return values.length === 1 ? values[0] : undefined;
  return isWithin(values.length, schema["minItems"], schema["maxItems"]) ? [...values] : undefined;
}

function numberIn(number: number, { type, minimum, maximum }: JsonObject): number | undefined {
  const isKind = type === "integer" ? Number.isInteger(number) : Number.isFinite(number);
  return isKind && isWithin(number, minimum, maximum) ? number : undefined;
}

const isWithin = (value: number, least: JsonValue | undefined, most: JsonValue | undefined): boolean =>
  !(typeof least === "number" && value < least) && !(typeof most === "number" && value > most);

/** Those a form may ask for; how exactly they are meant is the server's to say. */
const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["email", (text) => /^[^\s@]+@[^\s@]+$/u.test(text)],
  ["uri", (text) => URL.canParse(text)],
  ["date", (text) => /^\d{4}-\d{2}-\d{2}$/u.test(text) && !Number.isNaN(Date.parse(text))],
  ["date-time", (text) => /^\d{4}-\d{2}-\d{2}[Tt ]/u.test(text) && !Number.isNaN(Date.parse(text))],
]);

function isText(text: string, { minLength, maxLength, format }: JsonObject): boolean {
  const isForm = typeof format === "string" ? FORMATS.get(format) : undefined;
  return isWithin([...text].length, minLength, maxLength) && isForm?.(text) !== false;
}
