import { isJsonObject, type JsonObject, type JsonValue } from "../../base/index.js";
import type { McpPromptInfo, McpResourceInfo, McpToolInfo } from "../../schema/index.js";

/** Asks for one page; `cursor` is that of the page before. */
export type AskPage = (cursor: string | undefined) => Promise<JsonObject>;

export interface Pages {
  readonly items: readonly JsonObject[];
  /** What kept the list from being whole. */
  readonly notes: readonly string[];
}

const MAX_PAGES = 100;
const MAX_ITEMS = 5_000;

/**
 * All pages of a list. A cursor that comes again, or a page that fails after the first, ends it with a note: what there is so far is
 * used. A first page that fails is thrown.
 */
export async function readPages(what: string, key: string, ask: AskPage): Promise<Pages> {
  const items: JsonObject[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    let result: JsonObject;
    try {
      result = await ask(cursor);
    } catch (error) {
      if (page === 1) throw error;
      return { items, notes: [`Page ${page} of its ${what} failed: ${error instanceof Error ? error.message : String(error)}`] };
    }
    const listed = result[key];
    const before = items.length;
    if (Array.isArray(listed)) items.push(...listed.filter(isJsonObject));
    const next = result["nextCursor"];
    if (typeof next !== "string") return { items, notes: [] };
    if (seen.has(next))
      return {
        items: items.slice(0, before === 0 ? undefined : before),
        notes: [`Its list of ${what} does not end: page ${page} leads to a page that was read before.`],
      };
    if (items.length > MAX_ITEMS)
      return { items: items.slice(0, MAX_ITEMS), notes: [`It lists more than ${MAX_ITEMS} ${what}; the rest was left out.`] };
    seen.add(next);
    cursor = next;
  }
  return { items, notes: [`Its list of ${what} has more than ${MAX_PAGES} pages; the rest was left out.`] };
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

export const readResource = (item: JsonObject): McpResourceInfo | undefined => {
  const uri = textIn(item, "uri") ?? textIn(item, "uriTemplate");
  if (uri === undefined) return undefined;
  return {
    uri,
    name: textIn(item, "title") ?? textIn(item, "name") ?? uri,
    ...optional("description", textIn(item, "description")),
    ...optional("mediaType", textIn(item, "mimeType")),
    ...optional("bytes", typeof item["size"] === "number" ? item["size"] : undefined),
  };
};
