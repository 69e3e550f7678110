import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { err, ok } from "../../../src/base/index.js";
import type { AuthEntry, Credentials, CredentialsDeps, OauthEntry, PostForm } from "../../../src/credential/index.js";
import { diagnostic } from "../../../src/schema/index.js";
import { bundled, type Program } from "../../session/support/program.js";
import { createManualClock, type ManualClock } from "../../support/manual-clock.js";
import { credentialsOf, inFolder, never, problem, put, realPost, storeAt, type TokenServer, tokenServer, value } from "../support.js";

const servers: TokenServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map(async (server) => await server.close()));
});

/** Takes each refresh token once, as servers that rotate them do. */
async function rotating(lifetimeS: number, gate: Promise<void> = Promise.resolve()): Promise<TokenServer> {
  let current = 0;
  const server = await tokenServer(async (form) => {
    await gate;
    if (form["grant_type"] !== "refresh_token" || form["refresh_token"] !== `refresh-${String(current)}`)
      return { status: 400, body: { error: "invalid_grant", error_description: `spent: ${String(form["refresh_token"])}` } };
    current += 1;
    const [access, refresh] = [`access-${String(current)}`, `refresh-${String(current)}`];
    return { status: 200, body: { access_token: access, token_type: "Bearer", expires_in: lifetimeS, refresh_token: refresh } };
  });
  servers.push(server);
  return server;
}

async function answering(status: number, body: unknown): Promise<TokenServer> {
  const server = await tokenServer(async () => ({ status, body }));
  servers.push(server);
  return server;
}

interface Bench {
  readonly credentials: Credentials;
  readonly clock: ManualClock;
  readonly stored: () => Promise<AuthEntry | undefined>;
}

const login = (url: string, clock: ManualClock, more: Partial<OauthEntry> = {}): OauthEntry => ({
  type: "oauth",
  access: "access-0",
  refresh: "refresh-0",
  expiresAt: clock.now() + 59_000,
  tokenUrl: `${url}/token`,
  clientId: "smith",
  scopes: ["models"],
  ...more,
});

async function withLogin(
  url: string,
  work: (bench: Bench, store: ReturnType<typeof storeAt>) => Promise<void>,
  options: { readonly entry?: Partial<OauthEntry>; readonly deps?: Partial<CredentialsDeps> } = {},
): Promise<void> {
  await inFolder(async (dir) => {
    const clock = createManualClock();
    const store = storeAt(join(dir, "auth.json"));
    value(await put(store, "a", login(url, clock, options.entry)));
    const auth = value(await store.read());
    const credentials = credentialsOf({ store, auth, clock, post: realPost, ...options.deps });
    await work({ credentials, clock, stored: async () => value(await store.read()).entries.get("a") }, store);
    await credentials.close();
  });
}

describe("a login", () => {
  test("with a minute left is used as it is, with less it is renewed first", async () => {
    const server = await rotating(3600);
    await withLogin(
      server.url,
      async ({ credentials, clock }) => {
        value(await credentials.ready("auth:a", never));
        expect([credentials.value("auth:a"), server.forms.length]).toEqual(["access-0", 0]);
        await clock.advance(1);
        value(await credentials.ready("auth:a", never));
        expect(credentials.value("auth:a")).toBe("access-1");
      },
      { entry: { expiresAt: createManualClock().now() + 60_001 } },
    );
  });

  test("is renewed by its refresh token, which is replaced on disk before the access is given out", async () => {
    const server = await rotating(3600);
    await withLogin(server.url, async ({ credentials, clock, stored }) => {
      const told: string[] = [];
      credentials.onValue((values) => told.push(...values));
      value(await credentials.ready("auth:a", never));
      expect(server.forms).toEqual([{ grant_type: "refresh_token", refresh_token: "refresh-0", client_id: "smith" }]);
      const renewed = { access: "access-1", refresh: "refresh-1", expiresAt: clock.now() + 3_600_000 };
      expect(await stored()).toEqual(login(server.url, clock, renewed));
      expect(told).toEqual(["access-0", "refresh-0", "access-1", "refresh-1"]);
    });
  });

  test("keeps its refresh token where the server sends no other, and has no end where it names none", async () => {
    const server = await answering(200, { access_token: "fresh", token_type: "bearer" });
    await withLogin(server.url, async ({ credentials, stored }) => {
      value(await credentials.ready("auth:a", never));
      const entry = await stored();
      expect(entry).toMatchObject({ access: "fresh", refresh: "refresh-0" });
      expect(entry).not.toHaveProperty("expiresAt");
    });
  });

  test("is renewed when its access is refused, though it has time left", async () => {
    const server = await rotating(3600);
    await withLogin(
      server.url,
      async ({ credentials }) => {
        credentials.refused("auth:a");
        value(await credentials.ready("auth:a", never));
        value(await credentials.ready("auth:a", never));
        expect([credentials.value("auth:a"), server.forms.length]).toEqual(["access-1", 1]);
      },
      { entry: { expiresAt: createManualClock().now() + 3_600_000 } },
    );
  });

  test("is renewed once for all that wait", async () => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const server = await rotating(3600, gate);
    await withLogin(server.url, async ({ credentials }) => {
      const waits = [1, 2, 3, 4].map(async () => await credentials.ready("auth:a", never));
      open();
      expect(await Promise.all(waits)).toEqual([1, 2, 3, 4].map(() => ok(undefined)));
      expect(server.forms).toHaveLength(1);
    });
  });

  test("whose renewal nobody waits for any more is stored all the same: its server has replaced the token", async () => {
    let open: () => void = () => undefined;
    let asked: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const begun = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const server = await rotating(3600, gate);
    const post: PostForm = async (...args) => {
      asked();
      return await realPost(...args);
    };
    await withLogin(
      server.url,
      async ({ credentials, stored }) => {
        const stop = new AbortController();
        const waiting = credentials.ready("auth:a", stop.signal);
        await begun;
        stop.abort();
        expect(problem(await waiting).code).toBe("credential.stopped");
        open();
        await credentials.close();
        expect(await stored()).toMatchObject({ access: "access-1", refresh: "refresh-1" });
      },
      { deps: { post } },
    );
  });

  test("whose renewal hangs does not keep a process from ending for more than 3 s, nor a run for more than 20 s", async () => {
    let begun: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const post: PostForm = async (_url, _form, signal) => {
      begun();
      return await new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          resolve(err(diagnostic({ code: "test.hung", what: "no answer", why: "w", next: "n" })));
        });
      });
    };
    for (const [ms, closes] of [
      [3000, true],
      [20_000, false],
    ] as const) {
      await withLogin(
        "http://127.0.0.1:9",
        async ({ credentials, clock }) => {
          const waiting = credentials.ready("auth:a", never);
          await asked;
          const closing = closes ? credentials.close() : undefined;
          await clock.sleeping(closes ? 2 : 1);
          await clock.advance(ms);
          await closing;
          expect(problem(await waiting)).toMatchObject({ code: "credential.renewal-failed", exit: 3 });
          expect(clock.pending).toEqual([]);
        },
        { deps: { post }, entry: { expiresAt: 0 } },
      );
    }
  });

  test("that another process has renewed is taken from the file, and no refresh token is spent", async () => {
    const server = await rotating(3600);
    await withLogin(server.url, async ({ credentials, clock }, store) => {
      value(await put(store, "a", login(server.url, clock, { access: "theirs", expiresAt: clock.now() + 3_600_000 })));
      value(await credentials.ready("auth:a", never));
      expect([credentials.value("auth:a"), server.forms.length]).toEqual(["theirs", 0]);
    });
  });

  test("that was replaced by a key, or taken away, meanwhile is what the file says", async () => {
    await withLogin("http://127.0.0.1:9", async ({ credentials }, store) => {
      value(await put(store, "a", { type: "key", key: "a-key" }));
      value(await credentials.ready("auth:a", never));
      expect(credentials.value("auth:a")).toBe("a-key");
    });
    await withLogin("http://127.0.0.1:9", async ({ credentials }, store) => {
      value(await store.update(async () => ok({ entries: new Map(), value: undefined })));
      expect(problem(await credentials.ready("auth:a", never)).code).toBe("credential.unset");
    });
  });

  test.each([
    ["does not take its refresh token any more", 400, { error: "invalid_grant", error_description: "refresh-0 and access-0" }],
    ["does not know this client", 401, { error: "invalid_client" }],
    ["refuses with status 200", 200, { error: "invalid_grant" }],
  ])("whose server %s is over: exit 3, log in again, what is stored is kept", async (_name, status, body) => {
    const server = await answering(status, body);
    await withLogin(server.url, async ({ credentials, clock, stored }) => {
      const told = problem(await credentials.ready("auth:a", never));
      expect(told).toMatchObject({ code: "credential.login-over", exit: 3, next: "Log in again: smith auth login a." });
      expect(JSON.stringify(told)).not.toMatch(/(?:access|refresh)-0/u);
      expect(await stored()).toEqual(login(server.url, clock));
    });
  });

  test.each([
    ["is out of order", 503, "<html>refresh-0</html>"],
    ["limits its rate", 429, { error: "refresh-0" }],
    ["sends no JSON", 200, "refresh-0"],
    ["sends no token", 200, { token_type: "Bearer" }],
    ["sends a token that no header can carry", 200, { access_token: "refresh-0\r\nx: y" }],
    ["sends a token of another kind", 200, { access_token: "refresh-0", token_type: "DPoP" }],
    ["sends somewhere else", 302, ""],
  ])("whose server %s cannot be renewed now: told, and kept", async (_name, status, body) => {
    const server = await answering(status, body);
    await withLogin(
      server.url,
      async ({ credentials, clock, stored }) => {
        const told = problem(await credentials.ready("auth:a", never));
        expect(told).toMatchObject({ code: "credential.renewal-failed", exit: 3, retry: { type: "now" } });
        expect(JSON.stringify(told)).not.toContain("refresh-0");
        expect(await stored()).toEqual(login(server.url, clock, { expiresAt: 0 }));
      },
      { entry: { expiresAt: 0 } },
    );
  });

  test("that is nearly over is still used when its server is not reached", async () => {
    await withLogin("http://127.0.0.1:9", async ({ credentials, clock }) => {
      value(await credentials.ready("auth:a", never));
      expect(credentials.value("auth:a")).toBe("access-0");
      await clock.advance(59_000);
      expect(problem(await credentials.ready("auth:a", never)).code).toBe("credential.renewal-failed");
    });
  });

  test.each([
    ["whose tokens would be sent in the open", "http://id.example/token"],
    ["whose address is none", "token"],
  ])("%s is over, without asking", async (_name, tokenUrl) => {
    const post: PostForm = async () => {
      throw new Error("asked");
    };
    await withLogin(
      "http://127.0.0.1:9",
      async ({ credentials }) => {
        expect(problem(await credentials.ready("auth:a", never)).code).toBe("credential.login-over");
      },
      { entry: { tokenUrl }, deps: { post } },
    );
  });

  test("that has nothing to be renewed with is over when it runs out", async () => {
    await inFolder(async (dir) => {
      const store = storeAt(join(dir, "auth.json"));
      const { refresh: _refresh, ...entry } = login("https://id.example", createManualClock());
      value(await put(store, "a", entry));
      const credentials = credentialsOf({ store, auth: value(await store.read()) });
      expect(problem(await credentials.ready("auth:a", never)).code).toBe("credential.login-over");
    });
  });
});

describe("several processes", () => {
  let program: Program;

  beforeAll(async () => {
    program = await bundled(new URL("../fixtures/renewer.ts", import.meta.url));
  });

  afterAll(async () => {
    await program.remove();
  });

  test("that need one login at once spend its refresh token once, and all have the new access", { timeout: 60_000 }, async () => {
    const server = await rotating(3600);
    await inFolder(async (dir) => {
      const path = join(dir, "auth.json");
      value(await put(storeAt(path), "a", login(server.url, createManualClock(), { expiresAt: 0 })));
      const said = await Promise.all(
        Array.from({ length: 4 }, async () => {
          const child = spawn(process.execPath, [program.path, path, "a"], { stdio: ["ignore", "pipe", "inherit"] });
          return await text(child.stdout);
        }),
      );
      expect(said).toEqual(Array.from({ length: 4 }, () => "access-1\n"));
      expect(server.forms).toHaveLength(1);
      expect(await readFile(path, "utf8")).toContain("refresh-1");
    });
  });
});
