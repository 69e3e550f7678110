import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { EntryId } from "../../src/base/index.js";
import { type LiveBench, withLive } from "./live-bench.js";
import { storedAt, valueOf, valuesOf } from "./stored.js";

/** A session with one turn that nobody has open. */
async function recorded(bench: LiveBench): Promise<void> {
  const live = bench.create();
  await live.turn("a", "A");
  await live.session.close();
}

describe("inspection of stored sessions", () => {
  test("gives entries by branch, by type, and as they come", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      await live.turn("b", "B");
      const first = (await bench.entries()).find((entry) => entry.type === "assistant")?.id;
      await live.session.navigate(first);
      await live.turn("c", "C");
      const { inspection } = storedAt(bench.dir);
      const texts = async (options: Parameters<typeof inspection.entries>[1]): Promise<readonly string[]> =>
        (await valuesOf(inspection.entries(bench.id, options))).flatMap((entry) => (entry.type === "user-message" ? [entry.text] : []));
      expect(await texts({})).toEqual(["a", "b", "c"]);
      expect(await texts({ branch: "selected" })).toEqual(["a", "c"]);
      const left = (await bench.entries()).findLast((entry) => entry.type === "assistant" && entry.text === "B")?.id as EntryId;
      expect(await texts({ branch: left })).toEqual(["a", "b"]);
      const only = await valuesOf(inspection.entries(bench.id, { types: new Set(["assistant"]) }));
      expect(only.map((entry) => entry.type)).toEqual(["assistant", "assistant", "assistant"]);
      const branchOnly = await valuesOf(inspection.entries(bench.id, { branch: "selected", types: new Set(["assistant"]) }));
      expect(branchOnly).toMatchObject([{ text: "A" }, { text: "C" }]);
    });
  });

  test("follows a session that is written until it is stopped", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      const { inspection } = storedAt(bench.dir);
      const stop = new AbortController();
      const seen: string[] = [];
      const following = (async () => {
        for await (const entry of inspection.entries(bench.id, { follow: true, signal: stop.signal, types: new Set(["user-message"]) })) {
          const one = valueOf(entry);
          if (one.type === "user-message") seen.push(one.text);
          if (seen.length === 2) stop.abort();
        }
      })();
      await live.turn("b", "B");
      await following;
      expect(seen).toEqual(["a", "b"]);
    });
  });

  test("rebuilds requests and what the model would be sent now, from the file alone", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      const target = (await bench.entries()).find((entry) => entry.type === "user-message")?.id as EntryId;
      await live.session.editContext([{ target, operation: "replace", text: "z" }]);
      await live.turn("b", "B");
      await live.session.close();
      const { inspection } = storedAt(bench.dir);
      expect(valueOf(await inspection.projected(bench.id))).toMatchObject([
        { role: "user", text: "z" },
        { role: "assistant", text: "A" },
        { role: "user", text: "b" },
        { role: "assistant", text: "B" },
      ]);
      const first = valueOf(await inspection.request(bench.id, 1));
      expect(first).toMatchObject({ number: 1, system: "be good", tools: [], messages: [{ role: "user", text: "a" }], verified: "yes" });
      const second = valueOf(await inspection.request(bench.id, 2));
      expect(second).toMatchObject({ number: 2, messages: [{ text: "z" }, { text: "A" }, { text: "b" }], verified: "yes" });
      const byId = valueOf(await inspection.request(bench.id, second.request.request.slice(-8)));
      expect(byId).toEqual(second);
      expect(valueOf(await inspection.request(bench.id, second.request.id.slice(-8)))).toEqual(second);
      expect(await inspection.request(bench.id, 3)).toMatchObject({ ok: false, error: { code: "agent.request-unknown" } });
    });
  });

  test("of a request that a repair took messages from says what is left, and that the rest is lost", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("unlucky words", "A");
      await live.turn("b", "B");
      await live.session.close();
      const { inspection, maintenance } = storedAt(bench.dir);
      const path = join(bench.dir, `${bench.id}.smith`);
      const bytes = await readFile(path);
      for (let at = bytes.indexOf("unlucky words"); at >= 0; at = bytes.indexOf("unlucky words", at)) bytes.write("X", at);
      await writeFile(path, bytes);
      valueOf(await maintenance.repair(bench.id));
      const found = valueOf(await inspection.request(bench.id, 2));
      expect(found).toMatchObject({ verified: "no", lost: true, request: { messageCount: 3 } });
      expect(JSON.stringify(found.messages)).not.toContain("unlucky");
    });
  });

  test("takes only an entry of the history for the end of a branch", async () => {
    await withLive(async (bench) => {
      await recorded(bench);
      const { inspection } = storedAt(bench.dir);
      const entries = await bench.entries();
      const idOf = (type: string): string => entries.find((entry) => entry.type === type)?.id ?? "";
      const refused = await inspection.resolveEntry(bench.id, idOf("receipt"), { leaf: true });
      expect(refused).toMatchObject({ ok: false, error: { code: "session.branch-target" } });
      expect(await inspection.resolveEntry(bench.id, idOf("receipt"))).toEqual({ ok: true, value: idOf("receipt") });
      expect(await inspection.resolveEntry(bench.id, idOf("assistant"), { leaf: true })).toEqual({ ok: true, value: idOf("assistant") });
    });
  });

  test("finds an entry by the end of its id, and what is damaged is reported beside what is sound", async () => {
    await withLive(async (bench) => {
      await recorded(bench);
      const { inspection } = storedAt(bench.dir);
      const [entry] = await bench.entries();
      if (entry === undefined) throw new Error("nothing recorded");
      expect(await inspection.resolveEntry(bench.id, entry.id)).toEqual({ ok: true, value: entry.id });
      expect(await inspection.resolveEntry(bench.id, "ffffffff")).toMatchObject({ ok: false, error: { code: "session.entry-unknown" } });
      const path = join(bench.dir, `${bench.id}.smith`);
      const bytes = await readFile(path);
      bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
      await writeFile(path, bytes);
      const found: string[] = [];
      for await (const item of inspection.entries(bench.id)) found.push(item.ok ? "entry" : item.error.code);
      const verified: string[] = [];
      for await (const item of inspection.verify(bench.id))
        verified.push(item.ok ? ("severity" in item.value ? item.value.severity : "report") : item.error.code);
      expect([found.includes("session.damaged"), verified.includes("damage"), verified.at(-1)]).toEqual([true, true, "report"]);
    });
  });

  test("searches with the options given, and takes no lock", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("needle in a", "A");
      const { inspection } = storedAt(bench.dir);
      const matches = await valuesOf(inspection.grep(/needle/u, { types: new Set(["user-message"]), branch: "selected" }));
      expect(matches).toMatchObject([{ session: bench.id, type: "user-message", text: "needle in a" }]);
      expect(await valuesOf(inspection.grep(/needle/u, { types: new Set(["assistant"]) }))).toEqual([]);
      await live.turn("b", "B");
    });
  });

  test("lists by folder, newest first, without what is elsewhere", async () => {
    await withLive(async (bench) => {
      await recorded(bench);
      const { inspection } = storedAt(bench.dir);
      const listed = async (cwd: string): Promise<number> => {
        let count = 0;
        for await (const summary of inspection.list({ cwd })) count += summary.id === bench.id ? 1 : 0;
        return count;
      };
      expect([await listed("/project"), await listed("/elsewhere")]).toEqual([1, 0]);
    });
  });

  test("of a session that is not there says so, whatever is asked", async () => {
    await withLive(async (bench) => {
      const { inspection } = storedAt(bench.dir);
      const unknown = { ok: false, error: { code: "session.unknown" } };
      expect(await inspection.projected(bench.id)).toMatchObject(unknown);
      expect(await inspection.request(bench.id, 1)).toMatchObject(unknown);
      expect(await inspection.resolveEntry(bench.id, "abcd")).toMatchObject(unknown);
      for (const items of [inspection.entries(bench.id), inspection.dump(bench.id), inspection.verify(bench.id)]) {
        const all = [];
        for await (const item of items) all.push(item);
        expect(all).toMatchObject([unknown]);
      }
    });
  });
});
