import { err, ok, utf8Length } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic, FetchInput } from "../../schema/index.js";
import { badHeader, badMethod, badUrl, requestTooLarge } from "./failures.js";

const MIB = 1024 * 1024;

export const NET_BOUNDS = {
  requestBytes: MIB,
  /** Of all header lines of a request, and again of an answer. */
  headerBytes: 64 * 1024,
  /** Kept of a body when nothing is asked, and at most. */
  keepBytes: MIB,
  mostKeepBytes: 8 * MIB,
  /** Read of a body at most, packed or unpacked. */
  readBytes: 64 * MIB,
  redirects: 5,
  timeoutMs: 30_000,
  mostTimeoutMs: 600_000,
} as const;

/** A request with everything decided; still with references instead of secrets. */
export type CheckedFetch = FetchInput & Required<Pick<FetchInput, "method" | "headers" | "timeoutMs" | "maxBytes" | "as">>;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u;
const FORBIDDEN_METHODS: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"]);
const FORBIDDEN_HEADERS: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Checks the words of a request and fills in what was left out. Where it may go is not looked at. */
export function checkRequest(input: FetchInput): Result<CheckedFetch, Diagnostic> {
  const url = checkUrl(input.url);
  if (!url.ok) return url;
  const method = (input.method ?? "GET").toUpperCase();
  if (!TOKEN.test(method) || FORBIDDEN_METHODS.has(method)) return err(badMethod(input.method ?? ""));
  const headers = checkHeaders(input.headers ?? {});
  if (!headers.ok) return headers;
  const bytes = utf8Length(input.body ?? "");
  if (bytes > NET_BOUNDS.requestBytes) return err(requestTooLarge("body", bytes, NET_BOUNDS.requestBytes));
  return ok({
    ...input,
    url: url.value.href,
    method,
    headers: headers.value,
    ...boundsOf(input),
    as: input.as ?? "text",
  });
}

const boundsOf = ({ timeoutMs, maxBytes }: FetchInput): Pick<CheckedFetch, "timeoutMs" | "maxBytes"> => ({
  timeoutMs: within(timeoutMs ?? NET_BOUNDS.timeoutMs, 1, NET_BOUNDS.mostTimeoutMs),
  maxBytes: within(maxBytes ?? NET_BOUNDS.keepBytes, 0, NET_BOUNDS.mostKeepBytes),
});

const within = (value: number, least: number, most: number): number => Math.min(Math.max(least, Math.trunc(value)), most);

/** `base` for the target of a redirect. */
export function checkUrl(text: string, base?: URL): Result<URL, Diagnostic> {
  if (!URL.canParse(text, base)) return err(badUrl("it is not an absolute URL"));
  const url = new URL(text, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") return err(badUrl(`its scheme is ${url.protocol.slice(0, -1)}`));
  if (url.username !== "" || url.password !== "") return err(badUrl("it holds a user name or a password"));
  url.hash = "";
  return ok(url);
}

function checkHeaders(headers: Readonly<Record<string, string>>): Result<Readonly<Record<string, string>>, Diagnostic> {
  const checked = new Map<string, string>();
  let bytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!TOKEN.test(name)) return err(badHeader(name, "its name holds characters that no header name has"));
    if (FORBIDDEN_HEADERS.has(lower) || lower.startsWith("proxy-")) return err(badHeader(name, "the host sets it itself"));
    if (checked.has(lower)) return err(badHeader(name, "it is given twice"));
    const problem = valueProblem(value);
    if (problem !== undefined) return err(badHeader(name, problem));
    checked.set(lower, value);
    bytes += name.length + utf8Length(value) + 4;
  }
  return bytes > NET_BOUNDS.headerBytes ? err(requestTooLarge("header", bytes, NET_BOUNDS.headerBytes)) : ok(Object.fromEntries(checked));
}

/** Node writes header values as latin-1, and would drop what does not fit. */
export const valueProblem = (value: string): string | undefined =>
  /[^\t\x20-\x7e\x80-\xff]/u.test(value) ? "its value holds line ends, control characters or characters beyond latin-1" : undefined;
