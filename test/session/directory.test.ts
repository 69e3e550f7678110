import { stat, utimes, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { SessionId } from "../../src/base/index.js";
import { requiredLiteral } from "../../src/session/grep/literal.js";
import { createSessionStore } from "../../src/session/index.js";
import { assistant, everyEntry, seqIds, user } from "./support/entries.js";
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

  test("grep finds every matching line of the conversation with its place, in short, compressed and chunked texts", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const writer = await created(store);
      const filler = "nothing to see here\n".repeat(500);
      const long = user(ids, `${filler.repeat(20)}the needle (1)\r\nmore`);
      const middle = user(ids, `${filler}the needle (2)`);
      writer.commit({ entries: everyEntry(ids) });
      writer.commit({ entries: [user(ids, "the Needle"), middle, long] });
      await writer.close();
      const find = async (pattern: RegExp): Promise<readonly unknown[]> =>
        (await collect(store.grep(pattern))).map((found) => ("damage" in found ? found : [found.type, found.part, found.line, found.text]));
      expect(await find(/needle \(\d\)/g)).toEqual([
        ["user-message", "text", 501, "the needle (2)"],
        ["user-message", "text", 10_001, "the needle (1)"],
      ]);
      expect(await find(/NEEDLE$/i)).toEqual([["user-message", "text", 1, "the Needle"]]);
      expect(await find(/^(content|\+b|I will\.|hm)$/)).toEqual([
        ["assistant", "text", 1, "I will."],
        ["assistant", "thinking", 1, "hm"],
        ["tool-result", "output", 1, "content"],
        ["tool-result", "diff", 2, "+b"],
      ]);
      expect(await find(/"b":1/)).toEqual([["tool-call", "args", 1, '{"b":1,"a":[]}']]);
      expect(await collect(store.grep(/needle/, { sessions: [] }))).toEqual([]);
      expect(await collect(store.grep(/needle/, { signal: AbortSignal.abort() }))).toEqual([]);
      expect(await collect(store.grep(/x/, { sessions: [id("0190a0a0-0000-7000-8000-000000000000")] }))).toMatchObject([
        { damage: { code: "session.storage-failed" } },
      ]);
    });
  });

  test.each([
    [/needle/, "needle"],
    [/ne+dle/, "dle"],
    [/foo\d+barbar/, "barbar"],
    [/a\.b\/c/, "a.b/c"],
    [/[abc]xyz?q/, "xy"],
    [/é水/u, "é水"],
    [/x{2}ab/, "ab"],
    [/ab\u0041cd\x41/, "ab"],
    [/^ab$/m, "ab"],
  ])("the literal every match of %s holds is %s", (pattern, literal) => {
    expect(requiredLiteral(pattern)?.toString("utf8")).toBe(literal);
  });

  test.each([[/foo|bar/], [/(foo)?bar/], [/foo/i], [/./], [/a?b?/], [new RegExp("[[a-z]foo]", "v")]])(
    "no literal is promised for %s",
    (pattern) => {
      expect(requiredLiteral(pattern)).toBeUndefined();
    },
  );
});
