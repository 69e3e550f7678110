import { type Clock, err, ok, orAborted, type Result } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { operationStopped, signInFailed } from "../failures.js";
import { reasonOf } from "../server/errors.js";
import type { FetchLike } from "../transport/fetch.js";
import type { Challenge } from "../transport/refusals.js";
import { type Answer, type Callback, listenForAnswer } from "./callback.js";
import { extendedScope, FreshSignIn, type OauthPorts } from "./client.js";

export interface SignInPorts {
  readonly clock: Clock;
  readonly fetch: FetchLike;
  readonly oauth: OauthPorts;
  readonly headers: Readonly<Record<string, string>>;
  readonly randomBytes: (into: Uint8Array) => void;
  /** What the server said when it refused a request lately. */
  readonly challenge: Challenge | undefined;
  readonly callbackPort: number | undefined;
  readonly conceal: (text: string) => string;
}

const WAIT_MS = 300_000;

interface SignInUse {
  readonly signal: AbortSignal;
  readonly onUrl: (url: string) => void;
}

/** OAuth 2.1 with PKCE (RFC 7636): a person opens an address, their browser comes back to this machine. The state of the answer must be ours. */
export async function signIn(ports: SignInPorts, use: SignInUse): Promise<Result<void, Diagnostic>> {
  const { oauth, clock, callbackPort, conceal } = ports;
  const { signal } = use;
  const bytes = new Uint8Array(24);
  ports.randomBytes(bytes);
  const state = Buffer.from(bytes).toString("base64url");
  const over = new AbortController();
  let callback: Callback | undefined;
  try {
    callback = await listenForAnswer(callbackPort ?? 0, state);
    const late = clock.sleep(WAIT_MS, over.signal).then((): Answer => ({ problem: "Nobody came back within 5 minutes." }));
    const done = await orAborted(exchange(ports, { callback, state, use, late }), signal);
    if (done === "aborted") return err(operationStopped(oauth.server, "The sign-in"));
    return typeof done === "string" ? err(signInFailed(oauth.server, conceal(done))) : done;
  } catch (error) {
    return err(signInFailed(oauth.server, conceal(reasonOf(error)).slice(0, 1_000)));
  } finally {
    over.abort("over");
    callback?.close();
  }
}

interface Waiting {
  readonly callback: Callback;
  readonly state: string;
  readonly use: SignInUse;
  readonly late: Promise<Answer>;
}

/** The result, or why it failed. */
async function exchange(ports: SignInPorts, { callback, state, use, late }: Waiting): Promise<Result<void, Diagnostic> | string> {
  const { oauth, fetch } = ports;
  const { auth } = await import("@modelcontextprotocol/sdk/client/auth.js");
  const asked = await challengeOf(ports, use.signal);
  const metadataUrl = asked.metadataUrl ?? ports.challenge?.metadataUrl;
  const scope = scopesOf(await extendedScope(oauth), asked.scope, ports.challenge?.scope);
  const wanted = {
    serverUrl: oauth.url,
    fetchFn: fetch,
    ...(scope === undefined ? {} : { scope }),
    ...(metadataUrl === undefined ? {} : { resourceMetadataUrl: new URL(metadataUrl) }),
  };
  let opened: URL | undefined;
  const client = new FreshSignIn(oauth, {
    ...{ redirectUrl: callback.url, state, ...(scope === undefined ? {} : { scope }) },
    onUrl: (url) => {
      opened = url;
    },
  });
  const problem = (await auth(client, wanted)) === "AUTHORIZED" ? undefined : await agreed();
  if (problem !== undefined) return problem;
  return client.problem === undefined ? ok(undefined) : err(client.problem);

  async function agreed(): Promise<string | undefined> {
    if (opened === undefined || use.signal.aborted) return "There was no address to open.";
    use.onUrl(opened.href);
    const answer = await Promise.race([callback.answer, late]);
    if ("problem" in answer) return answer.problem;
    return strangerIn(answer, client) ?? (await redeemed(auth(client, { ...wanted, authorizationCode: answer.code })));
  }
}

const redeemed = async (exchanged: Promise<"AUTHORIZED" | "REDIRECT">): Promise<string | undefined> =>
  (await exchanged) === "AUTHORIZED" ? undefined : "The server wants another sign-in.";

/** All that was asked for: what one operation needs comes on top of what the others do. */
function scopesOf(...scopes: readonly (string | undefined)[]): string | undefined {
  const all = new Set(scopes.flatMap((scope) => scope?.split(" ") ?? []).filter((scope) => scope !== ""));
  return all.size === 0 ? undefined : [...all].join(" ");
}

/** RFC 9207, section 2.4: an answer of another authorization server is not used, nor one that hides whose it is. */
function strangerIn({ issuer }: Extract<Answer, { readonly code: string }>, client: FreshSignIn): string | undefined {
  const metadata = client.discoveryState()?.authorizationServerMetadata;
  if (metadata === undefined) return undefined;
  // Not among those the protocol's own code knows.
  const { authorization_response_iss_parameter_supported: saysSo }: { readonly [key: string]: unknown } = { ...metadata };
  if (issuer === undefined) return saysSo === true ? "The answer does not say which authorization server it is from." : undefined;
  return issuer === metadata.issuer ? undefined : `The answer is from ${issuer.slice(0, 200)}, not from ${metadata.issuer.slice(0, 200)}.`;
}

/** What the server says when it is asked without a sign-in. */
async function challengeOf({ oauth, fetch, headers }: SignInPorts, signal: AbortSignal): Promise<Partial<Challenge>> {
  const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/sdk/client/auth.js");
  const { LATEST_PROTOCOL_VERSION } = await import("@modelcontextprotocol/sdk/types.js");
  const params = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo: { name: oauth.clientName, version: "0" } };
  const response = await fetch(oauth.url, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
    signal,
  });
  await response.body?.cancel();
  if (response.status !== 401) return {};
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return {
    ...(resourceMetadataUrl === undefined ? {} : { metadataUrl: resourceMetadataUrl.href }),
    ...(scope === undefined ? {} : { scope }),
  };
}
