import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import type { OAuthClientInformationMixed, OAuthClientMetadata, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import { isJsonObject, parseJson } from "../../../base/index.js";
import type { McpTokenStore } from "../types.js";

export interface OauthClientPorts {
  readonly server: string;
  /** A sign-in counts for one address alone: under a server's name another one gets nothing. */
  readonly url: string;
  readonly store: McpTokenStore;
  readonly clientId?: string;
  readonly scopes?: readonly string[];
  readonly clientName: string;
  readonly onSecret: (name: string, value: string) => void;
  /** Where the browser comes back to; absent: nobody is asked. */
  readonly redirectUrl?: string;
  readonly state?: string;
  /** Told of the address a person opens. */
  readonly onUrl?: (url: URL) => void;
}

interface Kept {
  readonly url: string;
  readonly tokens?: OAuthTokens;
  readonly client?: OAuthClientInformationMixed;
  readonly discovery?: OAuthDiscoveryState;
}

/** A sign-in as the protocol's own code keeps it. Every change is stored before it is used. */
export class OauthClient implements OAuthClientProvider {
  readonly #ports: OauthClientPorts;
  #verifier = "";

  constructor(ports: OauthClientPorts) {
    this.#ports = ports;
  }

  get redirectUrl(): string {
    return this.#ports.redirectUrl ?? "http://127.0.0.1/callback";
  }

  get clientMetadata(): OAuthClientMetadata {
    const { scopes, clientName } = this.#ports;
    return {
      client_name: clientName,
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...(scopes === undefined ? {} : { scope: scopes.join(" ") }),
    };
  }

  state(): string {
    return this.#ports.state ?? "";
  }

  async clientInformation(): Promise<OAuthClientInformationMixed | undefined> {
    const { clientId } = this.#ports;
    return clientId === undefined ? (await this.#load()).client : { client_id: clientId };
  }

  async saveClientInformation(client: OAuthClientInformationMixed): Promise<void> {
    await this.#save({ client });
  }

  async tokens(): Promise<OAuthTokens | undefined> {
    const { tokens } = await this.#load();
    if (tokens !== undefined) this.#learn(tokens);
    return tokens;
  }

  async saveTokens(tokens: OAuthTokens): Promise<void> {
    this.#learn(tokens);
    await this.#save({ tokens });
  }

  redirectToAuthorization(url: URL): void {
    this.#ports.onUrl?.(url);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  async invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): Promise<void> {
    if (scope === "verifier") return;
    const { url, ...kept } = await this.#load();
    const left = scope === "all" ? {} : Object.fromEntries(Object.entries(kept).filter(([key]) => key !== scope));
    await this.#ports.store.save(this.#ports.server, JSON.stringify({ url, ...left }));
  }

  async saveDiscoveryState(discovery: OAuthDiscoveryState): Promise<void> {
    await this.#save({ discovery });
  }

  async discoveryState(): Promise<OAuthDiscoveryState | undefined> {
    return (await this.#load()).discovery;
  }

  #learn({ access_token, refresh_token }: OAuthTokens): void {
    for (const value of [access_token, refresh_token]) if (value !== undefined) this.#ports.onSecret(`mcp-${this.#ports.server}`, value);
  }

  async #load(): Promise<Kept> {
    const { server, url, store } = this.#ports;
    const text = await store.load(server);
    const value = text === undefined ? undefined : parseJson(text);
    // Written by us: each field is as the protocol's own code gave it.
    return isJsonObject(value) && value["url"] === url ? (value as unknown as Kept) : { url };
  }

  async #save(change: Partial<Kept>): Promise<void> {
    const kept = await this.#load();
    await this.#ports.store.save(this.#ports.server, JSON.stringify({ ...kept, ...change }));
  }
}
