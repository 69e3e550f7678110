import type { auth, extractWWWAuthenticateParams } from "@modelcontextprotocol/sdk/client/auth.js";
import type { SignedIn } from "../oauth/client.js";
import type { FetchInit, FetchLike } from "./fetch.js";

export interface SigningPorts {
  readonly url: URL;
  readonly fetch: FetchLike;
  readonly authProvider?: SignedIn;
}

/** Of the protocol's own code. */
export interface Protocol {
  readonly challengeIn: typeof extractWWWAuthenticateParams;
  readonly renew: typeof auth;
}

/** Sends requests to one server with the sign-in that is kept for it. */
export class Signing {
  readonly #ports: SigningPorts;
  readonly #protocol: Protocol;
  #renewing: Promise<boolean> | undefined;

  constructor(ports: SigningPorts, protocol: Protocol) {
    this.#ports = ports;
    this.#protocol = protocol;
  }

  /**
   * A request with the sign-in that is kept, renewed where it ran out: once for all requests that find that, for a refresh token may serve one
   * time only. A request that is refused for that was not looked at, so sending it again repeats nothing.
   */
  async send(url: URL, init: FetchInit): Promise<Response> {
    const { authProvider: provider, url: server, fetch } = this.#ports;
    if (provider === undefined || url.origin !== server.origin) return await fetch(url, init);
    const send = async (token: string | undefined): Promise<Response> => {
      const headers = new Headers(init.headers);
      if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
      return await fetch(url, { ...init, headers });
    };
    const current = async (): Promise<string | undefined> => (await provider.tokens())?.access_token;
    let isTaken = true;
    let token = await current();
    let response = await send(token);
    while (response.status === 401 && isTaken) {
      await response.body?.cancel();
      isTaken = (await current()) !== token || (await this.#renew(provider, response));
      token = await current();
      response = await send(token);
    }
    return response;
  }

  /** True: another process had renewed it, so it may have run out again. */
  async #renew(provider: SignedIn, response: Response): Promise<boolean> {
    const { url, fetch } = this.#ports;
    const { resourceMetadataUrl } = this.#protocol.challengeIn(response);
    const wanted = { serverUrl: url, fetchFn: fetch, ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }) };
    const renewed = async (): Promise<boolean> => {
      const isTaken = await provider.reload();
      if (!isTaken) await this.#protocol.renew(provider, wanted);
      return isTaken;
    };
    this.#renewing ??= renewed().finally(() => {
      this.#renewing = undefined;
    });
    return await this.#renewing;
  }
}
