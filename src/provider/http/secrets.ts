import { err, ok, type Result } from "../../base/index.js";
import type { HttpFailure } from "./types.js";

export interface FilledHeaders {
  readonly headers: { readonly [name: string]: string };
  readonly redact: (text: string) => string;
}

const REFERENCE = /\{secret:([^{}]+)\}/g;

/**
 * Puts secret values in place of their references, at the last moment before the wire. Values are trimmed: a key pasted
 * with a line end would be no valid header. The values live only in the returned headers and in `redact`.
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
  return problem === undefined ? ok({ headers: filled, redact: redactor(used) }) : err(problem);
}

const missing = (name: string, allowed: readonly string[]): HttpFailure =>
  allowed.includes(name)
    ? { reason: "missing-secret", message: `${name} is not set` }
    : { reason: "invalid-request", message: `the request asks for the secret ${name}, which this endpoint may not use` };

/** Shorter values, such as the dummy keys of local servers, are words of every sentence. */
const SHORTEST_SECRET = 8;

const redactor =
  (values: ReadonlySet<string>) =>
  (text: string): string => {
    let clean = text;
    for (const value of values) if (value.length >= SHORTEST_SECRET) clean = clean.replaceAll(value, "[redacted]");
    return clean;
  };

const SECRET_PARAMETER = /key|token|secret|auth|sig|passw/i;

/** A URL for people: no user name, no password, secret-looking query values masked. */
export function displayUrl(text: string): string {
  if (!URL.canParse(text)) return text.replace(/\/\/[^/@]*@/, "//");
  const url = new URL(text);
  url.username = "";
  url.password = "";
  for (const name of [...url.searchParams.keys()]) if (SECRET_PARAMETER.test(name)) url.searchParams.set(name, "redacted");
  return url.href;
}
