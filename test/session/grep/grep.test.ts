import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { EntryId, SessionId } from "../../../src/base/index.js";
import type { Entry } from "../../../src/schema/index.js";
import { grepSessions } from "../../../src/session/grep/index.js";
import type { GrepMatch, GrepOptions, SessionStore, SessionWriter } from "../../../src/session/index.js";
import { nodeFileOperations } from "../../../src/session/log/index.js";
import { assistant, everyEntry, seqIds, user } from "../support/entries.js";
import { collect, created, withStore } from "../support/store.js";

const id = (text: string): SessionId => text as SessionId;
const name = (digits: number): SessionId => id(`0190a0a0-0000-7000-8000-${String(digits).padStart(12, "0")}`);

type Row = readonly (string | number | undefined)[] | { readonly code: string };

async function rows(store: SessionStore, pattern: RegExp, options?: GrepOptions): Promise<readonly Row[]> {
  const found = await collect(store.grep(pattern, options));
  return found.map((one) => ("damage" in one ? { code: one.damage.code } : [one.type, one.part, one.line, one.text]));
}

const texts = async (store: SessionStore, pattern: RegExp, options?: GrepOptions): Promise<readonly string[]> =>
  (await collect(store.grep(pattern, options))).map((one) => ("damage" in one ? one.damage.code : one.text));

async function session(store: SessionStore, digits: number, entries: readonly Entry[]): Promise<SessionWriter> {
  const writer = await created(store, name(digits));
  for (const entry of entries) await writer.commit({ entries: [entry], leaf: entry.id }).durable;
  await writer.close();
  return writer;
}

describe("grep", () => {
  test("finds every matching line of the conversation with its place, in short, compressed and chunked texts", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const writer = await created(store);
      const filler = "nothing to see here\n".repeat(500);
      const long = user(ids, `${filler.repeat(20)}the needle (1)\r\nmore`);
      const middle = user(ids, `${filler}the needle (2)`);
      writer.commit({ entries: everyEntry(ids) });
      writer.commit({ entries: [user(ids, "the Needle"), middle, long] });
      await writer.close();
      expect(await rows(store, /needle \(\d\)/g)).toEqual([
        ["user-message", "text", 501, "the needle (2)"],
        ["user-message", "text", 10_001, "the needle (1)"],
      ]);
      expect(await rows(store, /NEEDLE$/i)).toEqual([["user-message", "text", 1, "the Needle"]]);
      expect(await rows(store, /^(content|\+b|I will\.|hm)$/)).toEqual([
        ["assistant", "text", 1, "I will."],
        ["assistant", "thinking", 1, "hm"],
        ["tool-result", "output", 1, "content"],
        ["tool-result", "diff", 2, "+b"],
      ]);
      expect(await rows(store, /"b":1/)).toEqual([["tool-call", "args", 1, '{"b":1,"a":[]}']]);
      expect(await rows(store, /needle/, { sessions: [] })).toEqual([]);
      expect(await rows(store, /needle/, { signal: AbortSignal.abort() })).toEqual([]);
      expect(await rows(store, /x/, { sessions: [name(0)] })).toEqual([{ code: "session.storage-failed" }]);
    });
  });

  test("leaves the instructions for the model out unless they are asked for", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const prompt: Entry = { type: "prompt", id: ids.next<EntryId>(), time: 1, generation: 1, system: "a needle", tools: [] };
      await session(store, 1, [prompt, user(ids, "the needle", prompt.id)]);
      expect(await texts(store, /needle/)).toEqual(["the needle"]);
      expect(await texts(store, /needle/, { branch: "selected" })).toEqual(["the needle"]);
      expect(await texts(store, /needle/, { types: new Set(["prompt"]) })).toEqual(["a needle"]);
    });
  });

  test("searches entries of the given types, also those that are no part of the conversation", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const submission: Entry = {
        type: "submission",
        id: ids.next(),
        time: 1,
        submission: ids.next(),
        work: ids.next(),
        delivery: "turn",
        text: "find me (admitted)",
      };
      await session(store, 1, [user(ids, "find me (asked)"), assistant(ids, "find me (answered)"), submission]);
      expect(await texts(store, /find me/)).toEqual(["find me (asked)", "find me (answered)"]);
      expect(await texts(store, /find me/, { types: new Set(["assistant"]) })).toEqual(["find me (answered)"]);
      expect(await texts(store, /find me/, { types: new Set(["submission", "user-message"]) })).toEqual([
        "find me (asked)",
        "find me (admitted)",
      ]);
      expect(await texts(store, /find me/, { types: new Set() })).toEqual([]);
    });
  });

  test("searches everything recorded, or the selected branch, or the branch that ends at an entry", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const root = user(ids, "at the root");
      const left = assistant(ids, "at the left", root.id);
      const leftLeaf = user(ids, "at the left leaf", left.id);
      const right = assistant(ids, "at the right", root.id);
      const writer = await created(store, name(1));
      writer.commit({ entries: [root, left], leaf: left.id });
      writer.commit({ entries: [right, leftLeaf], leaf: leftLeaf.id });
      const rightLeaf = user(ids, "at the right leaf", right.id);
      writer.commit({ entries: [rightLeaf], leaf: rightLeaf.id });
      const moved: Entry = { type: "leaf", id: ids.next(), time: 1, from: rightLeaf.id, to: right.id };
      writer.commit({ entries: [moved], leaf: right.id });
      await writer.close();
      expect(await texts(store, /at the/)).toHaveLength(5);
      expect(await texts(store, /at the/, { branch: "selected" })).toEqual(["at the root", "at the right"]);
      expect(await texts(store, /at the/, { sessions: [name(1)], branch: { leaf: leftLeaf.id } })).toEqual([
        "at the root",
        "at the left",
        "at the left leaf",
      ]);
      expect(await texts(store, /at the/, { branch: "selected", types: new Set(["user-message"]) })).toEqual(["at the root"]);
      const missing = id("0190a0a0-0000-7000-8000-0000000000ff") as unknown as EntryId;
      expect(await texts(store, /at the/, { sessions: [name(1)], branch: { leaf: missing } })).toEqual(["session.branch-broken"]);
      expect(await texts(store, /at the/, { sessions: [name(1)], branch: { leaf: moved.id } })).toEqual(["session.branch-target"]);
    });
  });

  test("gives the lines around a match, fewer where the text begins or ends", async () => {
    await withStore(async (store) => {
      await session(store, 1, [user(seqIds(), "one\r\ntwo\n\nfour needle\nfive\n"), user(seqIds(), "needle")]);
      const [first, second] = (await collect(store.grep(/needle/, { before: 2, after: 3 }))) as readonly GrepMatch[];
      expect([first?.before, first?.text, first?.after]).toEqual([["two", ""], "four needle", ["five"]]);
      expect([second?.before, second?.text, second?.after]).toEqual([[], "needle", []]);
      const [bare] = (await collect(store.grep(/needle/))) as readonly GrepMatch[];
      expect(Object.keys(bare ?? {}).sort()).toEqual(["entry", "line", "part", "session", "text", "time", "type"]);
    });
  });

  test("goes from the newest session to the oldest, or the other way, or as given, and leaves one after so many matches", async () => {
    await withStore(async (store) => {
      for (const digits of [2, 1, 3]) {
        const ids = seqIds();
        await session(store, digits, [user(ids, `needle ${digits}a\nneedle ${digits}b`), user(ids, `needle ${digits}c`)]);
      }
      expect(await texts(store, /needle \da/)).toEqual(["needle 3a", "needle 2a", "needle 1a"]);
      expect(await texts(store, /needle \da/, { oldestFirst: true })).toEqual(["needle 1a", "needle 2a", "needle 3a"]);
      expect(await texts(store, /needle \da/, { sessions: [name(1), name(3)] })).toEqual(["needle 1a", "needle 3a"]);
      expect(await texts(store, /needle \da/, { sessions: [name(3), name(1)], oldestFirst: true })).toEqual(["needle 1a", "needle 3a"]);
      expect(await texts(store, /needle/, { maxPerSession: 1 })).toEqual(["needle 3a", "needle 2a", "needle 1a"]);
      expect(await texts(store, /needle/, { maxPerSession: 2, sessions: [name(2)] })).toEqual(["needle 2a", "needle 2b"]);
      expect(await texts(store, /needle/, { maxPerSession: 0 })).toEqual([]);
    });
  });

  test("damage is told and the rest is searched, also when the damaged text could not have matched", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const { path } = await session(store, 1, [user(ids, "needle before"), user(ids, "unlucky text"), user(ids, "needle after")]);
      await session(store, 2, [user(ids, "needle elsewhere")]);
      const bytes = await readFile(path);
      bytes[bytes.indexOf("unlucky")] = 0x58;
      await writeFile(path, bytes);
      expect(await texts(store, /needle/)).toEqual(["needle elsewhere", "needle before", "needle after", "session.damaged"]);
      await writeFile(path, bytes.subarray(0, 100));
      expect(await texts(store, /needle/)).toEqual(["needle elsewhere", "session.unreadable"]);
    });
  });

  test("of a branch that is broken, what can be followed is searched", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      const root = user(ids, "needle root");
      const middle = user(ids, "needle middle", root.id);
      const leaf = user(ids, "needle leaf", middle.id);
      const { path } = await session(store, 1, [root, middle, leaf]);
      const bytes = await readFile(path);
      const at = bytes.indexOf(Buffer.from(middle.id.replaceAll("-", ""), "hex"));
      bytes[at] = (bytes[at] ?? 0) ^ 0xff;
      await writeFile(path, bytes);
      const found = await texts(store, /needle/, { branch: "selected" });
      expect(found).toEqual(["session.branch-broken", "needle leaf", "session.damaged"]);
    });
  });

  test("every character is searched as it was said, whatever it is encoded in", async () => {
    await withStore(async (store) => {
      await session(store, 1, [user(seqIds(), "a\u0301 水 😀 ﬁ\nΣίγμα\u2028still this line\nlast")]);
      expect(await rows(store, /😀|Σ/u)).toEqual([
        ["user-message", "text", 1, "a\u0301 水 😀 ﬁ"],
        ["user-message", "text", 2, "Σίγμα\u2028still this line"],
      ]);
      expect(await rows(store, /ΣΊΓΜΑ/i)).toHaveLength(1);
      expect(await rows(store, /\p{Emoji_Presentation}/u)).toHaveLength(1);
      expect(await rows(store, /\ud83d/)).toHaveLength(1);
    });
  });

  test("what is yielded was found before the rest is read", async () => {
    await withStore(async (store, dir) => {
      const ids = seqIds();
      const many = Array.from({ length: 40 }, (_, index) => user(ids, `needle ${index} ${"x".repeat(60_000)}`));
      const writer = await created(store, name(1));
      for (const entry of many) writer.commit({ entries: [entry] });
      await writer.close();
      let read = 0;
      const ops = {
        ...nodeFileOperations,
        read: async (fd: number, into: Uint8Array, position: number) => {
          read = Math.max(read, position + into.length);
          return nodeFileOperations.read(fd, into, position);
        },
      };
      // The end of the file is judged first.
      const seen: number[] = [];
      for await (const found of grepSessions({ ops, dir, pattern: /needle \d+/, options: {} })) {
        if (seen.length === 0) read = 0;
        expect("damage" in found).toBe(false);
        seen.push(read);
      }
      expect(seen).toHaveLength(40);
      expect(seen[10]).toBeLessThan(1_600_000);
    });
  });

  test("an aborted search ends at once, in the middle of a session and between two", async () => {
    await withStore(async (store) => {
      const ids = seqIds();
      await session(store, 2, [user(ids, "needle\n".repeat(5000)), user(ids, "needle")]);
      await session(store, 1, [user(ids, "needle")]);
      for (const after of [1, 700, 5001]) {
        const controller = new AbortController();
        let found = 0;
        for await (const one of store.grep(/needle/, { signal: controller.signal })) {
          expect("damage" in one).toBe(false);
          found += 1;
          if (found === after) controller.abort();
        }
        expect(found).toBe(after);
      }
    });
  });

  test("a pattern that would never end is stopped, told, and given up when it goes on like that", async () => {
    await withStore(async (store, dir) => {
      const ids = seqIds();
      const trap = `${"a".repeat(200)}!`;
      const request = { ops: nodeFileOperations, dir, pattern: /^(a+)+$/, options: {}, deadlineMs: 100 };
      await session(store, 1, [user(ids, `aa\n${trap}\naaa`), user(ids, "aaaa")]);
      const some = await collect(grepSessions(request));
      expect(some.map((one) => ("damage" in one ? one.damage.code : one.text))).toEqual(["aa", "session.pattern-slow", "aaaa"]);
      await session(
        store,
        2,
        [1, 2, 3, 4].map(() => user(ids, trap)),
      );
      const given = await collect(grepSessions(request));
      expect(given.map((one) => ("damage" in one ? one.damage.what.includes("given up") : one.text))).toEqual([false, false, true]);
    });
  });

  test("a long text is searched to its last line, and all its lines can match", async () => {
    await withStore(async (store) => {
      const line = "some text that stands on one line of many\n";
      const writer = await created(store, name(1));
      const text = line.repeat(Math.ceil((6 * 1024 * 1024) / line.length));
      writer.commit({ entries: [user(seqIds(), `${text}the needle`)] });
      await writer.close();
      const lines = text.length / line.length;
      for (const pattern of [/the needle/, /[t]he need\w+$/, /(?=the)the need/]) {
        expect(await rows(store, pattern)).toEqual([["user-message", "text", lines + 1, "the needle"]]);
      }
      let count = 0;
      for await (const found of store.grep(/^some/)) count += "damage" in found ? 0 : 1;
      expect(count).toBe(lines);
    });
  }, 60_000);

  test("many sessions are searched one after the other", async () => {
    await withStore(async (store) => {
      for (let digits = 1; digits <= 60; digits += 1)
        await session(store, digits, [user(seqIds(), digits % 2 === 0 ? "even needle" : "odd")]);
      expect(await texts(store, /needle/)).toHaveLength(30);
    });
  }, 30_000);
});
