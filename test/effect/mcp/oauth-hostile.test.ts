import type { ServerResponse } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { err, type JsonObject, ok } from "../../../src/base/index.js";
import { createMcpHub, type McpHub, type McpHubDeps, type McpTokenStore } from "../../../src/effect/mcp/index.js";
import { diagnostic } from "../../../src/schema/index.js";
import { sendJson, startServer } from "./http-server.js";
import { makeWorld, type World } from "./oauth-world.js";
import { realClock } from "../support.js";
import { httpServer, reached, settled, testHub } from "./support.js";

let dir: string;
let open: { close(): Promise<void> }[];
let world: World;
let kept: Map<string, string>;
let learned: string[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "smith-mcp-"));
  open = [];
  learned = [];
  kept = new Map();
  world = await makeWorld(kept);
  open.push(world.auth, world.server);
});
afterEach(async () => {
  for (const one of open.reverse()) await one.close();
  await rm(dir, { recursive: true, force: true });
});

const store: McpTokenStore = {
  load: async (server) => await Promise.resolve(ok(kept.get(server))),
  save: async (server, value) => {
    kept.set(server, value ?? "");
    return await Promise.resolve(ok(undefined));
  },
};
const conceal = (text: string): string =>
  learned.reduce((left, value) => (value.length < 8 ? left : left.replaceAll(value, "<hidden>")), text);
const setting = () => httpServer("web", world.server.url);
async function started(deps: Partial<McpHubDeps> = {}): Promise<McpHub> {
  const onSecret = (_: string, value: string): void => {
    learned.push(value);
  };
  const hub = createMcpHub(testHub({ cacheDir: join(dir, "cache"), cwd: dir, tokens: store, conceal, onSecret, ...deps }));
  open.push(hub);
  hub.configure([setting()]);
  await settled(hub);
  return hub;
}
/** A browser that opens what it is given. */
const browse = (url: string): void => {
  fetch(url).catch(() => undefined);
};
const { signal } = new AbortController();
const signIn = async (hub: McpHub, onUrl = browse) => await hub.signIn(setting(), { signal, onUrl });
/** Why a sign-in failed. */
async function whyOf(hub: McpHub, onUrl = browse): Promise<string> {
  const done = await signIn(hub, onUrl);
  if (done.ok) throw new Error("it signed in");
  expect(done.error.code).toBe("mcp.sign-in-failed");
  return done.error.why;
}
/** Answers one path of either server so. */
const answering = (path: string, answer: (response: ServerResponse, body: string) => boolean): void => {
  world.hostile = (request, response, body) => request.url === path && answer(response, body);
};
const TOKENS: JsonObject = { access_token: "access-x", refresh_token: "refresh-x", token_type: "bearer" };
const LONG = "t".repeat(1_000_000);
const unreadable = diagnostic({ code: "test.broken", what: "The file is broken.", why: "It is.", next: "Look at it." });

describe("what could not be used later is not kept", () => {
  test.each([
    ["a token of five million characters", { access_token: LONG.repeat(5) }, "more than 1048576 bytes"],
    ["one of a million", { access_token: LONG }, "access_token has 1000000 characters"],
    ["one to renew with that is too long", { refresh_token: "r".repeat(16 * 1024 + 1) }, "refresh_token has 16385 characters"],
    ["a token with a line end", { access_token: "AT\r\nX-Evil: 1" }, "access_token has characters"],
    ["a type that is too long", { token_type: LONG }, "token_type has"],
    ["a scope with a line end", { scope: "a\nb" }, "scope has characters"],
    ["no token", { access_token: " " }, "access_token is empty"],
  ])("%s", async (_, more: JsonObject, expected) => {
    answering("/token", (response) => sendJson(response, { ...TOKENS, ...more }));
    expect(await whyOf(await started())).toContain(expected);
    expect(kept.size).toBe(0);
  });

  test("a token of the longest kind is", async () => {
    answering("/token", (response) => sendJson(response, { ...TOKENS, access_token: "t".repeat(16 * 1024) }));
    expect(await signIn(await started())).toMatchObject({ ok: true });
    expect(kept.size).toBe(1);
  });

  test.each([
    ["an id that is too long", { client_id: LONG }, "client_id has 1000000 characters"],
    ["a secret with a line end", { client_id: "c", client_secret: "s\n" }, "client_secret has characters"],
    ["much else", { client_id: "c", contacts: Array.from({ length: 300 }, () => "c".repeat(1_000)) }, "to keep for one sign-in"],
  ])("a client with %s", async (_, more: JsonObject, expected) => {
    answering("/register", (response, body) => sendJson(response, { ...(JSON.parse(body) as JsonObject), ...more }, 201));
    expect(await whyOf(await started())).toContain(expected);
    expect(kept.size).toBe(0);
  });

  test("what a sign-in is renewed with neither: it is said why a person is wanted", async () => {
    expect(await signIn(await started())).toMatchObject({ ok: true });
    const before = kept.get("web");
    world.good.clear();
    answering("/token", (response) => sendJson(response, { ...TOKENS, access_token: "AT\r\nX-Evil: 1" }));
    const hub = await started();
    expect(hub.servers()[0]).toMatchObject({ state: "sign-in" });
    expect(hub.servers()[0]?.message).toContain("access_token has characters");
    expect(kept.get("web")).toBe(before);
  });

  test("one of an earlier version that is so counts as none", async () => {
    kept.set("web", JSON.stringify({ url: world.server.url, tokens: { ...TOKENS, access_token: "AT\r\nX-Evil: 1" } }));
    expect((await started()).servers()[0]).toMatchObject({ state: "sign-in" });
  });
});

test("signing out tells that what is kept cannot be read", async () => {
  const failing: McpTokenStore = { ...store, load: async () => await Promise.resolve(err(unreadable)) };
  const hub = await started({ tokens: failing });
  expect(await hub.signOut(setting())).toEqual({ ok: false, error: unreadable });
});

/** Begins an answer and never ends it. Resolves when whoever asked has gone. */
function trickling(path: string): { readonly gone: Promise<void> } {
  const gone = new Promise<void>((resolve) => {
    answering(path, (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const more = setInterval(() => response.write(" "), 20);
      response.once("close", () => {
        clearInterval(more);
        resolve();
      });
      return true;
    });
  });
  return { gone };
}

describe("an answer that never ends", () => {
  const METADATA = "/.well-known/oauth-protected-resource/mcp";

  test.each([METADATA, "/.well-known/oauth-authorization-server", "/register", "/token"])("from %s ends the sign-in", async (path) => {
    const { gone } = trickling(path);
    const clock = { ...realClock, sleep: async (ms: number, stop?: AbortSignal) => await realClock.sleep(ms === 30_000 ? 500 : ms, stop) };
    expect(await whyOf(await started({ clock }))).toContain("did not answer in full within 30 s");
    await gone;
  });

  test("is given up at once when a person does", async () => {
    const { gone } = trickling(METADATA);
    const hub = await started();
    const stop = new AbortController();
    const done = hub.signIn(setting(), { signal: stop.signal, onUrl: browse });
    await reached(() => world.server.seen.includes(`GET ${METADATA}`));
    stop.abort();
    expect(await done).toMatchObject({ error: { code: "mcp.stopped" } });
    await gone;
  });

  test("is not read without end either", async () => {
    answering(METADATA, (response) => sendJson(response, { resource: "x".repeat(1024 * 1024) }));
    expect(await whyOf(await started())).toContain("more than 1048576 bytes");
  });
});

describe("what a token endpoint says back shows nothing of what it was sent", () => {
  const SECRET = "issued-client-secret-1";
  test.each([
    [400, (body: string) => JSON.stringify({ error: "invalid_request", error_description: `echo ${body}` })],
    [500, (body: string) => `<p>echo ${body} {"access_token":"fresh-token-1"}</p>`],
  ])("with status %d", async (status, answer) => {
    const sent: string[] = [];
    world.hostile = (request, response, body) => {
      if (request.url === "/register")
        return sendJson(
          response,
          {
            ...(JSON.parse(body) as JsonObject),
            client_id: "c-1",
            client_secret: SECRET,
            token_endpoint_auth_method: "client_secret_post",
          },
          201,
        );
      if (request.url !== "/token") return false;
      sent.push(body);
      response.writeHead(status, { "content-type": "application/json" }).end(answer(body));
      return true;
    };
    world.answer = (redirect, state) => {
      redirect.search = new URLSearchParams({ code: "code-of-sixteen-c", state }).toString();
      return redirect;
    };
    const why = await whyOf(await started());
    const form = new URLSearchParams(sent[0]);
    expect(form.get("code")).toBe("code-of-sixteen-c");
    const verifier = form.get("code_verifier") ?? "";
    expect(verifier).not.toBe("");
    for (const value of ["code-of-sixteen-c", verifier, SECRET, "fresh-token-1"]) expect(why).not.toContain(value);
    expect(why).toContain(status === 400 ? "echo" : "status 500");
  });

  test("nor does what a renewed sign-in is refused with", async () => {
    expect(await signIn(await started())).toMatchObject({ ok: true });
    world.good.clear();
    learned = [];
    answering("/token", (response, body) => sendJson(response, { error: "invalid_request", error_description: `echo ${body}` }, 400));
    const hub = await started();
    expect(hub.servers()[0]?.message).not.toContain("refresh-1");
  });
});

describe("the address a person opens", () => {
  const withEndpoint = async (endpoint: string) => {
    answering("/.well-known/oauth-authorization-server", (response) =>
      sendJson(response, {
        ...{ issuer: world.auth.origin, authorization_endpoint: endpoint, token_endpoint: `${world.auth.origin}/token` },
        ...{ registration_endpoint: `${world.auth.origin}/register`, response_types_supported: ["code"] },
      }),
    );
    const opened: string[] = [];
    const stop = new AbortController();
    const done = await (
      await started()
    ).signIn(setting(), {
      signal: stop.signal,
      onUrl: (url) => {
        opened.push(url);
        stop.abort();
      },
    });
    return { opened, done };
  };

  test.each(["file:///etc/passwd", "smb://h/share", "vscode://x/y", "http://example.com/authorize", "http://127.0.0.1.example.com/"])(
    "is never %s",
    async (endpoint) => {
      const { opened, done } = await withEndpoint(endpoint);
      expect(opened).toEqual([]);
      expect(done).toMatchObject({ error: { code: "mcp.sign-in-failed" } });
      expect(!done.ok && done.error.why).toContain(`wants ${endpoint}`);
    },
  );

  test.each(["https://example.com/authorize", "http://localhost:1/authorize", "http://[::1]:1/authorize"])(
    "may be %s",
    async (endpoint) => {
      expect((await withEndpoint(endpoint)).opened).toEqual([expect.stringContaining(endpoint)]);
    },
  );
});

test("the page a browser comes back to does not say that a sign-in is done which fails then", async () => {
  answering("/token", (response) => sendJson(response, { error: "invalid_request" }, 400));
  let page: Promise<string> | undefined;
  const why = await whyOf(await started(), (url) => {
    page = fetch(url).then(async (response) => await response.text());
  });
  expect(why).toBe("The server answered invalid_request.");
  expect(await page).toBe("The answer arrived. Go back to smith, which says whether you are signed in; you can close this page.");
});

test("a server on the open network sends nobody to addresses of a private one", async () => {
  const asked: string[] = [];
  // Stands for the open network: whatever is asked goes through it.
  const proxy = await startServer({
    first: (request, response) => {
      asked.push(request.url ?? "");
      const challenge = 'Bearer resource_metadata="http://169.254.169.254/latest/meta-data"';
      return sendJson(response, { error: "no" }, 401, { "www-authenticate": challenge });
    },
  });
  open.push(proxy);
  const outside = httpServer("out", "http://8.8.8.8/mcp");
  const hub = await started({ env: { HTTP_PROXY: proxy.origin } });
  const done = await hub.signIn(outside, { signal, onUrl: browse });
  expect(done).toMatchObject({ error: { code: "mcp.sign-in-failed" } });
  expect(!done.ok && done.error.why).toContain("169.254.169.254");
  expect(asked.filter((url) => url.includes("8.8.8.8"))).toEqual(["http://8.8.8.8/mcp"]);
  expect(asked.filter((url) => url.includes("169.254"))).toEqual([]);
});
