import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Search } from "../../../src/effect/index.js";
import { createSearch } from "../../../src/effect/index.js";
import type { Bench } from "../support.js";
import { buildSearchWorker, createBench, makeFolder, realClock, removeFolder } from "../support.js";

let folder: string;
let workerUrl: URL;
let search: Search;
let bench: Bench;

beforeAll(async () => {
  folder = await makeFolder();
  await mkdir(join(folder, "w"));
  workerUrl = await buildSearchWorker(folder);
  await writeFile(join(folder, "w", "evil.txt"), `${"a".repeat(40)}!\n`);
  await writeFile(join(folder, "w", "good.txt"), "needle\n");
});
afterAll(() => removeFolder(folder));
afterEach(async () => {
  await bench.close();
  await search.close();
});

function open(deadlineMs: number, graceMs: number): void {
  search = createSearch({ workerUrl, clock: realClock, deadlineMs, graceMs });
  bench = createBench(join(folder, "w"), { search });
}

const ENDLESS = { pattern: "^(a+)+$" };

describe("a search that cannot end", () => {
  test("is ended at its deadline with what was found, the thread of the interface goes on, and searches behind it work", async () => {
    open(200, 100);
    let beats = 0;
    const heart = setInterval(() => {
      beats += 1;
    }, 10);
    const [stuck, next] = await Promise.all([bench.value("search.grep", ENDLESS), bench.value("search.grep", { pattern: "needle" })]);
    clearInterval(heart);
    expect(stuck).toMatchObject({
      matchCount: 0,
      truncated: true,
      total: { isExact: false },
      notes: [
        "the search took too long and was ended; not everything was looked at",
        "the expression did not come to an end in evil.txt; use a simpler one, without nested repetition",
      ],
    });
    expect(next.matchCount).toBe(1);
    expect(beats).toBeGreaterThan(5);
  });

  test("in one file is given up there; all other files are searched, and the answer says so", async () => {
    search = createSearch({ workerUrl, clock: realClock, pieceMs: 200 });
    bench = createBench(join(folder, "w"), { search });
    const output = await bench.value("search.grep", { pattern: "^(a+)+$|needle" });
    expect(output).toEqual({
      files: [{ path: "good.txt", lines: [{ line: 1, text: "needle", match: true }] }],
      matchCount: 1,
      truncated: true,
      total: { matches: 1, files: 1, isExact: false },
      notes: ["the expression did not come to an end in evil.txt; use a simpler one, without nested repetition"],
    });
    expect(await bench.value("search.grep", { ...ENDLESS, path: "evil.txt" })).toMatchObject({ matchCount: 0, truncated: true });
    expect((await bench.value("search.grep", { ...ENDLESS, multiline: true })).notes[0]).toContain("evil.txt");
  });

  test("is ended on abort", async () => {
    open(60_000, 100);
    const controller = new AbortController();
    const stuck = bench.error("search.grep", ENDLESS, { signal: controller.signal });
    const waiting = bench.error("search.grep", ENDLESS, { signal: controller.signal });
    setTimeout(() => {
      controller.abort();
    }, 50);
    expect([(await stuck).code, (await waiting).code]).toEqual(["search.aborted", "search.aborted"]);
    expect((await bench.value("search.find", { pattern: "good.txt" })).paths).toEqual(["good.txt"]);
  });
});

test("a large tree that takes longer than the deadline gives what was found and says so", async () => {
  open(50, 5000);
  await mkdir(join(folder, "w", "big"));
  const text = "some text that is searched\n".repeat(40_000);
  for (let index = 0; index < 40; index += 1) await writeFile(join(folder, "w", "big", `${index}.txt`), text);
  const output = await bench.value("search.grep", { pattern: "(?:searched|nothing)\\w+x", path: "big" });
  expect(output).toMatchObject({ truncated: true, notes: ["the search took too long and was ended; not everything was looked at"] });
});

test("after close no search is started", async () => {
  open(1000, 100);
  await bench.value("search.find", { pattern: "*.txt" });
  await search.close();
  expect((await bench.error("search.find", { pattern: "*.txt" })).code).toBe("search.aborted");
});

test("a thread that cannot start is told, not thrown", async () => {
  search = createSearch({ workerUrl: new URL("file:///nowhere/worker.mjs"), clock: realClock });
  bench = createBench(join(folder, "w"), { search });
  expect((await bench.error("search.find", { pattern: "*" })).code).toBe("search.failed");
});

test("a name pattern that cannot end is told as an error, and the next search works", async () => {
  open(200, 100);
  const name = "a".repeat(200);
  await writeFile(join(folder, "w", name), "");
  const stuck = await bench.error("search.find", { pattern: `${"a*".repeat(20)}b` });
  expect(stuck.code).toBe("search.too-slow");
  expect((await bench.value("search.find", { pattern: "good.txt" })).paths).toEqual(["good.txt"]);
});

describe("many threads", () => {
  const FILES = 3000;

  test("give the answer of one thread, in the order of paths, also where it is cut", async () => {
    const root = join(folder, "many");
    for (let index = 0; index < FILES; index += 1) {
      const at = join(root, `d${String(index % 37)}`, `e${String(index % 5)}`);
      await mkdir(at, { recursive: true });
      await writeFile(join(at, `f${String(index)}.txt`), `one ${String(index)}\n${index % 7 === 0 ? "needle\nneedle again\n" : ""}last\n`);
    }
    const answers: unknown[][] = [];
    for (const threads of [1, 4]) {
      search = createSearch({ workerUrl, clock: realClock, threads });
      bench = createBench(root, { search });
      const inputs = [
        { pattern: "needle", context: 1, limit: 10_000 },
        { pattern: "needle", limit: 300 },
        { pattern: "l.st", limit: 50 },
        { pattern: "needle", mode: "count" as const, limit: 10_000 },
      ];
      answers.push(await Promise.all(inputs.map((input) => bench.value("search.grep", input))));
      await bench.close();
      await search.close();
    }
    expect(answers[1]).toEqual(answers[0]);
    const needles = Math.ceil(FILES / 7);
    expect(answers[1]).toMatchObject([
      { total: { files: needles, isExact: true } },
      { matchCount: 300, truncated: true, total: { matches: needles * 2, files: needles, isExact: true } },
      { matchCount: 50, total: { matches: FILES, isExact: true } },
      { matchCount: needles * 2, files: { length: needles } },
    ]);
  }, 60_000);
});
