import { createServer, type Server } from "node:http";
import { once } from "node:events";
import { randomBytes } from "node:crypto";
import { type Clock, err, ok, orAborted, type Result } from "../../../base/index.js";
import type { Diagnostic, McpServerSetting } from "../../../schema/index.js";
import { operationStopped, signInFailed } from "../failures.js";
import { reasonOf } from "../server/errors.js";
import type { FetchLike } from "../transport/fetch.js";
import { OauthClient, type OauthClientPorts } from "./client.js";

export interface SignInPorts {
  readonly clock: Clock;
  readonly fetch: FetchLike;
  readonly client: Omit<OauthClientPorts, "redirectUrl" | "state" | "onUrl">;
}

const WAIT_MS = 300_000;
const PATH = "/callback";

type HttpTransport = Extract<McpServerSetting["transport"], { readonly type: "http" }>;

/** OAuth 2.1 with PKCE (RFC 7636): a person opens an address, their browser comes back to this machine. The state of the answer must be ours. */
export async function signIn(
  setting: HttpTransport,
  { clock, fetch, client: ports }: SignInPorts,
  { signal, onUrl }: { readonly signal: AbortSignal; readonly onUrl: (url: string) => void },
): Promise<Result<void, Diagnostic>> {
  const state = randomBytes(24).toString("base64url");
  const callback = await listen(setting.oauth?.callbackPort ?? 0, state);
  const over = new AbortController();
  try {
    const client = new OauthClient({
      ...ports,
      redirectUrl: `http://127.0.0.1:${callback.port}${PATH}`,
      state,
      onUrl: (url) => {
        onUrl(url.href);
      },
    });
    // One that is registered knows the address of an earlier callback.
    if (ports.clientId === undefined) await client.invalidateCredentials("client");
    await client.invalidateCredentials("tokens");
    const { auth } = await import("@modelcontextprotocol/sdk/client/auth.js");
    const scope = setting.oauth?.scopes?.join(" ");
    const wanted = { serverUrl: setting.url, fetchFn: fetch, ...(scope === undefined ? {} : { scope }) };
    if ((await auth(client, wanted)) === "AUTHORIZED") return ok(undefined);
    const waiting = Promise.race([
      callback.code,
      clock.sleep(WAIT_MS, over.signal).then((): Answer => ({ problem: "Nobody came back within 5 minutes." })),
    ]);
    const answer = await orAborted(waiting, signal);
    if (answer === "aborted") return err(operationStopped(ports.server, "The sign-in"));
    if ("problem" in answer) return err(signInFailed(ports.server, answer.problem));
    const done = await auth(client, { ...wanted, authorizationCode: answer.code });
    return done === "AUTHORIZED" ? ok(undefined) : err(signInFailed(ports.server, "The server wants another sign-in."));
  } catch (error) {
    return err(signInFailed(ports.server, reasonOf(error)));
  } finally {
    over.abort("over");
    callback.server.close();
    callback.server.closeAllConnections();
  }
}

type Answer = { readonly code: string } | { readonly problem: string };

async function listen(
  port: number,
  state: string,
): Promise<{ readonly server: Server; readonly port: number; readonly code: Promise<Answer> }> {
  let settle: (answer: Answer) => void = () => undefined;
  const code = new Promise<Answer>((resolve) => {
    settle = resolve;
  });
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const answer = url.pathname === PATH ? answerIn(url.searchParams, state) : undefined;
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "text/plain; charset=utf-8", connection: "close" });
    response.end(
      answer === undefined
        ? "Not found."
        : "problem" in answer
          ? "The sign-in failed; see the terminal."
          : "Signed in. You can close this page.",
    );
    if (answer !== undefined) settle(answer);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return { server, port: typeof address === "object" && address !== null ? address.port : port, code };
}

/** Undefined: it is nobody's answer to this sign-in. */
function answerIn(query: URLSearchParams, state: string): Answer | undefined {
  if (query.get("state") !== state) return undefined;
  const error = query.get("error");
  if (error !== null)
    return {
      problem: `The server answered ${error}${query.get("error_description") === null ? "." : `: ${query.get("error_description") ?? ""}`}`,
    };
  const code = query.get("code");
  return code === null ? undefined : { code };
}
