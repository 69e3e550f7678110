import { stat, utimes, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { SessionId } from "../../src/base/index.js";
import { createSessionStore } from "../../src/session/index.js";
import { assistant, seqIds, user } from "./support/entries.js";
import { collect, created, depsFor, withStore } from "./support/store.js";

const id = (text: string): SessionId => text as SessionId;

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
        const writer = await created(store);
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
      await Promise.all([...paths, broken].map((path, index) => utimes(path, 2000 - index, 2000 - index)));
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
      expect(await store.create({ id: first })).toMatchObject({ ok: false, error: { code: "session.storage-failed" } });
      expect(await store.remove(first)).toEqual({ ok: true, value: undefined });
      expect(await store.remove(first)).toMatchObject({ ok: false, error: { code: "session.unknown" } });
      expect((await collect(store.list())).map((summary) => summary.id)).toEqual([second]);
    });
  });
});
