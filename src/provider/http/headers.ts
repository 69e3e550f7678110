import { err, isSecretHeader, ok, type Result, secretsInUrl, utf8Length } from "../../base/index.js";
import { fillSecrets, holdsReference, redactor } from "./secrets.js";
import type { HttpFailure, HttpRequest } from "./types.js";

/** What goes to the wire, and what takes its secrets out of text that comes back. */
export interface WireHeaders {
  readonly headers: { readonly [name: string]: string };
  readonly redact: (text: string) => string;
}

/** They say where a message goes and where it ends. Another host in front of the same address would be given our key. */
const ENGINE_ONLY: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "upgrade",
  "te",
  "trailer",
  "expect",
]);

/** The engine's own, then the request's with their secrets filled in, then what a person configured, as it is. Later ones win, in any case. */
export function wireHeaders(
  request: HttpRequest,
  version: string,
  secret: (name: string) => string | undefined,
): Result<WireHeaders, HttpFailure> {
  const added = request.added ?? {};
  const problem = problemOf(request.headers, added);
  if (problem !== undefined) return err({ reason: "invalid-request", message: problem });
  const filled = fillSecrets(request.headers, request.secrets, secret);
  if (!filled.ok) return filled;
  const headers = new Map<string, string>([
    ["user-agent", `smith/${version}`],
    ["accept-encoding", "identity"],
  ]);
  for (const [name, value] of [...Object.entries(filled.value.headers), ...Object.entries(added)]) headers.set(name.toLowerCase(), value);
  if (request.body !== undefined) headers.set("content-length", String(utf8Length(request.body)));
  return ok({
    headers: Object.fromEntries(headers),
    redact: redactor([...filled.value.used, ...secretsIn(added), ...secretsInUrl(new URL(request.url))]),
  });
}

function problemOf(headers: HttpRequest["headers"], added: HttpRequest["headers"]): string | undefined {
  const taken = [...Object.keys(headers), ...Object.keys(added)].find((name) => ENGINE_ONLY.has(name.toLowerCase()));
  if (taken !== undefined) return `the header ${taken} belongs to the connection and cannot be set`;
  const reference = Object.entries(added).find(([, value]) => holdsReference(value));
  return reference === undefined
    ? undefined
    : `the configured header ${reference[0]} holds a reference to a secret, which headers of a configuration cannot`;
}

/** A configured header may be the key itself, after the word for its scheme. */
const secretsIn = (added: HttpRequest["headers"]): readonly string[] =>
  Object.entries(added).flatMap(([name, value]) => (isSecretHeader(name) ? [value.trim(), value.trim().replace(/^[A-Za-z]+\s+/, "")] : []));
