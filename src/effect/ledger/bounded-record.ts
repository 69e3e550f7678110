import { clipUtf8, utf8Length } from "../../base/index.js";
import type { JsonValue } from "../../base/index.js";

/** UTF-8 bytes of JSON up to which inputs and outputs are recorded whole. */
export const RECORD_BYTES = 64 * 1024;
/** Kept of each end of a long text in a record that is not whole. */
const END_BYTES = 8 * 1024;
/** Items kept of each end of a long list in a record that is not whole. */
const END_ITEMS = 50;

/**
 * The stored form of an input or output: as it is when small; otherwise long texts become `{ head, tail, omittedBytes }`
 * and long lists keep their ends around `{ omittedItems }`. Secrets go first: a cut through one would leave its half. What still does not fit is recorded by its size alone.
 */
export function boundRecord(value: unknown, redact: (value: JsonValue) => JsonValue = (same) => same): JsonValue {
  // Out of JSON, so JSON: undefined members are gone.
  const plain = redact(JSON.parse(JSON.stringify(value) ?? "null") as JsonValue);
  const bytes = utf8Length(JSON.stringify(plain));
  if (bytes <= RECORD_BYTES) return plain;
  for (const share of [1, 4, 16]) {
    const smaller = shorten(plain, END_BYTES / share, Math.ceil(END_ITEMS / share));
    if (utf8Length(JSON.stringify(smaller)) <= RECORD_BYTES) return smaller;
  }
  return { omittedBytes: bytes };
}

function shorten(value: JsonValue, endBytes: number, endItems: number): JsonValue {
  if (typeof value === "string") return shortenText(value, endBytes);
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) {
    const short = (items: readonly JsonValue[]): readonly JsonValue[] => items.map((item) => shorten(item, endBytes, endItems));
    if (value.length <= endItems * 2) return short(value);
    return [...short(value.slice(0, endItems)), { omittedItems: value.length - endItems * 2 }, ...short(value.slice(-endItems))];
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shorten(item, endBytes, endItems)]));
}

// Array.isArray does not narrow readonly arrays.
const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

function shortenText(text: string, endBytes: number): JsonValue {
  const bytes = utf8Length(text);
  if (bytes <= endBytes * 2) return text;
  const head = clipUtf8(text, endBytes).text;
  const tail = text.slice(-endBytes / 2).replace(/^[\udc00-\udfff]/u, "");
  return { head, tail, omittedBytes: bytes - utf8Length(head) - utf8Length(tail) };
}
