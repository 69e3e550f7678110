import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { err, ok } from "../../../src/base/index.js";
import { type AuthEntry, createAuthStore } from "../../../src/credential/index.js";
import { diagnostic } from "../../../src/schema/index.js";
import { createManualClock } from "../../support/manual-clock.js";
import { bundled, type Program } from "../../session/support/program.js";
import { inFolder, problem, put, storeAt, value } from "../support.js";

const KEY = "sk-test-0123456789abcdefghijklmnop";
const key = (text: string): AuthEntry => ({ type: "key", key: text });
const OAUTH: AuthEntry = {
  type: "oauth",
  access: "access-0123456789abcdef",
  refresh: "refresh-0123456789abcdef",
  expiresAt: 1_700_000_000_000,
  tokenUrl: "https://id.example/token",
  clientId: "smith",
  scopes: ["models", "offline"],
};

const fileOf = (entries: unknown, format: unknown = 1): string => JSON.stringify({ format, entries });
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe("the auth file", () => {
  test("that is not there holds nothing, and reading makes none", async () => {
    await inFolder(async (dir) => {
      const store = storeAt(join(dir, "data", "auth.json"));
      expect(value(await store.read())).toEqual({ entries: new Map(), warnings: [] });
      expect(await readdir(dir)).toEqual([]);
    });
  });

  test("gives back what was put in, is its owner's alone, and so is a folder made for it", async () => {
    await inFolder(async (dir) => {
      const path = join(dir, "data", "auth.json");
      const store = storeAt(path);
      value(await put(store, "anthropic", key(KEY)));
      value(await put(store, "example", OAUTH));
      expect(value(await store.read())).toEqual({
        entries: new Map([
          ["anthropic", key(KEY)],
          ["example", OAUTH],
        ]),
        warnings: [],
      });
      expect(await modeOf(path)).toBe(0o600);
      expect(await modeOf(join(dir, "data"))).toBe(0o700);
      expect((await readdir(join(dir, "data"))).toSorted()).toEqual(["auth.json", "auth.json.lock"]);
    });
  });

  test("may begin with a byte order mark", async () => {
    await inFolder(async (dir) => {
      const path = join(dir, "auth.json");
      await writeFile(path, `\uFEFF${fileOf({ a: key(KEY) })}`, { mode: 0o600 });
      expect(value(await storeAt(path).read()).entries).toEqual(new Map([["a", key(KEY)]]));
    });
  });

  test.each([
    ["empty", ""],
    ["no JSON", `{"format": 1, "entries": {"a": {"type": "key", "key": "${KEY}"`],
    ["a list", "[]"],
    ["of another version", fileOf({}, 2)],
    ["without entries", JSON.stringify({ format: 1 })],
    ["with entries that are a list", fileOf([])],
    ["with a name that is none", fileOf({ "a b": key(KEY) })],
    ["with an entry that is a text", fileOf({ a: KEY })],
    ["with a type nobody knows", fileOf({ a: { type: KEY, key: KEY } })],
    ["with a key that is a number", fileOf({ a: { type: "key", key: 12345678901 }, b: key(KEY) })],
    ["with a time that is a text", fileOf({ a: { ...OAUTH, expiresAt: KEY } })],
    ["with scopes that are a text", fileOf({ a: { ...OAUTH, scopes: KEY } })],
    ["with a refresh token that is null", fileOf({ a: { ...OAUTH, refresh: null } })],
    ["without a token URL", fileOf({ a: { ...OAUTH, tokenUrl: undefined } })],
    ["too large", fileOf({ a: key("x".repeat(1024 * 1024)) })],
  ])("%s is told with its path and what to do, shows no value, and is never replaced", async (_name, text) => {
    await inFolder(async (dir) => {
      const path = join(dir, "auth.json");
      await writeFile(path, text, { mode: 0o600 });
      const store = storeAt(path);
      const told = problem(await store.read());
      expect(told).toMatchObject({ code: "credential.file-broken", source: { type: "file", path }, exit: 3 });
      expect(told.next).toContain("smith auth login");
      expect(JSON.stringify(told)).not.toContain(KEY);
      expect(JSON.stringify(told)).not.toContain("12345678901");
      expect(problem(await put(store, "b", key("other")))).toEqual(told);
      expect(await readFile(path, "utf8")).toBe(text);
    });
  });

  test("that is a folder or a pipe is told, and nobody waits for it", async () => {
    await inFolder(async (dir) => {
      await mkdir(join(dir, "folder"));
      const [made] = (await once(spawn("mkfifo", [join(dir, "pipe")]), "exit")) as [number];
      expect(made).toBe(0);
      for (const name of ["folder", "pipe"]) {
        const told = problem(await storeAt(join(dir, name)).read());
        expect(told).toMatchObject({ code: "credential.file-broken", why: "It is no file." });
      }
    });
  });

  test("that others can read is used with a warning, and closed to them by the next write", async () => {
    await inFolder(async (dir) => {
      const path = join(dir, "auth.json");
      await writeFile(path, fileOf({ a: key(KEY) }));
      await chmod(path, 0o644);
      const store = storeAt(path);
      const { entries, warnings } = value(await store.read());
      expect(entries.size).toBe(1);
      expect(warnings).toMatchObject([{ code: "credential.file-open", severity: "warning", source: { path } }]);
      expect(warnings[0]?.why).toContain("0644");
      value(await put(store, "b", key("other")));
      expect(await modeOf(path)).toBe(0o600);
      expect(value(await store.read()).warnings).toEqual([]);
    });
  });

  test("keeps what it does not know: fields of the file, of entries, other entries", async () => {
    await inFolder(async (dir) => {
      const path = join(dir, "auth.json");
      const file = { format: 1, note: "mine", entries: { a: { ...key(KEY), label: "work" }, z: OAUTH } };
      await writeFile(path, JSON.stringify(file), { mode: 0o600 });
      value(await put(storeAt(path), "b", key("other")));
      expect(JSON.parse(await readFile(path, "utf8"))).toEqual({ ...file, entries: { ...file.entries, b: key("other") } });
    });
  });

  test("that is a link stays one, also to a file that is not there yet, and both names share a lock", async () => {
    await inFolder(async (dir) => {
      await mkdir(join(dir, "real"));
      const [path, real] = [join(dir, "auth.json"), join(dir, "real", "keys.json")];
      await symlink("real/keys.json", path);
      value(await put(storeAt(path), "a", key(KEY)));
      value(await put(storeAt(path), "b", key("other")));
      value(await put(storeAt(real), "c", key("third")));
      expect((await lstat(path)).isSymbolicLink()).toBe(true);
      expect([...value(await storeAt(path).read()).entries.keys()]).toEqual(["a", "b", "c"]);
      expect(await modeOf(real)).toBe(0o600);
      expect((await readdir(join(dir, "real"))).toSorted()).toEqual(["keys.json", "keys.json.lock"]);
    });
  });

  test("that is a ring of links is told", async () => {
    await inFolder(async (dir) => {
      await symlink("b", join(dir, "a"));
      await symlink("a", join(dir, "b"));
      expect(problem(await storeAt(join(dir, "a")).read()).code).toBe("credential.file-broken");
      expect(problem(await put(storeAt(join(dir, "a")), "x", key(KEY))).code).toBe("credential.file-unwritten");
    });
  });

  test("is not written when the change fails, changes nothing, or would be too large", async () => {
    await inFolder(async (dir) => {
      const path = join(dir, "auth.json");
      const store = storeAt(path);
      value(await put(store, "a", key(KEY)));
      const { ino } = await stat(path);
      const refusal = diagnostic({ code: "test.no", what: "w", why: "w", next: "n" });
      expect(problem(await store.update(async () => err(refusal)))).toEqual(refusal);
      expect(value(await store.update(async (entries) => ok({ value: entries.size })))).toBe(1);
      expect(problem(await put(store, "big", key("x".repeat(2 ** 20)))).code).toBe("credential.file-unwritten");
      expect(problem(await put(store, "__proto__", key("x"))).code).toBe("credential.bad-name");
      expect((await stat(path)).ino).toBe(ino);
    });
  });

  test("is not waited for longer than 30 s, nor beyond an abort", async () => {
    await inFolder(async (dir) => {
      const path = join(dir, "auth.json");
      const clock = createManualClock();
      const held = storeAt(path).update(async () => {
        const waiting = storeAt(path, clock).update(async () => ok({ value: "in" }));
        for (let ms = 0; ms < 31_000; ms += 20) {
          await clock.sleeping();
          await clock.advance(20);
          if (clock.monotonic() >= 30_000) break;
        }
        const stop = new AbortController();
        const aborted = storeAt(path, createManualClock()).update(async () => ok({ value: "in" }), stop.signal);
        stop.abort();
        return ok({ value: [await waiting, await aborted] });
      });
      const [waited, aborted] = value(await held);
      expect(waited).toMatchObject({ ok: false, error: { code: "credential.file-busy", retry: { type: "now" } } });
      expect(aborted).toMatchObject({ ok: false, error: { code: "credential.stopped" } });
    });
  });

  test("cannot be locked on a platform without locks: told, not overwritten", async () => {
    await inFolder(async (dir) => {
      const path = join(dir, "auth.json");
      const lock = {
        tryLock: () => {
          throw Object.assign(new Error("ENOLCK: no locks available"), { code: "ENOLCK" });
        },
      };
      const store = createAuthStore({ path, clock: createManualClock(), lock });
      expect(problem(await put(store, "a", key(KEY)))).toMatchObject({ code: "credential.file-unwritten", source: { path } });
      expect(await readdir(dir)).toEqual(["auth.json.lock"]);
    });
  });
});

describe("several processes", () => {
  let program: Program;

  beforeAll(async () => {
    program = await bundled(new URL("../fixtures/updater.ts", import.meta.url));
  });

  afterAll(async () => {
    await program.remove();
  });

  const start = (...args: readonly string[]): ReturnType<typeof spawn> =>
    spawn(process.execPath, [program.path, ...args], { stdio: ["ignore", "pipe", "inherit"] });

  test("that change it at once lose nothing of each other", { timeout: 120_000 }, async () => {
    await inFolder(async (dir) => {
      const path = join(dir, "auth.json");
      const names = ["one", "two", "three"];
      const running = names.map(async (name) => (await once(start(path, name, "25"), "exit")) as readonly unknown[]);
      expect((await Promise.all(running)).map(([status]) => status)).toEqual([0, 0, 0]);
      const { entries } = value(await storeAt(path).read());
      expect(names.map((name) => entries.get(name))).toEqual(names.map(() => key("25")));
    });
  });

  test("of which one is killed at any moment leave a whole file with all that was stored", { timeout: 120_000 }, async () => {
    await inFolder(async (dir) => {
      const path = join(dir, "auth.json");
      value(await put(storeAt(path), "mine", key(KEY)));
      let stored = 0;
      for (let round = 0; round < 10; round += 1) {
        const child = start(path, "theirs");
        const said: string[] = [];
        const { stdout } = child;
        if (stdout === null) throw new Error("no output");
        createInterface({ input: stdout }).on("line", (line) => {
          said.push(line);
          if (said.length === 2 + round) child.kill("SIGKILL");
        });
        await once(child, "close");
        expect(said.filter((line) => line.startsWith("failed"))).toEqual([]);
        const { entries } = value(await storeAt(path).read());
        const theirs = entries.get("theirs");
        const now = Number(theirs?.type === "key" ? theirs.key : "0");
        // The last one may have been stored and not said.
        expect([Number(said.at(-1)), Number(said.at(-1)) + 1]).toContain(now);
        expect(now).toBeGreaterThan(stored);
        expect(entries.get("mine")).toEqual(key(KEY));
        stored = now;
      }
      value(await put(storeAt(path), "after", key("x")));
      expect((await readdir(dir)).toSorted()).toEqual(["auth.json", "auth.json.lock"]);
    });
  });
});
