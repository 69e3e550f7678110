import type { FetchInput, FetchOutput } from "../../schema/index.js";
import { holdsReference } from "../secrets/index.js";

const MARK = "[redacted]";
const SECRET_NAME = /key|token|secret|auth|cookie|sig|passw|session/iu;

/** A URL as it is recorded: no user name, no password, values of parameters named like a secret masked. */
function recordedUrl(text: string): string {
  if (!URL.canParse(text)) return text.replace(/\/\/[^/?#]*@/u, "//");
  const url = new URL(text);
  url.username = "";
  url.password = "";
  for (const name of new Set(url.searchParams.keys())) if (SECRET_NAME.test(name)) url.searchParams.set(name, MARK);
  return url.href;
}

/** A value that is only referred to is safe to record. */
const recordedHeaders = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, SECRET_NAME.test(name) && !holdsReference(value) ? MARK : value]),
  );

/** What of a request goes on record. */
export const recordedInput = (input: FetchInput): FetchInput => ({
  ...input,
  url: recordedUrl(input.url),
  ...(input.headers === undefined ? {} : { headers: recordedHeaders(input.headers) }),
});

/** What of an answer goes on record. */
export const recordedOutput = (output: FetchOutput): FetchOutput => ({
  ...output,
  url: recordedUrl(output.url),
  headers: recordedHeaders(output.headers),
});
