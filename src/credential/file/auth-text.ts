import { err, isJsonObject, type JsonObject, ok, parseJson, type Result, utf8Length } from "../../base/index.js";
import type { AuthEntries, AuthEntry } from "../types.js";

/** The file has room for hundreds of logins. */
export const MAX_AUTH_BYTES = 1024 * 1024;

const FORMAT = 1;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/u;

/** What `smith auth login` takes as a name. */
export const isAuthName = (name: string): boolean => NAME.test(name);

export interface ParsedAuth {
  readonly entries: AuthEntries;
  /** All that is in the file, fields of other versions included. */
  readonly file: JsonObject;
}

/** A file that is not there. */
export const EMPTY_AUTH: ParsedAuth = { entries: new Map(), file: {} };

/**
 * The text of an auth file; a fault is a sentence that shows no value. Read at every start that has one, by hand: a schema library
 * costs more than the file.
 */
export function parseAuthText(text: string): Result<ParsedAuth, string> {
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text;
  if (body.trim() === "") return err("It is empty.");
  const file = parseJson(body);
  if (!isJsonObject(file)) return err("It is no JSON object.");
  if (file["format"] !== FORMAT) return err(`Its "format" is not ${String(FORMAT)}: another version of smith may have written it.`);
  const { entries } = file;
  if (!isJsonObject(entries)) return err('Its "entries" are no JSON object.');
  const parsed = new Map<string, AuthEntry>();
  for (const [name, value] of Object.entries(entries)) {
    if (!isAuthName(name)) return err('One of its "entries" has a name that is none.');
    const entry = parseEntry(value);
    if (!entry.ok) return err(`Its entry ${name} ${entry.error}.`);
    parsed.set(name, entry.value);
  }
  return ok({ entries: parsed, file });
}

function parseEntry(value: unknown): Result<AuthEntry, string> {
  if (!isJsonObject(value)) return err("is no JSON object");
  if (value["type"] === "key") {
    const { key } = value;
    return typeof key === "string" ? ok({ type: "key", key }) : err('has a "key" that is no text');
  }
  return value["type"] === "oauth" ? parseOauth(value) : err('has a "type" other than key and oauth');
}

function parseOauth({
  access,
  refresh,
  expiresAt,
  tokenUrl,
  clientId,
  scopes,
}: Readonly<Record<string, unknown>>): Result<AuthEntry, string> {
  if (typeof access !== "string") return err('has an "access" that is no text');
  if (refresh !== undefined && typeof refresh !== "string") return err('has a "refresh" that is no text');
  if (expiresAt !== undefined && !(typeof expiresAt === "number" && Number.isFinite(expiresAt)))
    return err('has an "expiresAt" that is no number');
  if (typeof tokenUrl !== "string" || typeof clientId !== "string") return err('has a "tokenUrl" or "clientId" that is no text');
  if (!isTexts(scopes)) return err('has "scopes" that are no list of texts');
  return ok({
    type: "oauth",
    access,
    ...(refresh === undefined ? {} : { refresh }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    tokenUrl,
    clientId,
    scopes,
  });
}

const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((item) => typeof item === "string");

/** The text of a file with these entries, in which all that did not change is as it was; undefined where it would be too large. */
export function encodeAuthText(entries: AuthEntries, before: ParsedAuth): string | undefined {
  const kept = isJsonObject(before.file["entries"]) ? before.file["entries"] : {};
  const written = [...entries].map(([name, entry]) => [name, entry === before.entries.get(name) ? kept[name] : entry] as const);
  const text = `${JSON.stringify({ ...before.file, format: FORMAT, entries: Object.fromEntries(written) }, undefined, 2)}\n`;
  return utf8Length(text) > MAX_AUTH_BYTES ? undefined : text;
}
