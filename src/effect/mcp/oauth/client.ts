import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import type { OAuthClientInformationMixed, OAuthClientMetadata, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { Diagnostic } from "../../../schema/index.js";
import { SignInWanted } from "../transport/refusals.js";
import { type Kept, type KeptPorts, learn, load, save, unusable } from "./kept.js";

export interface OauthPorts extends KeptPorts {
  /** A client that is registered there already, with its secret where it has one. */
  readonly client?: { readonly id: string; readonly secret?: string };
  readonly scopes?: readonly string[];
  readonly clientName: string;
}

/** How a person is sent to the authorization server, and comes back. */
export interface Interaction {
  readonly redirectUrl: string;
  readonly state: string;
  /** What is asked for; a server that grants just that need not say so. */
  readonly scope?: string;
  readonly onUrl: (url: URL) => void;
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

function registered({ client }: OauthPorts): OAuthClientInformationMixed | undefined {
  if (client === undefined) return undefined;
  return { client_id: client.id, ...(client.secret === undefined ? {} : { client_secret: client.secret }) };
}

/** Secrets of a sign-in, and of the client that the setting names. */
function learnAll(ports: OauthPorts, kept: Kept): void {
  const client = registered(ports);
  learn(ports, kept);
  if (client !== undefined) learn(ports, { client });
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
  learnAll(ports, first);
  const wanted = (): never => {
    throw new SignInWanted(shared.refused ?? "The sign-in that is kept cannot be renewed.", false);
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
      shared.check({ ...shared.kept, tokens });
      learn(ports, { tokens });
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
  /** Why what the server renewed it with could not be kept. */
  refused: string | undefined;

  constructor(ports: OauthPorts, kept: Kept) {
    this.#ports = ports;
    this.kept = kept;
  }

  /** Throws where it cannot be kept: nothing of it is. */
  check(kept: Kept): void {
    this.refused = unusable(kept);
    if (this.refused !== undefined) throw new Error(this.refused);
  }

  async reload(): Promise<boolean> {
    if (this.#isOurs) return false;
    const stored = await load(this.#ports);
    if (stored.tokens === undefined || stored.tokens.access_token === this.kept.tokens?.access_token) return false;
    learn(this.#ports, stored);
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
    learnAll(ports, {});
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
    this.#keep({ client });
  }

  tokens(): OAuthTokens | undefined {
    return this.#kept.tokens;
  }

  async saveTokens(tokens: OAuthTokens): Promise<void> {
    const { scope } = this.#interaction;
    this.#keep({ tokens: { ...(scope === undefined ? {} : { scope }), ...tokens } });
    this.problem = await save(this.#ports, this.#kept);
  }

  redirectToAuthorization(url: URL): void {
    this.#interaction.onUrl(url);
  }

  saveCodeVerifier(verifier: string): void {
    this.#ports.onSecret(`mcp-${this.#ports.server}`, verifier);
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
    this.#keep({ discovery });
  }

  /** What a server sends that no later request could use ends the sign-in, before anything is stored. */
  #keep(more: Kept): void {
    learn(this.#ports, more);
    const kept = { ...this.#kept, ...more };
    const problem = unusable(kept);
    if (problem !== undefined) throw new Error(`The authorization server gave what cannot be used. ${problem}`);
    this.#kept = kept;
  }
}
