import { isJsonObject, type JsonObject, type JsonValue } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { ResourceContribution } from "../types.js";
import { badFrontMatter, badJson } from "./diagnostics.js";
import { readFrontMatter } from "./front-matter.js";

/** What a file says of itself. */
export interface Content {
  readonly name?: string;
  readonly description: string;
  readonly text: string;
  readonly attributes: JsonObject;
}

export interface ReadContent {
  /** Absent: the file cannot be used. */
  readonly content?: Content;
  readonly problem?: Diagnostic;
}

/** Reads the text of a file by the format of its kind. `path` is for messages. */
export async function readContent(text: string, path: string, format: ResourceContribution["format"]): Promise<ReadContent> {
  switch (format) {
    case "text":
      return { content: { description: "", text, attributes: {} } };
    case "json":
      return readJson(text, path);
    case "front-matter": {
      const { problem, ...found } = await readFrontMatter(text);
      const content = { ...described(found.attributes, found.text), text: found.text };
      return problem === undefined ? { content } : { content, problem: badFrontMatter(path, problem.line, problem.reason) };
    }
  }
}

function readJson(text: string, path: string): ReadContent {
  try {
    const attributes: unknown = JSON.parse(text, (key, value: unknown) => (key === "__proto__" ? undefined : value));
    if (!isJsonObject(attributes)) return { problem: badJson(path, undefined, "It is something else than an object.") };
    return { content: { ...described(attributes, ""), text } };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const position = /at position (\d+)/u.exec(reason)?.[1];
    return { problem: badJson(path, position === undefined ? undefined : text.slice(0, Number(position)).split("\n").length, reason) };
  }
}

/** Without a description the first line of the text is what there is to say of it. */
function described(attributes: JsonObject, text: string): Omit<Content, "text"> {
  const name = wordsOf(own(attributes, "name"));
  const firstLine = /^[ \t]*(?:#+[ \t]+)?(\S.*)$/mu.exec(text)?.[1] ?? "";
  return {
    ...(name === undefined ? {} : { name }),
    description: plainLine(wordsOf(own(attributes, "description")) ?? firstLine),
    attributes,
  };
}

const own = (attributes: JsonObject, key: string): JsonValue | undefined => (Object.hasOwn(attributes, key) ? attributes[key] : undefined);

/** YAML reads an unquoted `name: 2048` as a number; it is meant as written. */
const wordsOf = (value: JsonValue | undefined): string | undefined =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;

/** Of the agent-skills convention. */
const MAX_DESCRIPTION = 1_024;

/** One line that can be shown anywhere: no control sequences, no characters that hide or turn around others. */
export function plainLine(text: string): string {
  const line = text
    .slice(0, 16 * MAX_DESCRIPTION)
    .toWellFormed()
    .replace(/\u001B\[[0-?]*[ -/]*[@-~]/gu, "")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    // Joiners are part of emoji and of Indic scripts.
    .replace(/(?![\u200C\u200D])\p{Cf}/gu, "")
    .trim();
  return line.length <= MAX_DESCRIPTION ? line : `${line.slice(0, MAX_DESCRIPTION - 1).toWellFormed()}…`;
}
