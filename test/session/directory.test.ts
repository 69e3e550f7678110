import { copyFile, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { SessionId } from "../../src/base/index.js";
import type { ListOptions, SessionStore } from "../../src/session/index.js";
import { createSessionStore } from "../../src/session/index.js";
import { createLocker } from "../../src/session/lock.js";
import type { FileOperations } from "../../src/session/log/index.js";
import { nodeFileOperations } from "../../src/session/log/index.js";
import { createStoreOn } from "../../src/session/store.js";
import { assistant, seqIds, user } from "./support/entries.js";
import { collect, created, depsFor, systemClock, withStore } from "./support/store.js";

const id = (text: string): SessionId => text as SessionId;

/** The store of a directory at a time that stands still. */
const at = (dir: string, ms: number): SessionStore => createSessionStore(depsFor(dir, { clock: { ...systemClock, now: () => ms } }));

describe("a directory of sessions", () => {
  test("is made with mode 0700 at the first session, and lists as empty before", async () => {
    await withStore(async (_store, dir) => {
      const store = createSessionStore(depsFor(`${dir}/deep/sessions`));
      expect(await collect(store.list())).toEqual([]);
      const writer = await created(store);
      expect((await stat(`${dir}/deep/sessions`)).mode & 0o777).toBe(0o700);
      expect((await stat(writer.path)).mode & 0o077).toBe(0);
      await writer.close();
    });
  });

  test("lists the session written last first, with what its summary tells; other files are ignored, damaged ones shown", async () => {
    await withStore(async (store, dir) => {
      const ids = seqIds();
      const paths: string[] = [];
      for (const text of ["first prompt", "second prompt"]) {
        const writer = await created(at(dir, text === "first prompt" ? 1_000_000 : 2_000_000));
        const prompt = user(ids, text);
        writer.commit({
          entries: [{ type: "session-info", id: ids.next(), time: 1, name: text, cwd: "/w" }, prompt, assistant(ids, `answer to ${text}`)],
        });
        await writer.close();
        paths.unshift(writer.path);
      }
      const broken = `${dir}/0190a0a0-0000-7000-8000-0000000000bb.smith`;
      await writeFile(broken, "");
      await writeFile(`${dir}/notes.smith`, "x");
      // Copied together, the older one touched last: what the files say of their age is not the sessions'.
      await Promise.all(paths.map((path, index) => utimes(path, 3000 + index, 3000 + index)));
      await utimes(broken, 1, 1);
      const listed = await collect(store.list());
      expect(listed.map(({ path }) => path)).toEqual([...paths, broken]);
      expect(listed[0]).toMatchObject({
        state: "sound",
        name: "second prompt",
        cwd: "/w",
        model: "offline/rules",
        turns: 1,
        firstPrompt: "second prompt",
        lastText: "answer to second prompt",
        updatedAt: 2_000_000,
      });
      expect(listed[2]).toMatchObject({ state: "damaged", bytes: 0 });
      expect((await collect(store.list({ detail: "header" }))).map(({ state, turns }) => [state, turns])).toEqual([
        ["sound", undefined],
        ["sound", undefined],
        ["damaged", undefined],
      ]);
      expect(await collect(store.list({ signal: AbortSignal.abort() }))).toEqual([]);
    });
  });

  test("a name is an id or a unique ending of at least 4 hex digits", async () => {
    await withStore(async (store) => {
      const first = id("0190a0a0-0000-7000-8000-00000000abcd");
      const second = id("0190a0a0-0000-7000-8000-00000001abcd");
      for (const name of [first, second]) await (await created(store, name)).close();
      expect(await store.resolve(first)).toEqual({ ok: true, value: first });
      expect(await store.resolve("0000-ABCD")).toEqual({ ok: true, value: first });
      expect(await store.resolve("1abcd")).toEqual({ ok: true, value: second });
      expect(await store.resolve("abcd")).toMatchObject({ ok: false, error: { code: "session.ambiguous" } });
      for (const name of ["bcd", "zzzz", "ffff", ""])
        expect(await store.resolve(name)).toMatchObject({ ok: false, error: { code: "session.unknown" } });
      expect(await store.open(id("0190a0a0-0000-7000-8000-000000000000"), "read")).toMatchObject({
        ok: false,
        error: { code: "session.unknown" },
      });
      expect(await store.create({ id: first })).toMatchObject({ ok: false, error: { code: "session.exists" } });
      expect(await store.remove(first)).toEqual({ ok: true, value: undefined });
      expect(await store.remove(first)).toMatchObject({ ok: false, error: { code: "session.unknown" } });
      expect((await collect(store.list())).map((summary) => summary.id)).toEqual([second]);
    });
  });

  describe("listed with filters", () => {
    const OWNER = { pid: 1, host: "elsewhere", startedAt: 1, version: "1" };

    /** Three sessions, last changed 30, 20 and 10 s after the epoch; the second is being written elsewhere, the third damaged. */
    async function three(dir: string): Promise<readonly string[]> {
      const paths = [];
      for (const [index, text] of ["Red fox", "red panda", "Blue whale"].entries()) {
        const ids = seqIds();
        const writer = await created(at(dir, 30_000 - index * 10_000));
        const model = { provider: "maker", model: `Model-${String(index)}` };
        writer.commit({ entries: [{ type: "session-info", id: ids.next(), time: 1, name: text, cwd: `/w/${String(index % 2)}` }] });
        writer.commit({ entries: [user(ids, text), { ...assistant(ids, "yes"), dispatch: model }] });
        await writer.close();
        if (index === 1) await writeFile(`${dir}/${writer.id}.owner`, JSON.stringify(OWNER));
        if (index === 2) await damageFirstCopy(writer.path);
        paths.push(writer.path);
      }
      return paths;
    }

    async function damageFirstCopy(path: string): Promise<void> {
      const bytes = await readFile(path);
      bytes[50] = (bytes[50] ?? 0) ^ 1;
      await writeFile(path, bytes);
    }

    test.each<[ListOptions, readonly string[]]>([
      [{}, ["Red fox", "red panda", "Blue whale"]],
      [{ name: "RED" }, ["Red fox", "red panda"]],
      [{ model: "maker/model-2" }, ["Blue whale"]],
      [{ cwd: "/w/0" }, ["Red fox", "Blue whale"]],
      [{ cwd: "/w" }, []],
      [{ since: 20_000 }, ["Red fox", "red panda"]],
      [{ until: 20_000 }, ["red panda", "Blue whale"]],
      [{ since: 20_001, until: 29_999 }, []],
      [{ state: "busy" }, ["red panda"]],
      [{ state: "sound" }, ["Red fox"]],
      [{ state: "damaged" }, ["Blue whale"]],
      [{ name: "red", cwd: "/w/0", state: "sound", since: 30_000 }, ["Red fox"]],
      [{ detail: "header", name: "whale" }, ["Blue whale"]],
    ])("%j gives %j", async (options, expected) => {
      await withStore(async (store, dir) => {
        await three(dir);
        expect((await collect(store.list(options))).map(({ name }) => name)).toEqual(expected);
      });
    });

    test("what a filter leaves out by age, or by nobody writing it, is not opened; headers alone are one small read", async () => {
      await withStore(async (_, dir) => {
        const paths = await three(dir);
        await Promise.all(paths.map((path, index) => utimes(path, 30 - index * 10, 30 - index * 10)));
        const counted = countingOps();
        const list = async (options: ListOptions): Promise<readonly number[]> => {
          counted.opened = 0;
          counted.bytes = 0;
          const found = await collect(createStoreOn(depsFor(dir), counted.ops, createLocker()).list(options));
          return [found.length, counted.opened, counted.bytes];
        };
        expect(await list({ since: 30_000, detail: "header" })).toEqual([1, 1, 256]);
        expect(await list({ since: 30_001 })).toEqual([0, 0, 0]);
        expect(await list({ state: "busy", detail: "header" })).toEqual([1, 1, 256]);
        expect(await list({ detail: "header" })).toEqual([3, 3, 768]);
      });
    });
  });

  test("a session tells where it was forked from, in its header already", async () => {
    await withStore(async (store) => {
      const writer = await created(store);
      const prompt = user(seqIds(), "hello");
      await writer.commit({ entries: [prompt], leaf: prompt.id }).durable;
      await writer.close();
      const forked = await store.fork(writer.id);
      if (!forked.ok) throw new Error(forked.error.what);
      const origins = new Map((await collect(store.list({ detail: "header" }))).map((summary) => [summary.id, summary.origin]));
      expect(origins).toEqual(
        new Map([
          [writer.id, undefined],
          [forked.value.id, writer.id],
        ]),
      );
      const [newest] = (await collect(store.list())).filter((summary) => summary.id === forked.value.id);
      expect(newest).toMatchObject({ origin: writer.id, turns: 1, firstPrompt: "hello" });
    });
  });

  test("a session without a summary at hand is listed by a bounded look at its beginning and end, however long its texts", async () => {
    await withStore(async (store, dir) => {
      const ids = seqIds();
      const writer = await created(store);
      const first = { ...user(ids, "first prompt") };
      await writer.commit({ entries: [{ type: "session-info", id: ids.next(), time: 1, name: "long", cwd: "/w" }, first] }).durable;
      await writer.commit({ entries: [user(ids, "word ".repeat(2_000_000))] }).durable;
      await writer.commit({ entries: [assistant(ids, "the last answer")] }).durable;
      const path = `${dir}/0190a0a0-0000-7000-8000-0000000000bb.smith`;
      // As a crash leaves it: no summary was written.
      await copyFile(writer.path, path);
      await writer.close();
      const counted = countingOps();
      const listed = await collect(createStoreOn(depsFor(dir), counted.ops, createLocker()).list());
      const crashed = listed.find((summary) => summary.path === path);
      expect(crashed).toMatchObject({ firstPrompt: "first prompt", lastText: "the last answer", bytes: (await stat(path)).size });
      expect(crashed).not.toHaveProperty("turns");
      expect(counted.bytes).toBeLessThan(4 * 1024 * 1024);
    });
  });

  test("a file that the system does not let be read is unreadable, not damaged; one that went away is not listed", async () => {
    await withStore(async (store, dir) => {
      for (let count = 0; count < 3; count += 1) await (await created(store)).close();
      const [first, second, third] = (await collect(store.list())).map(({ path }) => path);
      const refusing: FileOperations = {
        ...nodeFileOperations,
        open: async (path, ...rest) => {
          if (path === first) throw Object.assign(new Error(`EACCES: permission denied, open '${path}'`), { code: "EACCES" });
          if (path === second) throw Object.assign(new Error("ENOENT: gone"), { code: "ENOENT" });
          return nodeFileOperations.open(path, ...rest);
        },
        stat: async (path) => {
          if (path === third) throw Object.assign(new Error("EACCES: no"), { code: "EACCES" });
          return nodeFileOperations.stat(path);
        },
      };
      const refused = createStoreOn(depsFor(dir), refusing, createLocker());
      expect(await collect(refused.list({ state: "unreadable" }))).toMatchObject([
        { path: first, damage: "EACCES: permission denied" },
        { path: third, damage: "EACCES: no" },
      ]);
      expect((await collect(refused.list({ detail: "header" }))).map(({ path }) => path).sort()).toEqual([first, third].sort());
      expect(await collect(refused.list({ state: "damaged" }))).toEqual([]);
    });
  });

  test.each([
    ["123", "at least 4 digits"],
    ["zzzz", "hex digits only"],
    ["1".repeat(33), "has 32 digits"],
    ["ffff", "No session file"],
  ])("%s is no name, and it is said why", async (name, why) => {
    await withStore(async (store) => {
      expect(await store.resolve(name)).toMatchObject({
        ok: false,
        error: { code: "session.unknown", why: expect.stringContaining(why) as string },
      });
    });
  });

  test("a session that cannot be made is named, and nothing is said of the one it is made from", async () => {
    await withStore(async (store, dir) => {
      const writer = await created(store);
      const entry = user(seqIds(), "hello");
      await writer.commit({ entries: [entry], leaf: entry.id }).durable;
      await writer.close();
      const full: FileOperations = {
        ...nodeFileOperations,
        open: async (path, flags, ...rest) => {
          if (flags === "wx+") throw Object.assign(new Error("ENOSPC: no space left on device, open"), { code: "ENOSPC" });
          return nodeFileOperations.open(path, flags, ...rest);
        },
      };
      const broken = createStoreOn(depsFor(dir), full, createLocker());
      const wanted = id("0190a0a0-0000-7000-8000-00000000beef");
      const path = `${dir}/${wanted}.smith`;
      const said = {
        code: "session.storage-full",
        source: { type: "file", path },
        next: expect.stringContaining("Nothing was created") as string,
      };
      expect(await broken.create({ id: wanted })).toMatchObject({ ok: false, error: said });
      expect(await broken.fork(writer.id, { id: wanted })).toMatchObject({ ok: false, error: said });
    });
  });

  test("sessions that share their last 8 digits are called by as many digits as tell them apart", async () => {
    await withStore(async (store, dir) => {
      const writer = await created(store, id("0190a0a0-0000-7000-8000-000011111111"));
      await writer.commit({ entries: [user(seqIds(), "hello")] }).durable;
      await writer.close();
      for (const name of [
        "0190a0a0-0000-7000-8000-000a11111111",
        "0190a0a0-0000-7000-9000-000011111111",
        "0190a0a0-0000-7000-8000-000022222222",
      ])
        await copyFile(writer.path, `${dir}/${name}.smith`);
      const shown = (await collect(store.list())).map(({ id: name, short }) => [name.slice(19), short]);
      expect(Object.fromEntries(shown)).toEqual({
        "8000-000011111111": "8000-000011111111",
        "8000-000a11111111": "a11111111",
        "9000-000011111111": "9000-000011111111",
        "8000-000022222222": undefined,
      });
      for (const [, short] of shown) if (short !== undefined) expect((await store.resolve(short)).ok).toBe(true);
      const found = await collect(store.grep(/hello/, { sessions: [writer.id] }));
      expect(found).toMatchObject([{ session: writer.id, short: "8000-000011111111" }]);
    });
  });

  test("a thousand sessions are listed each once, and listing ends when it is aborted", async () => {
    await withStore(async (store, dir) => {
      const writer = await created(store);
      await writer.commit({ entries: [user(seqIds(), "hello")] }).durable;
      await writer.close();
      const name = (index: number): string => `0190a0a0-0000-7000-8000-${String(index).padStart(12, "0")}`;
      for (let index = 0; index < 1000; index += 1) await copyFile(writer.path, `${dir}/${name(index)}.smith`);
      const listed = await collect(store.list());
      expect(new Set(listed.map((summary) => summary.id)).size).toBe(1001);
      expect(listed.filter((summary) => summary.state === "damaged")).toHaveLength(1000);
      const controller = new AbortController();
      let seen = 0;
      for await (const summary of store.list({ signal: controller.signal })) {
        seen += summary.bytes > 0 ? 1 : 0;
        if (seen === 5) controller.abort();
      }
      expect(seen).toBe(5);
    });
  }, 30_000);
});

interface Counted {
  readonly ops: FileOperations;
  opened: number;
  bytes: number;
}

function countingOps(): Counted {
  const counted: Counted = {
    opened: 0,
    bytes: 0,
    ops: {
      ...nodeFileOperations,
      open: async (path, flags) => {
        counted.opened += 1;
        return nodeFileOperations.open(path, flags);
      },
      read: async (fd, into, position) => {
        const got = await nodeFileOperations.read(fd, into, position);
        counted.bytes += got;
        return got;
      },
    },
  };
  return counted;
}
