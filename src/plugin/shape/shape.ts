import type { JsonValue } from "../../base/index.js";
import { err, isJsonObject, ok, type Result } from "../../base/index.js";

/**
 * Strict readers for what a guest sends. Each makes a fresh value of exactly the declared fields, so that no prototype,
 * no extra key and no wrong type of a guest lives on in the host. Hand-written: this is on the path of every call.
 */
export type Reader<T> = (value: unknown, path: string) => T;

class ShapeError extends Error {
  override readonly name = "ShapeError";
}

/** Reads `value`; the error is one sentence that names the path to what is wrong. */
export function readShape<T>(reader: Reader<T>, value: unknown, path: string): Result<T, string> {
  try {
    return ok(reader(value, path));
  } catch (error) {
    if (error instanceof ShapeError) return err(error.message);
    throw error;
  }
}

/** Parses JSON text of a guest and reads it. */
export function readJson<T>(reader: Reader<T>, json: string, path: string): Result<T, string> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return err(`${path} is not JSON`);
  }
  return readShape(reader, value, path);
}

/** Throws what {@link readShape} turns into its error. */
export const wrong = (path: string, expected: string, value: unknown): never => {
  throw new ShapeError(`${path} must be ${expected}, got ${named(value)}`);
};

function named(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  return typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : typeof value === "undefined"
      ? "nothing"
      : `an ${typeof value}`;
}

/** A text of at most so many UTF-16 units. */
export const within =
  (units: number): Reader<string> =>
  (value, path) => {
    const read = text(value, path);
    return read.length <= units ? read : wrong(path, `at most ${units} characters long`, read.length);
  };

export const text: Reader<string> = (value, path) => (typeof value === "string" ? value : wrong(path, "a string", value));
export const flag: Reader<boolean> = (value, path) => (typeof value === "boolean" ? value : wrong(path, "true or false", value));
export const count: Reader<number> = (value, path) =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : wrong(path, "a whole number of at least 0", value);
export const number: Reader<number> = (value, path) =>
  typeof value === "number" && Number.isFinite(value) ? value : wrong(path, "a number", value);

export const oneOf =
  <const T extends string>(...words: readonly T[]): Reader<T> =>
  (value, path) => {
    // Found in the list, so it is one of its members.
    return typeof value === "string" && (words as readonly string[]).includes(value)
      ? (value as T)
      : wrong(path, `one of ${words.join(", ")}`, value);
  };

export const list =
  <T>(
    item: Reader<T>,
    { atLeast = 0, atMost = Infinity }: { readonly atLeast?: number; readonly atMost?: number } = {},
  ): Reader<readonly T[]> =>
  (value, path) => {
    if (!Array.isArray(value)) return wrong(path, "an array", value);
    if (value.length < atLeast || value.length > atMost)
      return wrong(path, `an array of ${atLeast} to ${atMost} items`, `${value.length} of them`);
    return value.map((element, index) => item(element, `${path}[${index}]`));
  };

type Fields = { readonly [name: string]: Reader<unknown> };
type Read<R> = R extends Reader<infer T> ? T : never;
type ObjectOf<R extends Fields, O extends Fields> = { readonly [K in keyof R]: Read<R[K]> } & { readonly [K in keyof O]?: Read<O[K]> };

/** An object of exactly these fields. */
export function object<R extends Fields, O extends Fields = Record<never, never>>(required: R, optional?: O): Reader<ObjectOf<R, O>> {
  const readers = new Map<string, Reader<unknown>>([...Object.entries(required), ...Object.entries(optional ?? {})]);
  return (value, path) => {
    if (!isJsonObject(value)) return wrong(path, "an object", value);
    const fresh: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      const reader = readers.get(key);
      if (reader === undefined)
        return wrong(`${path}.${key.slice(0, 60)}`, `absent (known: ${[...readers.keys()].join(", ")})`, value[key]);
      fresh[key] = reader(value[key], `${path}.${key}`);
    }
    for (const key of Object.keys(required)) if (!Object.hasOwn(fresh, key)) return wrong(`${path}.${key}`, "present", undefined);
    // Every field of the declared type was read by its own reader above.
    return fresh as ObjectOf<R, O>;
  };
}

/** An object with any keys and one kind of value. */
export const record =
  <T>(item: Reader<T>): Reader<{ readonly [name: string]: T }> =>
  (value, path) => {
    if (!isJsonObject(value)) return wrong(path, "an object", value);
    return Object.fromEntries(Object.entries(value).map(([key, element]) => [safeKey(key, path), item(element, `${path}.${key}`)]));
  };

const MAX_DEPTH = 32;

/** Any JSON, of bounded depth. */
export const json: Reader<JsonValue> = jsonWithin(MAX_DEPTH);

/** Any JSON of up to so many levels. */
export function jsonWithin(levels: number): Reader<JsonValue> {
  const readAny = (value: unknown, path: string, depth: number): JsonValue => {
    if (value === null || typeof value === "string" || typeof value === "boolean" || typeof value === "number") return value;
    if (depth >= levels) return wrong(path, `at most ${levels} levels deep`, value);
    if (Array.isArray(value)) return value.map((element, index) => readAny(element, `${path}[${index}]`, depth + 1));
    if (!isJsonObject(value)) return wrong(path, "JSON", value);
    return Object.fromEntries(
      Object.entries(value).map(([key, element]) => [safeKey(key, path), readAny(element, `${path}.${key}`, depth + 1)]),
    );
  };
  return (value, path) => readAny(value, path, 0);
}

/** As an own key it is harmless here, and a trap for whoever copies the object later. */
const safeKey = (key: string, path: string): string => (key === "__proto__" ? wrong(path, "free of the key __proto__", {}) : key);
