import { err, ok, type Result } from "../../base/index.js";
import type { HttpFailure } from "./types.js";

export interface FilledHeaders {
  readonly headers: { readonly [name: string]: string };
  /** The values that are in them. */
  readonly used: ReadonlySet<string>;
}

const REFERENCE = /\{secret:([^{}]+)\}/g;

export const holdsReference = (text: string): boolean => text.search(REFERENCE) !== -1;

/**
 * Puts secret values in place of their references, at the last moment before the wire. Values are trimmed: a key pasted
 * with a line end would be no valid header.
 */
export function fillSecrets(
  headers: { readonly [name: string]: string },
  allowed: readonly string[],
  secret: (name: string) => string | undefined,
): Result<FilledHeaders, HttpFailure> {
  const used = new Set<string>();
  const filled: Record<string, string> = {};
  let problem: HttpFailure | undefined;
  for (const [header, value] of Object.entries(headers)) {
    filled[header] = value.replace(REFERENCE, (reference: string, name: string) => {
      const found = allowed.includes(name) ? secret(name)?.trim() : undefined;
      if (found === undefined || found === "") problem ??= missing(name, allowed);
      else if (/[^\x20-\x7e]/.test(found))
        problem ??= { reason: "missing-secret", message: `${name} holds characters that cannot be in a header` };
      else used.add(found);
      return found ?? reference;
    });
  }
  return problem === undefined ? ok({ headers: filled, used }) : err(problem);
}

const missing = (name: string, allowed: readonly string[]): HttpFailure =>
  allowed.includes(name)
    ? { reason: "missing-secret", message: `${name} is not set` }
    : { reason: "invalid-request", message: `the request asks for the secret ${name}, which this endpoint may not use` };

/** Shorter values, such as the dummy keys of local servers, may be words of every sentence; those with a digit in them are none. */
const SHORTEST_SECRET = 8;
const SHORTEST_MIXED = 4;
const isTelling = (value: string): boolean =>
  value.length >= SHORTEST_SECRET || (value.length >= SHORTEST_MIXED && /\d/.test(value) && /[A-Za-z]/.test(value));

const MARK = "[redacted]";

/** So much of the beginning of a value is told from other words: text may have been cut in the middle of one. */
const TELLING = 12;

/** Takes values out of text, also as JSON, PHP's JSON, URLs, base64 and hex write them, and what a cut has left of their beginning. */
export function redactor(values: readonly string[]): (text: string) => string {
  const forms = new Set(values.filter(isTelling).flatMap(formsOf));
  const longestFirst = [...forms].sort((one, other) => other.length - one.length);
  return (text) =>
    longestFirst.reduce(
      withoutBeginning,
      longestFirst.reduce((clean, form) => clean.replaceAll(form, MARK), text),
    );
}

const formsOf = (value: string): readonly string[] => {
  const bytes = Buffer.from(value, "utf8");
  return [
    ...[value, JSON.stringify(value).slice(1, -1), value.replaceAll("/", "\\/"), encodeURIComponent(value)],
    ...[bytes.toString("base64").replace(/=+$/, ""), bytes.toString("base64url"), bytes.toString("hex")],
  ];
};

function withoutBeginning(text: string, form: string): string {
  const start = form.slice(0, TELLING);
  if (form.length <= TELLING || !text.includes(start)) return text;
  return text
    .split(start)
    .map((rest, index) => (index === 0 ? rest : `${MARK}${rest.slice(sharedLength(rest, form.slice(TELLING)))}`))
    .join("");
}

function sharedLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at += 1;
  return at;
}
