import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CallId } from "../../src/base/index.js";
import type { Entry } from "../../src/schema/index.js";
import { answer, toolCall } from "../agent/fixtures.js";
import { onDisk } from "./faulty-disk.js";
import { gate, withLive } from "./live-bench.js";

const done = (text: string) => ({ type: "done", result: answer(text) }) as const;
const read = { ...toolCall("read"), call: "00000000-0000-7000-8000-00000000ca11" as CallId };

const conversation = (entries: readonly Entry[]): readonly string[] =>
  entries.flatMap((entry) => (entry.type === "user-message" || (entry.type === "assistant" && entry.text !== "") ? [entry.text] : []));

describe("uncertain storage stops mutation until recovery establishes a usable committed boundary", () => {
  test.each([
    ["no space to write", { error: "ENOSPC" }, "write", "session.storage-full"],
    ["an input/output error on write", { error: "EIO" }, "write", "session.storage-failed"],
    ["an input/output error on sync", { error: "EIO" }, "fdatasync", "session.storage-failed"],
  ] as const)("%s: input is refused with that error, nothing runs, and it goes on once the disk is well", async (_, fault, on, code) => {
    await onDisk(async (bench, disk) => {
      const live = bench.create();
      await live.turn("a", "A");
      disk.on = on;
      disk.fault = fault;
      const refused = { ok: false, error: { code } };
      expect(await live.session.submit({ text: "b" })).toMatchObject(refused);
      expect(await live.session.submit({ text: "c" })).toMatchObject({ ok: false });
      expect(await live.session.rename("n")).toMatchObject({ ok: false });
      expect(live.rounds()).toBe(1);
      disk.fault = undefined;
      const receipt = await live.submit("d");
      (await live.nextRound()).end(done("D"));
      expect(await receipt.settled).toMatchObject({ status: "ok", reply: "D" });
      await live.session.close();
      const texts = conversation(await bench.entries());
      expect([texts.slice(0, 2), texts.slice(-2)]).toEqual([
        ["a", "A"],
        ["d", "D"],
      ]);
      expect(live.rounds()).toBe(2);
    });
  });

  test("a turn that was running ends as failed storage, its receipt is not made up, and the next input settles it in the file", async () => {
    await onDisk(async (bench, disk) => {
      const live = bench.create();
      const first = await live.submit("a");
      const round = await live.nextRound();
      disk.fault = { error: "ENOSPC" };
      round.end({ type: "done", result: answer("", [read]) });
      expect(await first.settled).toMatchObject({ status: "error", reason: "storage" });
      expect(await live.session.receipt(first.submission)).toMatchObject({ value: { state: "interrupted" } });
      disk.fault = undefined;
      const second = await live.submit("b");
      expect(await live.session.receipt(first.submission)).toMatchObject({ value: { state: "settled", end: { status: "aborted" } } });
      (await live.nextRound()).end(done("B"));
      expect(await second.settled).toMatchObject({ status: "ok" });
      expect(live.session.status().running).toBe(false);
    });
  });

  test("input that waited is not lost: it is shown again and delivered by the recovered session", async () => {
    await onDisk(async (bench, disk) => {
      const live = bench.create();
      const first = await live.submit("a");
      const round = await live.nextRound();
      const waiting = await live.submit("b", { delivery: "follow-up" });
      disk.fault = { error: "ENOSPC" };
      round.end(done("A"));
      await first.settled;
      expect(await waiting.settled).toMatchObject({ reason: "storage" });
      disk.fault = undefined;
      const third = await live.submit("c");
      expect(live.session.status().queue).toMatchObject([{ submission: waiting.submission, text: "b" }]);
      (await live.nextRound()).end(done("C"));
      (await live.nextRound()).end(done("B"));
      expect(await third.settled).toMatchObject({ status: "ok" });
      await live.session.close();
      expect(await bench.reopen().then(async (again) => await again.session.receipt(waiting.submission))).toMatchObject({
        value: { state: "settled", end: { status: "ok" } },
      });
    });
  });

  test("a key whose admission was lost with the storage is free; one whose admission survived is found", async () => {
    await onDisk(async (bench, disk) => {
      const live = bench.create();
      await live.turn("a", "A");
      disk.fault = { error: "ENOSPC" };
      expect((await live.session.submit({ text: "b", key: "k" })).ok).toBe(false);
      disk.fault = undefined;
      const receipt = await live.submit("b", { key: "k" });
      (await live.nextRound()).end(done("B"));
      await receipt.settled;
      const admissions = (await bench.entries()).filter((entry) => entry.type === "submission" && entry.key === "k");
      expect(admissions).toHaveLength(1);
    });
  });

  test("the first input of a session can fail and be sent again", async () => {
    await onDisk(async (bench, disk) => {
      const live = bench.create();
      disk.fault = { error: "ENOSPC" };
      expect((await live.session.submit({ text: "a" })).ok).toBe(false);
      disk.fault = undefined;
      await live.turn("a", "A");
      await live.session.close();
      const entries = await bench.entries();
      expect(conversation(entries)).toEqual(["a", "A"]);
      expect(entries.filter((entry) => entry.type === "session-info")).toMatchObject([{ name: "a", cwd: "/project" }]);
    });
  });

  test("followers go on behind the recovery from where they were", async () => {
    await onDisk(async (bench, disk) => {
      const live = bench.create();
      await live.turn("a", "A");
      const attached = await live.session.attach({ limit: 10 });
      if (!attached.ok) throw new Error(attached.error.what);
      disk.fault = { error: "ENOSPC" };
      expect((await live.session.submit({ text: "b" })).ok).toBe(false);
      disk.fault = undefined;
      const stop = new AbortController();
      const seen: string[] = [];
      const following = (async () => {
        for await (const item of live.session.changes({ from: attached.value.position, signal: stop.signal })) {
          if (!item.ok) throw new Error(item.error.what);
          for (const event of item.value.events) if ("text" in event && event.type !== "notice") seen.push(event.text);
          if (seen.includes("D")) stop.abort();
        }
      })();
      await live.turn("d", "D");
      await following;
      expect(seen).toEqual(["d", "D"]);
    });
  });

  test("a recovery that fails as well admits nothing; the session can be read on and is tried again", async () => {
    await onDisk(async (bench, disk) => {
      const live = bench.create();
      await live.turn("a", "A");
      disk.fault = { error: "ENOSPC" };
      expect((await live.session.submit({ text: "b" })).ok).toBe(false);
      // The file is let go of, and opening it again fails too.
      disk.on = "fdatasync";
      disk.fault = { error: "EIO" };
      const second = await live.session.submit({ text: "b" });
      expect(second.ok).toBe(false);
      const page = await live.session.backlog({ limit: 10 });
      expect(page.events.flatMap((event) => (event.type === "user" ? [event.text] : []))).toEqual(["a"]);
      disk.fault = undefined;
      await live.turn("c", "C");
    });
  });
});

describe("closing", () => {
  test("while a recovery is under way admits nothing and leaves the file free", async () => {
    await onDisk(async (bench, disk) => {
      const live = bench.create();
      await live.turn("a", "A");
      disk.fault = { error: "ENOSPC" };
      expect((await live.session.submit({ text: "b" })).ok).toBe(false);
      disk.fault = undefined;
      const opening = gate();
      live.knobs.beforeOpen = opening.pass;
      const submitted = live.session.submit({ text: "c" });
      await opening.reached;
      const closed = live.session.close();
      opening.open();
      expect(await submitted).toMatchObject({ ok: false, error: { code: "session.closed" } });
      await closed;
      const again = await bench.reopen();
      expect(conversation(await bench.entries())).toEqual(["a", "A"]);
      await again.turn("d", "D");
    });
  });

  test("with storage that failed lets the file go, and nothing that was in flight opens it again", async () => {
    await onDisk(async (bench, disk) => {
      const live = bench.create();
      await live.turn("a", "A");
      disk.fault = { error: "ENOSPC" };
      expect((await live.session.submit({ text: "b" })).ok).toBe(false);
      await live.session.close();
      disk.fault = undefined;
      expect(await live.session.submit({ text: "c" })).toMatchObject({ ok: false, error: { code: "session.closed" } });
      expect((await live.session.rename("n")).ok).toBe(false);
      const again = await bench.reopen();
      await again.turn("d", "D");
    });
  });
});

describe("damage", () => {
  test("is told once in the life of a session: with the first page, and not again with input", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "lost words");
      await live.turn("b", "B");
      await live.session.close();
      const path = join(bench.dir, `${bench.id}.smith`);
      const bytes = await readFile(path);
      const at = bytes.indexOf("lost words");
      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      await writeFile(path, bytes);
      const again = await bench.reopen();
      const told = async (): Promise<number> => {
        const { events } = await again.session.backlog({ limit: 10 });
        return events.filter((event) => event.type === "notice" && event.text.includes("cannot be read")).length;
      };
      expect([await told(), await told()]).toEqual([1, 0]);
      expect(await again.session.rename("n")).toMatchObject({ ok: false });
      expect(again.events.filter((event) => event.type === "notice")).toEqual([]);
    });
  });
});

describe("a torn end", () => {
  test("is told once, with where the copy is (session-1)", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      await live.session.close();
      const path = join(bench.dir, `${bench.id}.smith`);
      await appendFile(path, Buffer.alloc(700, 0xa5));
      const again = await bench.reopen();
      const notices = async (): Promise<readonly string[]> =>
        (await again.session.backlog({ limit: 10 })).events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
      const told = await notices();
      const copy = (await readdir(bench.dir)).find((name) => name.includes(".tail-"));
      expect(told).toEqual([
        expect.stringMatching(
          /^\d+ bytes after the last complete change of session \S+ were dropped; nothing shows that they were ever acknowledged/u,
        ),
      ]);
      expect(told[0]).toContain(copy === undefined ? "no copy" : join(bench.dir, copy));
      expect(await notices()).toEqual([]);
      await again.turn("b", "B");
      expect(again.events.filter((event) => event.type === "notice")).toEqual([]);
      await again.session.close();
      const third = await bench.reopen();
      expect((await third.session.backlog({ limit: 10 })).events.map((event) => event.type)).toEqual([
        "user",
        "assistant",
        "user",
        "assistant",
      ]);
    });
  });

  test("is told with the first input to a frontend that reads no page", async () => {
    await withLive(async (bench) => {
      const live = bench.create();
      await live.turn("a", "A");
      await live.session.close();
      await appendFile(join(bench.dir, `${bench.id}.smith`), Buffer.alloc(90, 1));
      const again = await bench.reopen();
      await again.turn("b", "B");
      expect(again.events.flatMap((event) => (event.type === "notice" ? [event.text] : []))).toEqual([
        expect.stringContaining("were dropped; nothing shows that they were ever acknowledged") as string,
      ]);
    });
  });
});
