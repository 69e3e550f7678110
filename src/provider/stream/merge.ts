import { isJsonObject, type JsonValue } from "../../base/index.js";
import type { FramedEvent } from "../../schema/index.js";

export type MergePath = readonly (string | number)[];

export interface EventMerger {
  /** The same events, neighbours joined. What is learned of their form is kept for the next batch. */
  merge(events: readonly FramedEvent[]): readonly FramedEvent[];
}

/** Raw JSON text around one string value: `before` ends with its opening quote, `after` begins with its closing one. */
interface Form {
  readonly event: string | undefined;
  readonly before: string;
  readonly after: string;
}

interface Run {
  readonly first: FramedEvent;
  readonly parts: string[];
}

/**
 * Joins neighbouring events that are the same JSON text but for the string at `path`, so that a decoder sees one event
 * with the strings joined instead of many. Works on the raw text: JSON string bodies can be concatenated as they are, and
 * comparing what surrounds them is a hundred times cheaper than parsing. A form is believed only after one real parse.
 *
 * Never joined: events whose string is empty, and events with data beside the string (see {@link isPlainTag}), because
 * equal fragments of a tool call in two of them would become one.
 */
export function createMerger(path: MergePath): EventMerger {
  let form: Form | undefined;
  return {
    merge: (events) => {
      const merged: FramedEvent[] = [];
      let run: Run | undefined;
      /** The last event as it came, when it stands alone at the end of `merged`. */
      let single: FramedEvent | undefined;
      const closeRun = (): void => {
        if (run !== undefined) merged.push(joined(run, form));
        single = run?.parts.length === 1 ? run.first : single;
        run = undefined;
      };
      for (const event of events) {
        const part = form === undefined ? undefined : bodyIn(form, event);
        if (part !== undefined) {
          if (run === undefined) run = { first: event, parts: [part] };
          else run.parts.push(part);
          single = undefined;
          continue;
        }
        closeRun();
        const learned = single === undefined ? undefined : learn(single, event, path);
        if (learned === undefined || single === undefined) {
          merged.push(event);
          single = event;
          continue;
        }
        merged.pop();
        form = learned;
        run = { first: single, parts: [bodyIn(form, single) ?? "", bodyIn(form, event) ?? ""] };
        single = undefined;
      }
      closeRun();
      return merged;
    },
  };
}

function joined(run: Run, form: Form | undefined): FramedEvent {
  if (run.parts.length === 1 || form === undefined) return run.first;
  return { ...run.first, data: form.before + run.parts.join("") + form.after };
}

/** The raw body of the string when the event has this form and the string is not empty. */
function bodyIn(form: Form, { event, data }: FramedEvent): string | undefined {
  const { before, after } = form;
  if (event !== form.event || data.length <= before.length + after.length) return undefined;
  if (!data.startsWith(before) || !data.endsWith(after)) return undefined;
  const body = data.slice(before.length, data.length - after.length);
  return isStringBody(body) ? body : undefined;
}

/** Whether raw text between two quotes is one whole JSON string (RFC 8259, section 7). */
function isStringBody(body: string): boolean {
  if (!/["\\\u0000-\u001f]/.test(body)) return true;
  for (let at = 0; at < body.length; at += 1) {
    const code = body.charCodeAt(at);
    if (code === 0x22 || code < 0x20) return false;
    if (code !== 0x5c) continue;
    at += 1;
    if (body[at] === "u") {
      if (!/^[0-9a-fA-F]{4}$/.test(body.slice(at + 1, at + 5))) return false;
      at += 4;
    } else if (!'"\\/bfnrt'.includes(body[at] ?? " ")) return false;
  }
  return true;
}

/** How many places in an event may look like the string's key before the search is given up. */
const MAX_CANDIDATES = 4;

/** The form two neighbours share, when there is one with the string at `path`. */
function learn(one: FramedEvent, other: FramedEvent, path: MergePath): Form | undefined {
  const key = path.at(-1);
  if (typeof key !== "string" || one.event !== other.event) return undefined;
  const quoted = JSON.stringify(key);
  let at = one.data.indexOf(quoted);
  for (let tries = 0; at !== -1 && tries < MAX_CANDIDATES; tries += 1) {
    const form = formAt(one, at + quoted.length);
    if (form !== undefined && bodyIn(form, one) !== undefined && bodyIn(form, other) !== undefined && holds(form, path)) return form;
    at = one.data.indexOf(quoted, at + 1);
  }
  return undefined;
}

/** The form around the string value that follows a key which ends at `from`. */
function formAt({ event, data }: FramedEvent, from: number): Form | undefined {
  const opening = /^[ \t\r\n]*:[ \t\r\n]*"/.exec(data.slice(from, from + 64));
  if (opening === null) return undefined;
  const start = from + opening[0].length;
  let end = start;
  while (end < data.length && data[end] !== '"') end += data[end] === "\\" ? 2 : 1;
  return end < data.length ? { event, before: data.slice(0, start), after: data.slice(end) } : undefined;
}

const MARK = "\u2063mark\u2063";

/** Parses the form once: the whole must be JSON, the string must be the one at `path`, and nothing else may ride along. */
function holds(form: Form, path: MergePath): boolean {
  let value: JsonValue | undefined = parse(form.before + MARK + form.after);
  let parent: JsonValue | undefined;
  for (const step of path) {
    parent = value;
    value = child(value, step);
  }
  if (value !== MARK || !isJsonObject(parent)) return false;
  return Object.values(parent).every((sibling) => sibling === MARK || isPlainTag(sibling));
}

/** A sibling that says what the event is (a type, a role, an index), not data of which every copy counts. */
function isPlainTag(sibling: JsonValue): boolean {
  if (typeof sibling === "string") return /^[A-Za-z0-9_.-]{0,40}$/.test(sibling);
  return sibling === null || typeof sibling !== "object" || Object.keys(sibling).length === 0;
}

function child(value: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (typeof step === "number") return Array.isArray(value) ? (value as readonly JsonValue[])[step] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
