import type { ServerResponse } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { err, type JsonObject, ok } from "../../../src/base/index.js";
import { createMcpHub, type McpHub, type McpHubDeps, type McpTokenStore } from "../../../src/effect/mcp/index.js";
import { diagnostic } from "../../../src/schema/index.js";
import { sendJson } from "./http-server.js";
import { makeWorld, type World } from "./oauth-world.js";
import { httpServer, settled, testHub } from "./support.js";

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
const LONG = "t".repeat(5_000_000);
const unreadable = diagnostic({ code: "test.broken", what: "The file is broken.", why: "It is.", next: "Look at it." });

describe("what could not be used later is not kept", () => {
  test.each([
    ["a token of five million characters", { access_token: LONG }, "access_token has 5000000 characters"],
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
    ["an id that is too long", { client_id: LONG }, "client_id has 5000000 characters"],
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
