import { isJsonObject, type JsonObject, type JsonValue } from "../base/index.js";

/**
 * One type of setting, as data for help and reference and as two readers. Both readers are pure and return undefined for
 * anything `constraint` does not describe.
 */
export interface Kind<T> {
  readonly type: "text" | "choice" | "integer" | "number" | "duration" | "list" | "boolean" | "json";
  /** Completes "takes ...", e.g. `a whole number, 1 or more`. */
  readonly constraint: string;
  /** The value part of a KDL line that would be accepted. */
  readonly example: string;
  readonly choices?: readonly string[];
  /** Reads a flag, an environment variable or the right side of `--config key=value`. */
  parseText(text: string): T | undefined;
  /** Reads the arguments of a KDL node. */
  parseArguments(values: readonly JsonValue[]): T | undefined;
}

/** For kinds that take exactly one KDL argument. */
export const single =
  <T>(parse: (value: JsonValue) => T | undefined) =>
  (values: readonly JsonValue[]): T | undefined => {
    const [value] = values;
    return values.length === 1 && value !== undefined ? parse(value) : undefined;
  };

export function text(options: {
  readonly constraint: string;
  readonly example: string;
  readonly allowEmpty?: boolean;
  /** Characters, UTF-16 units. */
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}): Kind<string> {
  const { min = 0, max = Infinity } = options;
  const accept = (value: string): string | undefined =>
    (options.allowEmpty === true || value.trim() !== "") && value.length >= min && value.length <= max ? value : undefined;
  return {
    type: "text",
    constraint: options.constraint,
    example: JSON.stringify(options.example),
    parseText: accept,
    parseArguments: single((value) => (typeof value === "string" ? accept(value) : undefined)),
  };
}

export function choice<T extends string>(choices: readonly [T, ...T[]]): Kind<T> {
  const accept = (value: string): T | undefined => choices.find((known) => known === value);
  return {
    type: "choice",
    constraint: `one of ${choices.join(", ")}`,
    example: JSON.stringify(choices[0]),
    choices,
    parseText: accept,
    parseArguments: single((value) => (typeof value === "string" ? accept(value) : undefined)),
  };
}

/** Bounds, both inclusive. */
interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

function boundWords(noun: string, { min, max }: Bounds): string {
  if (min !== undefined && max !== undefined) return `${noun} from ${String(min)} to ${String(max)}`;
  if (min !== undefined) return `${noun}, ${String(min)} or more`;
  return max === undefined ? noun : `${noun}, ${String(max)} or less`;
}

const isWithin = (value: number, { min = -Infinity, max = Infinity }: Bounds): boolean => value >= min && value <= max;

export function integer(options: Bounds & { readonly example: number }): Kind<number> {
  const accept = (value: number): number | undefined => (Number.isSafeInteger(value) && isWithin(value, options) ? value : undefined);
  return {
    type: "integer",
    constraint: boundWords("a whole number", options),
    example: String(options.example),
    parseText: (value) => (/^-?\d{1,16}$/u.test(value) ? accept(Number(value)) : undefined),
    parseArguments: single((value) => (typeof value === "number" ? accept(value) : undefined)),
  };
}

export function number(options: Bounds & { readonly example: number }): Kind<number> {
  const accept = (value: number): number | undefined => (Number.isFinite(value) && isWithin(value, options) ? value : undefined);
  return {
    type: "number",
    constraint: boundWords("a number", options),
    example: String(options.example),
    parseText: (value) => (/^-?\d{1,16}(\.\d{1,16})?$/u.test(value) ? accept(Number(value)) : undefined),
    parseArguments: single((value) => (typeof value === "number" ? accept(value) : undefined)),
  };
}

export function positiveNumber(options: { readonly unit: string; readonly example: number }): Kind<number> {
  const accept = (value: number): number | undefined => (Number.isFinite(value) && value > 0 ? value : undefined);
  return {
    type: "number",
    constraint: `a number of ${options.unit} above 0`,
    example: String(options.example),
    parseText: (value) => (/^\d+(\.\d+)?$/u.test(value) ? accept(Number(value)) : undefined),
    parseArguments: single((value) => (typeof value === "number" ? accept(value) : undefined)),
  };
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
/** Timers of the platform overflow above this. */
const MAX_DURATION_MS = 2 ** 31 - 1;

/** Milliseconds of `90`, `90s`, `1m30s`, `250ms`, `1.5h`; a number without unit is seconds. */
export function parseDuration(source: string): number | undefined {
  const whole = /^\d+(\.\d+)?$/u.test(source) ? `${source}s` : source;
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/u.test(whole)) return undefined;
  let total = 0;
  for (const [, amount, unit] of whole.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/gu)) total += Number(amount) * (UNIT_MS[unit ?? ""] ?? 0);
  const rounded = Math.round(total);
  return rounded >= 1 && rounded <= MAX_DURATION_MS ? rounded : undefined;
}

export function duration(): Kind<number> {
  return {
    type: "duration",
    constraint: "a duration from 1ms to 24 days: a number with ms, s, m or h, seconds when no unit is given",
    example: '"10m"',
    parseText: parseDuration,
    parseArguments: single((value) => (typeof value === "string" || typeof value === "number" ? parseDuration(String(value)) : undefined)),
  };
}

/** Names, separated by commas in text and by blanks in KDL. `none` in text, or no argument in KDL, is the empty list. */
export function list(options: {
  readonly noun: string;
  readonly example: readonly string[];
  /** What each of them is; no blank and no comma when left out. */
  readonly pattern?: RegExp;
}): Kind<readonly string[]> {
  const { pattern = /^[^\s,]+$/u } = options;
  const accept = (values: readonly string[]): readonly string[] | undefined =>
    values.every((value) => pattern.test(value)) ? values : undefined;
  return {
    type: "list",
    constraint: `${options.noun} (on a command line or in a variable: separated by commas, or the word none)`,
    example: options.example.map((value) => JSON.stringify(value)).join(" "),
    parseText: (value) => (value.trim() === "none" ? [] : accept(value.split(",").map((item) => item.trim()))),
    parseArguments: (values) => (values.every((value) => typeof value === "string") ? accept(values) : undefined),
  };
}

/** Texts that may hold blanks; in a flag or variable separated by commas, `none` for the empty list. With `enum`, words of it alone. */
export function texts({ enum: words, min = 0, max = 1_000 }: Bounds & { readonly enum?: readonly string[] }): Kind<readonly string[]> {
  const accept = (values: readonly JsonValue[]): readonly string[] | undefined => {
    const found = values.filter((value) => typeof value === "string" && value.trim() !== "" && (words?.includes(value) ?? true));
    // Every one of them is a text.
    return found.length === values.length && isWithin(values.length, { min, max }) ? (found as readonly string[]) : undefined;
  };
  const noun = words === undefined ? "texts" : `words of ${words.join(", ")}`;
  const count = min > 0 || max < 1_000 ? `${String(min)} to ${String(max)} ` : "";
  return {
    type: "list",
    constraint: `${count}${noun} (on a command line or in a variable: separated by commas, or the word none)`,
    example: (words ?? ["one", "two"])
      .slice(0, 2)
      .map((word) => JSON.stringify(word))
      .join(" "),
    parseText: (value) => accept(value.trim() === "none" ? [] : value.split(",").map((item) => item.trim())),
    parseArguments: accept,
  };
}

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ...["true", "1", "yes", "on"].map((word): [string, boolean] => [word, true]),
  ...["false", "0", "no", "off"].map((word): [string, boolean] => [word, false]),
]);

export function boolean(): Kind<boolean> {
  return {
    type: "boolean",
    constraint: "#true or #false (on a command line or in a variable: true or false)",
    example: "#true",
    parseText: (value) => WORDS.get(value.trim().toLowerCase()),
    parseArguments: single((value) => (typeof value === "boolean" ? value : undefined)),
  };
}

/** A JSON object, as one text. */
export function jsonObject(options: {
  readonly example: string;
  readonly constraint?: string;
  accepts?(value: JsonObject): boolean;
}): Kind<JsonObject> {
  const accept = (source: string): JsonObject | undefined => {
    try {
      const value: unknown = JSON.parse(source);
      return isJsonObject(value) && (options.accepts?.(value) ?? true) ? value : undefined;
    } catch {
      return undefined;
    }
  };
  return {
    type: "json",
    constraint: options.constraint ?? "a JSON object",
    example: JSON.stringify(options.example),
    parseText: accept,
    parseArguments: single((value) => (typeof value === "string" ? accept(value) : undefined)),
  };
}
