import { isJsonObject, type JsonObject, type JsonValue } from "../../base/index.js";
import type { McpPromptInfo, McpResourceInfo, McpToolInfo } from "../../schema/index.js";
import { MAX_LEVELS, nestsWithin, unitsOf } from "./bounds.js";

/** Asks for one page; `cursor` is that of the page before. */
export type AskPage = (cursor: string | undefined) => Promise<JsonObject>;

export interface Pages {
  readonly items: readonly JsonObject[];
  /** What kept the list from being whole. */
  readonly notes: readonly string[];
}

const MAX_PAGES = 100;
const MAX_ITEMS = 5_000;
/** UTF-16 units of JSON that are kept while a list is read; less of it is used. */
const MAX_UNITS = 8 * 1024 * 1024;

/**
 * All pages of a list. A cursor that comes again, a page that fails after the first, or more than is wanted ends it with a note: what there is
 * so far is used. A first page that fails is thrown.
 */
export async function readPages(what: string, key: string, ask: AskPage): Promise<Pages> {
  const items: JsonObject[] = [];
  const notes: string[] = [];
  const until = (note: string, read: readonly JsonObject[] = items): Pages => ({ items: read, notes: [...notes, note] });
  const seen = new Set<string>();
  let cursor: string | undefined;
  let units = 0;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    let result: JsonObject;
    try {
      result = await ask(cursor);
    } catch (error) {
      if (page === 1) throw error;
      return until(`Page ${page} of its ${what} failed: ${wordsOf(error)}`);
    }
    const listed = itemsIn(result[key], what, notes);
    if (!Array.isArray(result[key])) return until(`Page ${page} of its ${what} is no list.`);
    const next = result["nextCursor"];
    if (typeof next === "string" && seen.has(next))
      return until(
        `Its list of ${what} does not end: page ${page} leads to a page that was read before.`,
        items.length === 0 ? listed : items,
      );
    // One at a time: as arguments of one call, a page of many would be too many.
    for (const item of listed) items.push(item);
    units += listed.reduce((sum, item) => sum + unitsOf(item), 0);
    if (items.length > MAX_ITEMS)
      return until(`It lists more than ${MAX_ITEMS} ${what}; the rest was left out.`, items.slice(0, MAX_ITEMS));
    if (typeof next !== "string") return { items, notes };
    if (units > MAX_UNITS)
      return until(`Its list of ${what} has more than ${MAX_UNITS} characters of JSON; what follows page ${page} was left out.`);
    seen.add(next);
    cursor = next;
  }
  return until(`Its list of ${what} has more than ${MAX_PAGES} pages; the rest was left out.`);
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The items of a page that can be walked through; the others are noted. */
function itemsIn(listed: JsonValue | undefined, what: string, notes: string[]): readonly JsonObject[] {
  const all = Array.isArray(listed) ? listed.filter(isJsonObject) : [];
  return all.filter((item) => {
    const isFlat = nestsWithin(item);
    const name = JSON.stringify((textIn(item, "name") ?? "").slice(0, 80));
    if (!isFlat) notes.push(`One of its ${what}, ${name}, was left out: it has more than ${MAX_LEVELS} levels within one another.`);
    return isFlat;
  });
}

const textIn = (value: JsonObject, key: string): string | undefined => (typeof value[key] === "string" ? value[key] : undefined);

const optional = <const Name extends string, Value>(name: Name, value: Value | undefined): { readonly [N in Name]?: Value } =>
  // A computed name widens to any string; it is exactly this one.
  (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: Value };

/** The items that have a name, each name once; the others are noted. */
function named<T>(
  what: string,
  items: readonly JsonObject[],
  read: (name: string, item: JsonObject) => T,
): { readonly all: readonly T[]; readonly notes: readonly string[] } {
  const names = new Set<string>();
  const notes: string[] = [];
  const all = items.flatMap((item) => {
    const name = textIn(item, "name");
    if (name === undefined || name === "") notes.push(`A ${what} without a name was left out.`);
    else if (names.has(name)) notes.push(`A second ${what} ${JSON.stringify(name.slice(0, 80))} was left out.`);
    else {
      names.add(name);
      return [read(name, item)];
    }
    return [];
  });
  return { all, notes };
}

/** Schemas are passed on as they came: what can be made of them is the plugin's to say. */
export const readTools = (items: readonly JsonObject[]) =>
  named("tool", items, (name, item): McpToolInfo => {
    const annotations = item["annotations"];
    const schema: JsonValue | undefined = item["inputSchema"];
    return {
      name,
      ...optional("title", textIn(item, "title") ?? (isJsonObject(annotations) ? textIn(annotations, "title") : undefined)),
      ...optional("description", textIn(item, "description")),
      ...optional("inputSchema", schema),
      ...optional("annotations", isJsonObject(annotations) ? hintsOf(annotations) : undefined),
    };
  });

const HINTS = {
  readOnly: "readOnlyHint",
  destructive: "destructiveHint",
  idempotent: "idempotentHint",
  openWorld: "openWorldHint",
} as const;

const hintsOf = (annotations: JsonObject): NonNullable<McpToolInfo["annotations"]> =>
  Object.fromEntries(
    Object.entries(HINTS).flatMap(([name, hint]) => (typeof annotations[hint] === "boolean" ? [[name, annotations[hint]]] : [])),
  );

export const readPrompts = (items: readonly JsonObject[]) =>
  named("prompt", items, (name, item): McpPromptInfo => {
    const listed = item["arguments"];
    return {
      name,
      ...optional("title", textIn(item, "title")),
      ...optional("description", textIn(item, "description")),
      arguments: (Array.isArray(listed) ? listed.filter(isJsonObject) : []).flatMap((argument) => {
        const argumentName = textIn(argument, "name");
        if (argumentName === undefined) return [];
        return [
          { name: argumentName, ...optional("description", textIn(argument, "description")), required: argument["required"] === true },
        ];
      }),
    };
  });

/** Of one text about a resource. */
const MAX_TEXT = 1_000;
/** An address is used whole, or not at all. */
const MAX_URI = 4_096;

export const readResource = (item: JsonObject): McpResourceInfo | undefined => {
  const uri = textIn(item, "uri") ?? textIn(item, "uriTemplate");
  if (uri === undefined || uri.length > MAX_URI) return undefined;
  const cut = (key: string): string | undefined => textIn(item, key)?.slice(0, MAX_TEXT);
  return {
    uri,
    name: cut("title") ?? cut("name") ?? uri,
    ...optional("description", cut("description")),
    ...optional("mediaType", cut("mimeType")),
    ...optional("bytes", typeof item["size"] === "number" ? item["size"] : undefined),
  };
};
