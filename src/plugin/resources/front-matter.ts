import { isJsonObject, type JsonObject, type JsonValue } from "../../base/index.js";

/** A text with what its front matter says. */
export interface FrontMatter {
  /** Without the front matter. */
  readonly text: string;
  readonly attributes: JsonObject;
  /** The first thing that is wrong with it; lines count from 1, in the file. */
  readonly problem?: { readonly line: number; readonly reason: string };
}

/** Aliases of YAML that are followed: a few lines of them can stand for gigabytes. */
const MAX_ALIASES = 50;
const MAX_UNITS = 16 * 1024;

/**
 * Takes the YAML between two lines of three dashes off the start of a text. Broken YAML costs its attributes, never the text; a name and a
 * description on lines of their own are kept even then. The parser is loaded only for texts that have front matter.
 */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const start = /^---[ \t]*\n/u.exec(text)?.[0].length;
  if (start === undefined) return { text, attributes: {} };
  const end = /^(?:---|\.\.\.)[ \t]*(?:\n|$)/mu.exec(text.slice(start));
  if (end === null) return { text, attributes: {}, problem: { line: 1, reason: "it has no end." } };
  const yaml = text.slice(start, start + end.index);
  const body = text.slice(start + end.index + end[0].length).replace(/^\n+/u, "");
  const parsed = yaml.length > MAX_UNITS ? tooLong() : await parseYaml(yaml);
  return "attributes" in parsed
    ? { text: body, attributes: parsed.attributes }
    : { text: body, attributes: plainLines(yaml), problem: { line: parsed.line + 1, reason: parsed.reason } };
}

type Parsed = { readonly attributes: JsonObject } | { readonly line: number; readonly reason: string };

/** Worded when it is said: the first number that is formatted loads the locales. */
const tooLong = (): Parsed => ({ line: 1, reason: `it is longer than ${MAX_UNITS.toLocaleString("en")} characters.` });

async function parseYaml(yaml: string): Promise<Parsed> {
  // CommonJS: `default` is all of it, in Node and in a bundle alike.
  const { default: library } = await import("yaml");
  try {
    const document = library.parseDocument(yaml, { schema: "core", logLevel: "silent" });
    const [error] = document.errors;
    if (error !== undefined) return { line: error.linePos?.[0].line ?? 1, reason: `${firstLine(error.message)}.` };
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    if (value === null) return { attributes: {} };
    const attributes = jsonOf(value);
    return isJsonObject(attributes) ? { attributes } : { line: 1, reason: "it is no list of names and values." };
  } catch (error) {
    // Deep nesting and too many aliases are thrown.
    return { line: 1, reason: error instanceof Error ? `${firstLine(error.message)}.` : "it cannot be parsed." };
  }
}

const firstLine = (text: string): string => (text.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:?$/u, "").replace(/\.$/u, "");

/** Whatever YAML has beyond JSON is gone after this, and so is the one name that assigning treats in a way of its own. */
const jsonOf = (value: unknown): JsonValue =>
  JSON.parse(JSON.stringify(value), function reviveWithoutPrototype(this: unknown, key: string, inner: unknown) {
    return key === "__proto__" ? undefined : inner;
  }) as JsonValue;

function plainLines(yaml: string): JsonObject {
  const attributes: Record<string, string> = {};
  for (const line of yaml.split("\n")) {
    const found = /^(name|description)[ \t]*:[ \t](.*)$/u.exec(line);
    const value = found?.[2]?.trim() ?? "";
    if (found?.[1] !== undefined && value !== "") attributes[found[1]] ??= value.replace(/^(["'])(.*)\1$/u, "$2");
  }
  return attributes;
}
