import { type JsonObject, type JsonValue, plural } from "../../base/index.js";
import type { McpServerView } from "../../schema/index.js";

/** UTF-16 units of JSON. */
export const LISTS = {
  /** One tool or prompt, as its server lists it: what is larger no model is shown. */
  item: 128 * 1024,
  /** The tools and prompts of one server. */
  server: 1024 * 1024,
  /** Those of all servers together, which a plugin gets as one message of at most 4 Mi. */
  all: 3 * 1024 * 1024,
} as const;

/** Levels of JSON within one another: what nests deeper no one can write out, and no vendor takes. */
export const MAX_LEVELS = 200;
const MAX_NOTES = 20;
const MAX_SHOWN_NAME = 80;

export interface Fitted<T> {
  readonly items: readonly T[];
  readonly units: number;
  readonly notes: readonly string[];
}

/** As many items as fit, in their order; one that is too large alone is left out, and so is all that comes after the bound. */
export function fitItems<T extends { readonly name: string }>(what: string, all: readonly T[], room: number): Fitted<T> {
  const items: T[] = [];
  const notes: string[] = [];
  let units = 0;
  for (const [index, item] of all.entries()) {
    const size = JSON.stringify(item).length;
    if (size > LISTS.item) {
      const shown = JSON.stringify(item.name.slice(0, MAX_SHOWN_NAME));
      notes.push(`The ${what} ${shown} was left out: it has ${size} characters of JSON, and ${LISTS.item} is the most.`);
      continue;
    }
    if (units + size > room) {
      notes.push(`${plural(all.length - index, what)} left out: all it lists has more than ${LISTS.server} characters of JSON.`);
      break;
    }
    units += size;
    items.push(item);
  }
  return { items, units, notes };
}

/** Whether a value nests no deeper than `levels`. Looks without recursion: what comes from a server may nest ten thousand times. */
export function nestsWithin(value: JsonValue, levels: number = MAX_LEVELS): boolean {
  let open: readonly JsonValue[] = [value];
  for (let level = 0; open.length > 0; level += 1) {
    if (level > levels) return false;
    const inner: JsonValue[] = [];
    for (const one of open) {
      if (typeof one !== "object" || one === null) continue;
      // Not spread: a list of many would be too many arguments.
      for (const part of Object.values(one)) if (typeof part === "object" && part !== null) inner.push(part);
    }
    open = inner;
  }
  return true;
}

/** The first notes, and how many more there are. */
export const fewNotes = (notes: readonly string[]): readonly string[] =>
  notes.length <= MAX_NOTES ? notes : [...notes.slice(0, MAX_NOTES), `And ${plural(notes.length - MAX_NOTES, "more note")}.`];

/** Views within the bound of all servers: those that come too late for it keep their state and lose what they list, with a note. */
export function fitViews(views: readonly McpServerView[], sizeOf: (view: McpServerView) => number): readonly McpServerView[] {
  let room: number = LISTS.all;
  return views.map((view) => {
    const size = sizeOf(view);
    if (size <= room) {
      room -= size;
      return view;
    }
    const { instructions: _, ...rest } = view;
    const note = `Its ${plural(view.tools.length, "tool")} and ${plural(view.prompts.length, "prompt")} are left out: all servers together list too much.`;
    return { ...rest, tools: [], prompts: [], notes: [...view.notes, note] };
  });
}

export const unitsOf = (value: JsonObject | McpServerView): number => JSON.stringify(value).length;
