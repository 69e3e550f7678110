import { err, ok, redactUrl, type Result } from "../../base/index.js";
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

/** Shorter values, such as the dummy keys of local servers, are words of every sentence. */
const SHORTEST_SECRET = 8;

/** Takes values out of text, also as JSON, PHP's JSON and URLs write them. */
export function redactor(values: readonly string[]): (text: string) => string {
  const forms = new Set(
    values
      .filter((value) => value.length >= SHORTEST_SECRET)
      .flatMap((value) => [value, JSON.stringify(value).slice(1, -1), value.replaceAll("/", "\\/"), encodeURIComponent(value)]),
  );
  const longestFirst = [...forms].sort((one, other) => other.length - one.length);
  return (text) => longestFirst.reduce((clean, form) => clean.replaceAll(form, "[redacted]"), text);
}

/** A URL as people may see it. */
export const displayUrl = redactUrl;
