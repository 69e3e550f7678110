import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { sendJson, startServer, type TestServer } from "./http-server.js";

/** An authorization server, and a server that takes its tokens. */
export interface World {
  readonly auth: TestServer;
  readonly server: TestServer;
  /** Tokens that are taken now. */
  readonly good: Set<string>;
  readonly refreshes: string[];
  answer: (redirect: URL, state: string) => URL;
  beforeRefresh: () => void;
  /** As another process does that shares the sign-in. */
  readonly renewElsewhere: () => void;
  /** What calls are refused with. */
  deny?: { readonly error: string; readonly scope: string } | undefined;
  /** Asked before either of them answers a request of HTTP; true: it is dealt with. */
  hostile: (request: IncomingMessage, response: ServerResponse, body: string) => boolean;
}

/** `kept` is where sign-ins are stored, for another process to renew one. */
export async function makeWorld(kept: Map<string, string>): Promise<World> {
  const good = new Set<string>();
  const refreshes: string[] = [];
  let count = 0;
  let challenge = "";
  const auth = await startServer({
    first: (request, response, body) => {
      if (made.hostile(request, response, body)) return true;
      const url = new URL(request.url ?? "/", auth.origin);
      if (url.pathname === "/.well-known/oauth-authorization-server")
        return sendJson(response, {
          issuer: auth.origin,
          authorization_endpoint: `${auth.origin}/authorize`,
          token_endpoint: `${auth.origin}/token`,
          registration_endpoint: `${auth.origin}/register`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
        });
      if (url.pathname === "/register") return sendJson(response, { ...(JSON.parse(body) as object), client_id: "c-1" }, 201);
      if (url.pathname === "/authorize") {
        challenge = url.searchParams.get("code_challenge") ?? "";
        const to = made.answer(new URL(url.searchParams.get("redirect_uri") ?? ""), url.searchParams.get("state") ?? "");
        response.writeHead(302, { location: to.href }).end();
        return true;
      }
      return url.pathname === "/token" && giveToken(new URLSearchParams(body), response);
    },
  });
  const giveToken = (form: URLSearchParams, response: ServerResponse): true => {
    const refresh = form.get("refresh_token");
    if (refresh !== null) {
      made.beforeRefresh();
      refreshes.push(refresh);
    }
    const verifier = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    // A refresh token serves once; a code serves whoever asked for it (RFC 7636).
    if (refresh === null ? verifier !== challenge : refresh !== `refresh-${count}`)
      return sendJson(response, { error: "invalid_grant" }, 400);
    count += 1;
    good.add(`access-${count}`);
    return sendJson(response, { access_token: `access-${count}`, refresh_token: `refresh-${count}`, token_type: "bearer" });
  };
  const server = await startServer({
    first: (request, response, body) => {
      if (made.hostile(request, response, body)) return true;
      if (made.deny !== undefined && body.includes("tools/call")) {
        const { error, scope } = made.deny;
        return sendJson(response, {}, 403, { "www-authenticate": `Bearer error="${error}", scope="${scope}"` });
      }
      if (request.url === "/.well-known/oauth-protected-resource/mcp")
        return sendJson(response, { resource: server.url, authorization_servers: [auth.origin] });
      const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
      if (good.has(token)) return false;
      const challenge = `Bearer resource_metadata="${server.origin}/.well-known/oauth-protected-resource/mcp"`;
      return sendJson(response, { error: "no" }, 401, { "www-authenticate": challenge });
    },
  });
  const made: World = {
    ...{ auth, server, good, refreshes },
    answer: (redirect, state) => {
      redirect.search = new URLSearchParams({ code: "code-1", state }).toString();
      return redirect;
    },
    beforeRefresh: () => undefined,
    hostile: () => false,
    renewElsewhere: () => {
      const before = count;
      count += 1;
      good.add(`access-${count}`);
      for (const what of ["access", "refresh"]) kept.set("web", (kept.get("web") ?? "").replace(`${what}-${before}`, `${what}-${count}`));
    },
  };
  return made;
}
