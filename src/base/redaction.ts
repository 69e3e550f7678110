import { isJsonObject, type JsonValue, parseJson } from "./json.js";

/** What stands where a secret was. Seed of the framework, section 16.4. */
export const REDACTED = "<redacted>";

const SECRET_HEADERS: ReadonlySet<string> = new Set([
  "authorization",
  "proxy-authorization",
  "x-api-key",
  "api-key",
  "x-goog-api-key",
  "cookie",
  "set-cookie",
]);

/** Whether a header holds a secret, by its name in any case: the known ones, and those whose name says it. */
export const isSecretHeader = (name: string): boolean =>
  SECRET_HEADERS.has(name.toLowerCase()) || isSecretKey(name) || /(?:^|[-_])token$/i.test(name);

export function redactHeaders(headers: { readonly [name: string]: string }): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, isSecretHeader(name) ? REDACTED : value]));
}

/** The seed's four, and what OAuth and cloud accounts call theirs. Counts such as `max_tokens` are no secrets. */
const SECRET_KEY =
  /api[-_]?key|access[-_]?token|bearer|password|passwd|client[-_]?secret|secret[-_]?(?:access[-_]?)?key|private[-_]?key|(?:refresh|id|auth|session|security)[-_]?token|^token$|^secret$|^authorization$|^(?:set-)?cookie$/i;

/** Whether the value under this key of a JSON object is a secret. */
export const isSecretKey = (key: string): boolean => SECRET_KEY.test(key);

/** JSON nested deeper than this is left out of what is shown. */
const MAX_DEPTH = 200;

/** The same JSON with every value under a secret key replaced, whatever it is. */
export function redactJsonValue(value: JsonValue, depth = 0): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return "<nested too deeply>";
  if (!isJsonObject(value)) return value.map((item) => redactJsonValue(item, depth + 1));
  // No assignment by key: `__proto__` is a key like any other.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, isSecretKey(key) ? REDACTED : redactJsonValue(item, depth + 1)]),
  );
}

/** A string, whole or cut off, or a bare word after a key in text that looks like JSON. */
const PAIR = /"((?:[^"\\]|\\.){1,100})"(\s*:\s*)("(?:[^"\\]|\\.)*(?:"|\\?$)|[^\s",}\]]+)/g;

/** JSON text with secret values replaced. Text that is no JSON, or only a piece of some, has its `"key": value` pairs replaced. */
export function redactJsonText(text: string): string {
  const value = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  // parseJson gives what JSON.parse gives, which is JSON.
  if (value !== undefined) return JSON.stringify(redactJsonValue(value as JsonValue));
  return text.replace(PAIR, (pair: string, key: string, colon: string) => (isSecretKey(key) ? `"${key}"${colon}"${REDACTED}"` : pair));
}

const SECRET_PARAMETER = /key|token|secret|auth|sig|passw|credential/i;

/** Values of a URL's query that are secrets by their names. */
export const secretsInUrl = (url: URL): readonly string[] =>
  [...url.searchParams].flatMap(([name, value]) => (SECRET_PARAMETER.test(name) ? [value] : []));

/** A URL for people and logs: no user name, no password, secret-looking query values replaced. */
export function redactUrl(text: string): string {
  if (!URL.canParse(text))
    return text
      .replace(/\/\/[^/?#]*@/, "//")
      .replace(/([?&;])([^=&;#]+)=[^&;#]*/g, (pair: string, mark: string, name: string) =>
        SECRET_PARAMETER.test(name) ? `${mark}${name}=redacted` : pair,
      );
  const url = new URL(text);
  url.username = "";
  url.password = "";
  for (const name of [...url.searchParams.keys()]) if (SECRET_PARAMETER.test(name)) url.searchParams.set(name, "redacted");
  return url.href;
}
