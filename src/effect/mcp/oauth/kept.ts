import type { OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import { isJsonObject, parseJson } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { signInFailed } from "../failures.js";
import type { McpTokenStore } from "../types.js";

/** Where a sign-in is kept, and who is told of its secrets. */
export interface KeptPorts {
  readonly server: string;
  /** A sign-in counts for one address alone: under a server's name another one gets nothing. */
  readonly url: string;
  readonly store: McpTokenStore;
  readonly onSecret: (name: string, value: string) => void;
}

export interface Kept {
  readonly tokens?: OAuthTokens;
  readonly client?: OAuthClientInformationMixed;
  readonly discovery?: OAuthDiscoveryState;
  /** What was asked for since and is not covered. */
  readonly wanted?: string;
}

/** Characters of one value that a server issues. */
const MAX_VALUE = 16 * 1024;
/** Characters of one sign-in with all that was found out for it: the file of all of them is bounded, too. */
const MAX_KEPT = 256 * 1024;

/** What is kept of a sign-in with this address. What could not be sent to a server is not there. */
export async function load({ server, url, store }: KeptPorts): Promise<Kept> {
  const text = await store.load(server);
  const value = text.ok && text.value !== undefined ? parseJson(text.value) : undefined;
  if (!isJsonObject(value) || value["url"] !== url) return {};
  // Written by us: each field is as the protocol's own code gave it.
  const kept: Kept = value;
  return unusableTokens(kept.tokens) === undefined && unusableClient(kept.client) === undefined ? kept : {};
}

/** Keeps it; the result is why it could not be. */
export async function save({ server, url, store }: KeptPorts, kept: Kept): Promise<Diagnostic | undefined> {
  const problem = unusable(kept);
  if (problem !== undefined) return signInFailed(server, problem);
  const saved = await store.save(server, JSON.stringify({ url, ...kept }));
  return saved.ok ? undefined : saved.error;
}

/** Why tokens cannot be used, in words that show nothing of them. */
const unusableTokens = (tokens: OAuthTokens | undefined): string | undefined =>
  tokens === undefined ? undefined : unusableIn(tokens, ["access_token", "refresh_token", "token_type", "scope"]);

/** The same for what a client is known by. */
const unusableClient = (client: OAuthClientInformationMixed | undefined): string | undefined =>
  client === undefined ? undefined : unusableIn(client, ["client_id", "client_secret", "scope"]);

/** The same for all that would be kept. */
export function unusable(kept: Kept): string | undefined {
  const problem = unusableTokens(kept.tokens) ?? unusableClient(kept.client);
  if (problem !== undefined) return problem;
  return JSON.stringify(kept).length > MAX_KEPT ? `It sent more than ${MAX_KEPT} characters to keep for one sign-in.` : undefined;
}

/** RFC 6749, appendix A: all of them are of visible characters and blanks, as a header may have them. */
function unusableIn(values: object, names: readonly string[]): string | undefined {
  for (const [name, value] of Object.entries(values)) {
    if (!names.includes(name) || value === undefined) continue;
    if (typeof value !== "string") return `Its ${name} is no text.`;
    if (value.length > MAX_VALUE) return `Its ${name} has ${value.length} characters; more than ${MAX_VALUE} are not kept.`;
    if (!/^[\x20-\x7e]*$/u.test(value)) return `Its ${name} has characters that none may have, such as a line end.`;
    if (value.trim() === "" && NEEDED.has(name)) return `Its ${name} is empty.`;
  }
  return undefined;
}

const NEEDED: ReadonlySet<string> = new Set(["access_token", "client_id"]);

/** Tells of everything secret in it: nobody else may see it from now on. */
export function learn({ server, onSecret }: KeptPorts, { tokens, client }: Kept): void {
  for (const value of [tokens?.access_token, tokens?.refresh_token, client?.client_secret])
    if (value !== undefined && value !== "") onSecret(`mcp-${server}`, value);
}
