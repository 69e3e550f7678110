import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSnapshotStore, type ModelSnapshot, type SnapshotStore } from "../../../src/provider/index.js";
import { createManualClock } from "../../support/manual-clock.js";

const NEVER = new AbortController().signal;
const NOW = Date.UTC(2026, 0, 1);
let dir = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "smith-models-"));
});
afterEach(async () => {
  await chmod(dir, 0o700);
  await rm(dir, { recursive: true, force: true });
});

const store = (at = dir): SnapshotStore => createSnapshotStore({ dir: at, clock: createManualClock(NOW) });

const snapshot = (startedAt: number, model = `m${String(startedAt)}`): ModelSnapshot => ({
  startedAt,
  lists: [
    {
      provider: "p",
      connection: "c",
      url: "https://c.test/v1",
      takenAt: startedAt,
      models: [
        {
          ref: { provider: "p", model },
          title: "T",
          contextTokens: 9,
          images: true,
          thinking: ["off", "low"],
          cache: "points",
          price: { input: 1, output: 2, cacheRead: 0.5, long: { above: 10, input: 3, output: 4 } },
          hints: { api: "x", n: 1, on: false },
        },
      ],
    },
  ],
});

const file = (startedAt: number): string => join(dir, `models-${String(startedAt).padStart(15, "0")}.json`);
const codes = async (kept: SnapshotStore): Promise<readonly [number | undefined, readonly string[]]> => {
  const { snapshot: found, notes } = await kept.load();
  return [found?.startedAt, notes.map(({ code }) => code)];
};

describe("what was published", () => {
  test("is loaded as it was", async () => {
    expect(await store().publish(snapshot(5), NEVER)).toEqual({ ok: true, value: "published" });
    expect(await store().load()).toEqual({ snapshot: snapshot(5), notes: [] });
  });

  test("is its owner's alone, in a folder made for it, and leaves nothing else", async () => {
    const below = join(dir, "a", "b");
    await store(below).publish(snapshot(5), NEVER);
    expect((await stat(below)).mode & 0o777).toBe(0o700);
    const names = await readdir(below);
    expect(names).toEqual(["models-000000000000005.json"]);
    expect((await stat(join(below, names[0] ?? ""))).mode & 0o777).toBe(0o600);
  });

  test("is nothing where nothing was", async () => {
    expect(await store(join(dir, "none")).load()).toEqual({ notes: [] });
  });

  test("keeps the one before it and no more", async () => {
    for (const startedAt of [1, 2, 3]) await store().publish(snapshot(startedAt), NEVER);
    expect((await readdir(dir)).sort()).toEqual(["models-000000000000002.json", "models-000000000000003.json"]);
  });
});

describe("a newer snapshot", () => {
  test("is not replaced by an older one", async () => {
    await store().publish(snapshot(5), NEVER);
    expect(await store().publish(snapshot(4), NEVER)).toEqual({ ok: true, value: "stale" });
    expect(await codes(store())).toEqual([5, []]);
  });

  test("counts, in whatever order writers come and however they overlap", async () => {
    const order = fc.shuffledSubarray([1, 2, 3, 4, 5, 6], { minLength: 2 });
    await fc.assert(
      fc.asyncProperty(order, async (times) => {
        const own = await mkdtemp(join(dir, "race-"));
        const outcomes = await Promise.all(times.map(async (startedAt) => store(own).publish(snapshot(startedAt), NEVER)));
        expect(outcomes.every((outcome) => outcome.ok)).toBe(true);
        expect(await codes(store(own))).toEqual([Math.max(...times), []]);
      }),
      { numRuns: 25 },
    );
  });

  test("is whole for whoever reads while others write", async () => {
    await store().publish(snapshot(1), NEVER);
    const writing = Promise.all(Array.from({ length: 20 }, async (_, n) => store().publish(snapshot(n + 2), NEVER)));
    const seen = await Promise.all(Array.from({ length: 20 }, async () => codes(store())));
    await writing;
    for (const [startedAt, notes] of seen) expect([startedAt !== undefined, notes]).toEqual([true, []]);
  });
});

describe("a cancelled publication", () => {
  test("changes nothing", async () => {
    await store().publish(snapshot(1), NEVER);
    expect(await store().publish(snapshot(2), AbortSignal.abort())).toEqual({ ok: true, value: "aborted" });
    const controller = new AbortController();
    const pending = store().publish(snapshot(3), controller.signal);
    controller.abort();
    expect(await pending).toEqual({ ok: true, value: "aborted" });
    expect(await codes(store())).toEqual([1, []]);
    expect(await readdir(dir)).toEqual(["models-000000000000001.json"]);
  });
});

describe("a file that is no snapshot", () => {
  test.each<readonly [string, string]>([
    ["empty", ""],
    ["cut", JSON.stringify({ format: 1, ...snapshot(9) }).slice(0, 80)],
    ["foreign", JSON.stringify({ format: 1, hello: "world" })],
    ["of another format", JSON.stringify({ format: 99, ...snapshot(9) })],
    ["of another time than its name", JSON.stringify({ format: 1, ...snapshot(8) })],
    ["with a list that is none", JSON.stringify({ format: 1, startedAt: 9, lists: [{ provider: "p" }] })],
    ["null", "null"],
    ["larger than 4 MiB", JSON.stringify({ format: 1, ...snapshot(9), filler: "x".repeat(4 * 1024 * 1024) })],
  ])("%s: it is said, and the one before it counts", async (_name, text) => {
    await store().publish(snapshot(5), NEVER);
    await writeFile(file(9), text);
    expect(await codes(store())).toEqual([5, ["models.snapshot-damaged"]]);
    expect((await store().load()).notes[0]).toMatchObject({ severity: "warning", source: { type: "file", path: file(9) } });
  });

  test("a folder or a link in its place is not followed", async () => {
    await mkdir(file(9));
    await symlink("/dev/zero", file(8));
    expect(await codes(store())).toEqual([undefined, ["models.snapshot-damaged", "models.snapshot-damaged"]]);
  });

  test("cut at any byte it is never taken for another one", async () => {
    const text = JSON.stringify({ format: 1, ...snapshot(9) });
    for (let end = 0; end < text.length; end += 7) {
      await writeFile(file(9), text.slice(0, end));
      expect((await store().load()).snapshot).toBe(undefined);
    }
  });

  test("one from a clock that was wrong does not stand in the way", async () => {
    const wrong = NOW + 3 * 24 * 60 * 60 * 1000;
    await writeFile(file(wrong), JSON.stringify({ format: 1, ...snapshot(wrong) }));
    expect(await codes(store())).toEqual([undefined, ["models.snapshot-damaged"]]);
    expect(await store().publish(snapshot(NOW), NEVER)).toEqual({ ok: true, value: "published" });
    expect(await codes(store())).toEqual([NOW, []]);
  });

  test("fields of another kind are not known, and unknown ones are dropped", async () => {
    const models = [
      {
        ref: { model: "a" },
        contextTokens: "9",
        images: 1,
        thinking: ["loud"],
        cache: "?",
        price: { input: -1, output: 1 },
        hints: [],
        more: 1,
      },
      { ref: { model: "" } },
      { ref: { model: "a\u001b[31m" } },
      7,
    ];
    const lists = [{ provider: "p", connection: "c", url: "", takenAt: 1, models }];
    await writeFile(file(9), JSON.stringify({ format: 1, startedAt: 9, lists }));
    const { snapshot: found } = await store().load();
    expect(found?.lists[0]?.models).toEqual([{ ref: { provider: "p", model: "a" } }]);
  });
});

describe("what cannot be kept", () => {
  test("is said, and the previous one stays", async () => {
    await store().publish(snapshot(1), NEVER);
    const huge = snapshot(2, "m");
    const lists = Array.from({ length: 40 }, (_, n) => ({ ...huge.lists[0], provider: `${"x".repeat(120_000)}${String(n)}` }));
    expect(await store().publish({ startedAt: 2, lists: lists as unknown as ModelSnapshot["lists"] }, NEVER)).toMatchObject({
      ok: false,
      error: { code: "models.snapshot-too-large" },
    });
    expect(await codes(store())).toEqual([1, []]);
  });

  test("because the place is a file, is said", async () => {
    const place = join(dir, "file");
    await writeFile(place, "");
    expect(await store(place).publish(snapshot(1), NEVER)).toMatchObject({ ok: false, error: { code: "models.snapshot-unwritten" } });
    expect(await codes(store(place))).toEqual([undefined, ["models.snapshot-damaged"]]);
    expect(await readFile(place, "utf8")).toBe("");
  });
});

test("what a writer that was stopped left behind is taken away after an hour", async () => {
  for (const name of [".models-old", ".models-new"]) await mkdir(join(dir, name));
  const [old, fresh] = [new Date(NOW - 2 * 60 * 60 * 1000), new Date(NOW)];
  await utimes(join(dir, ".models-old"), old, old);
  await utimes(join(dir, ".models-new"), fresh, fresh);
  await store().publish(snapshot(1), NEVER);
  expect((await readdir(dir)).sort()).toEqual([".models-new", "models-000000000000001.json"]);
});
