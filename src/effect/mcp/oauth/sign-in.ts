import { bareHost, type Clock, err, isLoopback, ok, orAborted, type Result } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { operationStopped, signInFailed } from "../failures.js";
import { reasonOf } from "../server/errors.js";
import type { FetchLike } from "../transport/fetch.js";
import type { Challenge } from "../transport/refusals.js";
import { type Answer, type Callback, listenForAnswer } from "./callback.js";
import { extendedScope, FreshSignIn, type OauthPorts } from "./client.js";
import { Exchanges } from "./exchanges.js";

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
  const { fetch } = ports;
  const exchanges = new Exchanges({ clock, fetch, signal: over.signal, server: new URL(oauth.url) });
  let callback: Callback | undefined;
  try {
    callback = await listenForAnswer(callbackPort ?? 0, state);
    const late = clock.sleep(WAIT_MS, over.signal).then((): Answer => ({ problem: "Nobody came back within 5 minutes." }));
    const done = await orAborted(exchange(ports, { callback, state, use, late, exchanges }), signal);
    if (done === "aborted") return err(operationStopped(oauth.server, "The sign-in"));
    return typeof done === "string" ? err(signInFailed(oauth.server, conceal(done))) : done;
  } catch (error) {
    return err(signInFailed(oauth.server, conceal(wordsOf(exchanges.problem ?? error)).slice(0, 1_000)));
  } finally {
    over.abort("over");
    callback?.close();
  }
}

/** Of an answer that is no error of the protocol, the protocol's own code repeats all there is: what was sent may be in it. */
function wordsOf(error: unknown): string {
  const reason = reasonOf(error);
  const status = /^HTTP (\d{3}): Invalid OAuth error response/u.exec(reason)?.[1];
  if (status !== undefined) return `The authorization server answered with status ${status}, and not as the protocol has it.`;
  const code = error instanceof Error && "errorCode" in error ? error.errorCode : undefined;
  return typeof code === "string" ? `The server answered ${code}${reason === "" ? "." : `: ${reason}`}` : reason;
}

interface Waiting {
  readonly callback: Callback;
  readonly state: string;
  readonly use: SignInUse;
  readonly late: Promise<Answer>;
  readonly exchanges: Exchanges;
}

/** The result, or why it failed. */
async function exchange(ports: SignInPorts, waiting: Waiting): Promise<Result<void, Diagnostic> | string> {
  const { oauth } = ports;
  const { callback, state, use, late, exchanges } = waiting;
  const { auth } = await import("@modelcontextprotocol/sdk/client/auth.js");
  const asked = await challengeOf(ports, exchanges);
  const metadataUrl = asked.metadataUrl ?? ports.challenge?.metadataUrl;
  const scope = scopesOf(await extendedScope(oauth), asked.scope, ports.challenge?.scope);
  const wanted = {
    serverUrl: oauth.url,
    fetchFn: exchanges.fetch,
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
    const refused = addressProblem(opened);
    if (refused !== undefined) return refused;
    use.onUrl(opened.href);
    const answer = await Promise.race([callback.answer, late]);
    if ("problem" in answer) return answer.problem;
    oauth.onSecret(`mcp-${oauth.server}`, answer.code);
    return strangerIn(answer, client) ?? (await redeemed(auth(client, { ...wanted, authorizationCode: answer.code })));
  }
}

/** Why an address is not shown: what is opened may be a file or a program to whoever opens it, and plain http is everybody's to read. */
function addressProblem(url: URL): string | undefined {
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(bareHost(url)))) return undefined;
  const shown = `${url.protocol}//${url.host}${url.pathname}`.slice(0, 200);
  return `The authorization server wants ${shown} to be opened. Only https, or http on this machine, is shown to a person.`;
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
async function challengeOf({ oauth, headers }: SignInPorts, exchanges: Exchanges): Promise<Partial<Challenge>> {
  const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/sdk/client/auth.js");
  const { LATEST_PROTOCOL_VERSION } = await import("@modelcontextprotocol/sdk/types.js");
  const params = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo: { name: oauth.clientName, version: "0" } };
  const response = await exchanges.head(oauth.url, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
  });
  if (response.status !== 401) return {};
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return {
    ...(resourceMetadataUrl === undefined ? {} : { metadataUrl: resourceMetadataUrl.href }),
    ...(scope === undefined ? {} : { scope }),
  };
}
