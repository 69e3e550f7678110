import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import type { OAuthClientInformationMixed, OAuthClientMetadata, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import { isJsonObject, parseJson } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { SignInWanted } from "../transport/refusals.js";
import type { McpTokenStore } from "../types.js";

export interface OauthPorts {
  readonly server: string;
  /** A sign-in counts for one address alone: under a server's name another one gets nothing. */
  readonly url: string;
  readonly store: McpTokenStore;
  /** A client that is registered there already, with its secret where it has one. */
  readonly client?: { readonly id: string; readonly secret?: string };
  readonly scopes?: readonly string[];
  readonly clientName: string;
  readonly onSecret: (name: string, value: string) => void;
}

/** How a person is sent to the authorization server, and comes back. */
export interface Interaction {
  readonly redirectUrl: string;
  readonly state: string;
  /** What is asked for; a server that grants just that need not say so. */
  readonly scope?: string;
  readonly onUrl: (url: URL) => void;
}

interface Kept {
  readonly tokens?: OAuthTokens;
  readonly client?: OAuthClientInformationMixed;
  readonly discovery?: OAuthDiscoveryState;
  /** What was asked for since and is not covered. */
  readonly wanted?: string;
}

/** A sign-in that is kept, in use. */
export interface SignedIn extends OAuthClientProvider {
  /** Something wanted more than it covers: the next sign-in asks for that as well. */
  want(scope: string): Promise<void>;
  /** Takes what another process has renewed meanwhile. Whether there was something. */
  reload(): Promise<boolean>;
}

/** What the sign-in that is kept covers, with what was wanted beyond that; undefined where it was enough. */
export async function extendedScope(ports: OauthPorts): Promise<string | undefined> {
  const { tokens, wanted } = await load(ports);
  return wanted === undefined ? undefined : `${tokens?.scope ?? ""} ${wanted}`;
}

/** What is kept of a sign-in with this address. */
async function load({ server, url, store }: OauthPorts): Promise<Kept> {
  const text = await store.load(server);
  const value = text === undefined ? undefined : parseJson(text);
  // Written by us: each field is as the protocol's own code gave it.
  return isJsonObject(value) && value["url"] === url ? value : {};
}

async function save({ server, url, store }: OauthPorts, kept: Kept): Promise<Diagnostic | undefined> {
  const saved = await store.save(server, JSON.stringify({ url, ...kept }));
  return saved.ok ? undefined : saved.error;
}

function learn({ server, onSecret }: OauthPorts, { access_token, refresh_token }: OAuthTokens): void {
  for (const value of [access_token, refresh_token]) if (value !== undefined) onSecret(`mcp-${server}`, value);
}

function registered({ client }: OauthPorts): OAuthClientInformationMixed | undefined {
  if (client === undefined) return undefined;
  return { client_id: client.id, ...(client.secret === undefined ? {} : { client_secret: client.secret }) };
}

function metadataOf(
  { scopes, clientName }: OauthPorts,
  redirectUrl: string,
): OAuthClientMetadata & { readonly application_type: "native" } {
  return {
    // A program on a person's machine, which comes back to a loopback address (OpenID Connect registration, section 2).
    application_type: "native",
    client_name: clientName,
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    ...(scopes === undefined ? {} : { scope: scopes.join(" ") }),
  };
}

/**
 * A sign-in that is kept: it is used and renewed, and nobody is asked. Undefined: there is none for this address. Processes share it, and a
 * refresh token may serve once: what another one renewed is taken before anything is renewed or forgotten here.
 */
export async function createSignedIn(ports: OauthPorts): Promise<SignedIn | undefined> {
  const first = await load(ports);
  if (first.tokens === undefined) return undefined;
  const shared = new SharedSignIn(ports, first);
  learn(ports, first.tokens);
  const wanted = (): never => {
    throw new SignInWanted("The sign-in that is kept cannot be renewed.", false);
  };
  return {
    redirectUrl: "http://127.0.0.1/callback",
    clientMetadata: metadataOf(ports, "http://127.0.0.1/callback"),
    // Registering anew is for a person who signs in.
    clientInformation: () => registered(ports) ?? shared.kept.client ?? wanted(),
    tokens: () => shared.kept.tokens,
    reload: async () => await shared.reload(),
    async want(scope) {
      if (shared.kept.wanted !== scope) await shared.change((kept) => ({ ...kept, wanted: scope }));
    },
    async saveTokens(tokens) {
      learn(ports, tokens);
      await shared.change((kept) => ({ ...kept, tokens: { ...scopeOf(kept.tokens), ...tokens } }));
    },
    redirectToAuthorization: wanted,
    saveCodeVerifier: () => undefined,
    codeVerifier: wanted,
    async invalidateCredentials(scope) {
      if (scope === "verifier" || (await shared.reload())) return;
      await shared.change((kept) => (scope === "all" ? {} : Object.fromEntries(Object.entries(kept).filter(([key]) => key !== scope))));
    },
    discoveryState: () => shared.kept.discovery,
    saveDiscoveryState: async (discovery) => {
      await shared.change((kept) => ({ ...kept, discovery }));
    },
  };
}

/** What this process knows of a sign-in that others use, too. */
class SharedSignIn {
  readonly #ports: OauthPorts;
  /** What is stored is not what there is: it could not be written, or somebody signed out. */
  #isOurs = false;
  kept: Kept;

  constructor(ports: OauthPorts, kept: Kept) {
    this.#ports = ports;
    this.kept = kept;
  }

  async reload(): Promise<boolean> {
    if (this.#isOurs) return false;
    const stored = await load(this.#ports);
    if (stored.tokens === undefined || stored.tokens.access_token === this.kept.tokens?.access_token) return false;
    learn(this.#ports, stored.tokens);
    this.kept = stored;
    return true;
  }

  /** What cannot be stored still serves this process; what was signed out of meanwhile is not written again. */
  async change(edit: (kept: Kept) => Kept): Promise<void> {
    await this.reload();
    const isThere = (await load(this.#ports)).tokens !== undefined;
    this.kept = edit(this.kept);
    this.#isOurs ||= !isThere || (await save(this.#ports, this.kept)) !== undefined;
  }
}

/** A server that grants what was granted before need not say so. */
const scopeOf = (tokens: OAuthTokens | undefined): { readonly scope?: string } =>
  tokens?.scope === undefined ? {} : { scope: tokens.scope };

/** A sign-in under way: begun with nothing, and kept once it is there. What was kept before stays until then. */
export class FreshSignIn implements OAuthClientProvider {
  readonly #ports: OauthPorts;
  readonly #interaction: Interaction;
  #kept: Kept = {};
  #verifier = "";
  /** Why it could not be kept. */
  problem: Diagnostic | undefined;

  constructor(ports: OauthPorts, interaction: Interaction) {
    this.#ports = ports;
    this.#interaction = interaction;
  }

  get redirectUrl(): string {
    return this.#interaction.redirectUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    return metadataOf(this.#ports, this.redirectUrl);
  }

  state(): string {
    return this.#interaction.state;
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return registered(this.#ports) ?? this.#kept.client;
  }

  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.#kept = { ...this.#kept, client };
  }

  tokens(): OAuthTokens | undefined {
    return this.#kept.tokens;
  }

  async saveTokens(tokens: OAuthTokens): Promise<void> {
    learn(this.#ports, tokens);
    const { scope } = this.#interaction;
    this.#kept = { ...this.#kept, tokens: { ...(scope === undefined ? {} : { scope }), ...tokens } };
    this.problem = await save(this.#ports, this.#kept);
  }

  redirectToAuthorization(url: URL): void {
    this.#interaction.onUrl(url);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#kept.discovery;
  }

  /** RFC 8414, section 3.3: what names another issuer than the one that was asked for is not used. */
  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    const { authorizationServerUrl: asked, authorizationServerMetadata: metadata, resourceMetadata } = discovery;
    const bare = (url: string): string => url.replace(/\/$/u, "");
    if (resourceMetadata !== undefined && metadata !== undefined && bare(metadata.issuer) !== bare(asked))
      throw new Error(`The authorization server ${asked} says that it is ${metadata.issuer.slice(0, 200)}.`);
    this.#kept = { ...this.#kept, discovery };
  }
}
