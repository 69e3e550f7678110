import { createServer } from "node:http";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { err, ok } from "../../../src/base/index.js";
import { createMcpHub, type McpHub, type McpHubDeps, type McpTokenStore } from "../../../src/effect/mcp/index.js";
import type { McpServerSetting } from "../../../src/schema/index.js";
import { diagnostic } from "../../../src/schema/index.js";
import { realClock } from "../support.js";
import { startServer } from "./http-server.js";
import { makeWorld, type World } from "./oauth-world.js";
import { httpServer, settled, testHub, textOf, until } from "./support.js";

let dir: string;
let open: { close(): Promise<void> }[];
let world: World;
let kept: Map<string, string>;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "smith-mcp-"));
  open = [];
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
    if (value === null) kept.delete(server);
    else kept.set(server, value);
    return await Promise.resolve(ok(undefined));
  },
};
const diskFull = diagnostic({ code: "test.full", what: "The disk is full.", why: "Somebody filled it.", next: "Make room." });
const { signal } = new AbortController();
const use = { signal };
const setting = (more: Partial<McpServerSetting> = {}): McpServerSetting => httpServer("web", world.server.url, more);
async function started(one = setting(), deps: Partial<McpHubDeps> = {}): Promise<McpHub> {
  const hub = createMcpHub(testHub({ cacheDir: join(dir, "cache"), cwd: dir, tokens: store, ...deps }));
  open.push(hub);
  hub.configure([one]);
  await settled(hub);
  return hub;
}
/** A browser that opens what it is given. */
const browse = (url: string): void => {
  fetch(url).catch(() => undefined);
};
const call = async (hub: McpHub) => await hub.call({ server: "web", tool: "echo", args: {} }, use);

test("a person signs in, the server is connected, and the sign-in serves the next run", async () => {
  const learned: string[] = [];
  const hub = await started(setting(), { onSecret: (_, value) => learned.push(value) });
  expect(hub.servers()[0]?.state).toBe("sign-in");
  // Nothing is registered before a person wants to sign in.
  expect(world.auth.seen).toEqual([]);
  const opened: string[] = [];
  const onUrl = (url: string): void => {
    opened.push(url);
    browse(url);
  };
  expect(await hub.signIn(setting(), { signal, onUrl })).toEqual({ ok: true, value: undefined });
  await until(hub, () => hub.servers()[0]?.state === "connected");
  expect(textOf(await call(hub))).toBe("ok");
  const asked = new URL(opened[0] ?? "").searchParams;
  expect(asked.get("code_challenge_method")).toBe("S256");
  expect(asked.get("redirect_uri")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/u);
  expect(asked.get("resource")).toBe(world.server.url);
  expect(learned).toEqual(expect.arrayContaining(["access-1", "refresh-1"]));
  expect((await started()).servers()[0]?.state).toBe("connected");
});

const signedIn = async (): Promise<void> => {
  const hub = await started();
  expect(await hub.signIn(setting(), { signal, onUrl: browse })).toMatchObject({ ok: true });
  await hub.close();
};

test("a token that ran out is renewed once, however many requests find that", async () => {
  await signedIn();
  const hub = await started();
  world.good.clear();
  const answers = await Promise.all([call(hub), call(hub), call(hub), call(hub)]);
  expect(answers.map(textOf)).toEqual(["ok", "ok", "ok", "ok"]);
  expect(world.refreshes).toEqual(["refresh-1"]);
});

describe("a sign-in that another process uses, too", () => {
  const connected = async (): Promise<McpHub> => {
    await signedIn();
    const hub = await started();
    world.good.clear();
    return hub;
  };

  test("is not renewed where the other one has done that", async () => {
    const hub = await connected();
    world.renewElsewhere();
    expect(textOf(await call(hub))).toBe("ok");
    expect(world.refreshes).toEqual([]);
  });

  test("is renewed where that ran out again", async () => {
    const hub = await connected();
    world.renewElsewhere();
    world.good.clear();
    expect(textOf(await call(hub))).toBe("ok");
    expect(world.refreshes).toEqual(["refresh-2"]);
  });

  test("is not lost where the other one was quicker, nor is what that one stored", async () => {
    const hub = await connected();
    world.beforeRefresh = () => {
      world.beforeRefresh = () => undefined;
      world.renewElsewhere();
    };
    expect(textOf(await call(hub))).toBe("ok");
    expect(world.refreshes).toEqual(["refresh-1", "refresh-2"]);
    expect(kept.get("web")).toContain("refresh-3");
  });

  test("is not written again where a person signed out of it meanwhile", async () => {
    const hub = await connected();
    kept.delete("web");
    expect(textOf(await call(hub))).toBe("ok");
    expect(kept.size).toBe(0);
  });

  test("that cannot be stored serves this process", async () => {
    await signedIn();
    const failing: McpTokenStore = { ...store, save: async () => await Promise.resolve(err(diskFull)) };
    const hub = await started(setting(), { tokens: failing });
    for (const expected of [["refresh-1"], ["refresh-1", "refresh-2"]]) {
      world.good.clear();
      expect(textOf(await call(hub))).toBe("ok");
      expect(world.refreshes).toEqual(expected);
    }
  });
});

test("a sign-in that cannot be renewed wants a person; nothing is registered for it, and it is said where", async () => {
  await signedIn();
  world.good.clear();
  kept.set("web", (kept.get("web") ?? "").replace("refresh-1", "refresh-0"));
  const before = world.auth.seen.filter((what) => what.includes("register")).length;
  const hub = await started();
  expect(hub.servers()[0]?.state).toBe("sign-in");
  expect(world.auth.seen.filter((what) => what.includes("register"))).toHaveLength(before);
  expect(await call(hub)).toMatchObject({ outcome: "not-applied", result: { error: { code: "mcp.sign-in-needed" } } });
});

test("a sign-in counts for its address alone", async () => {
  await signedIn();
  const other = await startServer({});
  open.push(other);
  await started(httpServer("web", other.url));
  expect(other.headers.map(({ authorization }) => authorization).filter((value) => value !== undefined)).toEqual([]);
});

test("what a call wants beyond the sign-in is asked for by the next one, in whatever process", async () => {
  await signedIn();
  kept.set("web", (kept.get("web") ?? "").replace('"access_token"', '"scope":"basic","access_token"'));
  const hub = await started();
  world.deny = { error: "insufficient_scope", scope: "write" };
  expect(await call(hub)).toMatchObject({ outcome: "not-applied", result: { error: { code: "mcp.sign-in-needed" } } });
  // What the sign-in covers goes on.
  expect(hub.servers()[0]?.state).toBe("connected");
  await hub.close();
  world.deny = undefined;
  const opened: string[] = [];
  const onUrl = (url: string): void => {
    opened.push(url);
    browse(url);
  };
  expect(await (await started()).signIn(setting(), { signal, onUrl })).toMatchObject({ ok: true });
  expect(new URL(opened[0] ?? "").searchParams.get("scope")).toBe("basic write");
});

test("headers of a setting go to the server and to nobody who signs in for it", async () => {
  const { url } = world.server;
  const hub = await started(setting({ transport: { type: "http", url, headers: { "x-api-key": "k-1" } } }));
  expect(await hub.signIn(setting(), { signal, onUrl: browse })).toMatchObject({ ok: true });
  expect(world.server.headers.some((headers) => headers["x-api-key"] === "k-1")).toBe(true);
  expect(world.auth.headers.some((headers) => "x-api-key" in headers)).toBe(false);
});

test("an answer with another state is nobody's: the wait goes on for the right one", async () => {
  const hub = await started();
  const answer = world.answer;
  const statuses: number[] = [];
  const onUrl = (url: string): void => {
    const forged = answer(new URL(new URL(url).searchParams.get("redirect_uri") ?? ""), "forged");
    const both = async (): Promise<void> => {
      statuses.push((await fetch(forged)).status);
      browse(url);
    };
    both().catch(() => undefined);
  };
  expect(await hub.signIn(setting(), { signal, onUrl })).toMatchObject({ ok: true });
  expect(statuses).toEqual([404]);
});

test("a person who declines is believed, and what was kept before stays", async () => {
  await signedIn();
  const before = kept.get("web");
  world.answer = (redirect, state) => {
    redirect.search = new URLSearchParams({ error: "access_denied", error_description: "not today", state }).toString();
    return redirect;
  };
  const done = await (await started()).signIn(setting(), { signal, onUrl: browse });
  expect(done).toMatchObject({ error: { code: "mcp.sign-in-failed", why: "The server answered access_denied: not today" } });
  expect(kept.get("web")).toBe(before);
});

test("an answer that says it is another server's is not used", async () => {
  const { answer } = world;
  world.answer = (redirect, state) => {
    const to = answer(redirect, state);
    to.searchParams.set("iss", "https://elsewhere.example");
    return to;
  };
  const done = await (await started()).signIn(setting(), { signal, onUrl: browse });
  expect(done).toMatchObject({ error: { code: "mcp.sign-in-failed" } });
  expect(world.auth.seen).not.toContain("POST /token");
});

test("giving up ends the wait and frees the port", async () => {
  const stop = new AbortController();
  const hub = await started();
  const done = hub.signIn(setting(), {
    signal: stop.signal,
    onUrl: () => {
      stop.abort();
    },
  });
  expect(await done).toMatchObject({ error: { code: "mcp.stopped" } });
});

test("a port of the setting that is taken is said to be that", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const address = taken.address();
  const callbackPort = typeof address === "object" && address !== null ? address.port : 0;
  const { url } = world.server;
  const one = setting({ transport: { type: "http", url, headers: {}, oauth: { callbackPort } } });
  const done = await (await started(one)).signIn(one, { signal, onUrl: browse });
  taken.close();
  expect(done).toMatchObject({ error: { code: "mcp.sign-in-failed" } });
  expect(!done.ok && done.error.why).toContain("EADDRINUSE");
});

test("nobody who comes back ends the wait", async () => {
  const hub = await started(setting(), {
    clock: { ...realClock, sleep: async (ms, signal) => await realClock.sleep(ms === 300_000 ? 100 : ms, signal) },
  });
  const done = await hub.signIn(setting(), { signal, onUrl: () => undefined });
  expect(done).toMatchObject({ error: { code: "mcp.sign-in-failed", why: "Nobody came back within 5 minutes." } });
});

test("signing out ends what was signed in to", async () => {
  const hub = await started();
  expect(await hub.signIn(setting(), { signal, onUrl: browse })).toMatchObject({ ok: true });
  await until(hub, () => hub.servers()[0]?.state === "connected");
  expect(await hub.signOut(setting())).toEqual({ ok: true, value: true });
  await until(hub, () => hub.servers()[0]?.state === "sign-in");
});

test("signing out forgets, and says whether there was something", async () => {
  await signedIn();
  const hub = await started();
  expect(await hub.signOut(setting())).toEqual({ ok: true, value: true });
  expect(await hub.signOut(setting())).toEqual({ ok: true, value: false });
  expect(kept.size).toBe(0);
});

test("a server that is a command, or has a token, has no sign-in", async () => {
  const hub = await started();
  const { url } = world.server;
  const token = setting({ transport: { type: "http", url, headers: {}, bearer: { type: "env", names: ["T"] } } });
  const command = setting({ transport: { type: "stdio", command: "x", args: [], env: {}, inherit: [] } });
  for (const one of [token, command])
    expect(await hub.signIn(one, { signal, onUrl: browse })).toMatchObject({ error: { code: "mcp.sign-in-failed" } });
});
