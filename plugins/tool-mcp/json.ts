import type { JsonObject, JsonValue } from "smith-agent/plugin";

export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

export const asObject = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {});

export const asList = (value: JsonValue | undefined): readonly JsonValue[] => (isList(value) ? value : []);

/** Its texts, each once. */
export const texts = (value: JsonValue | undefined): readonly string[] => [
  ...new Set(asList(value).filter((one) => typeof one === "string")),
];

/** An object with these entries and no others; a name such as `__proto__` is one like any other. */
export const objectOf = (entries: Iterable<readonly [string, JsonValue]>): JsonObject => Object.fromEntries(entries);

/** The same text for the same value, whatever the order of its keys. */
export function canonical(value: JsonValue): string {
  if (isList(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`).join(",")}}`;
}

/** Whether a value nests no deeper than `levels`. Looks without recursion: what comes from a server may nest a thousand times. */
export function nestsWithin(value: JsonValue, levels: number): boolean {
  let open: JsonValue[] = [value];
  for (let level = 0; open.length > 0; level += 1) {
    if (level > levels) return false;
    const inner: JsonValue[] = [];
    for (const one of open) {
      if (typeof one !== "object" || one === null) continue;
      for (const part of isList(one) ? one : Object.values(one)) if (typeof part === "object" && part !== null) inner.push(part);
    }
    open = inner;
  }
  return true;
}

/** Whether somewhere in this JSON text there is a key `__proto__`: the host takes no object with one. */
export const hasForbiddenKey = (json: string): boolean => json.includes('"__proto__":');
