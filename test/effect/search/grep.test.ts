import { execFileSync } from "node:child_process";
import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { GrepInput, GrepOutput } from "../../../src/schema/index.js";
import type { Search } from "../../../src/effect/index.js";
import { createSearch } from "../../../src/effect/index.js";
import type { Bench } from "../support.js";
import { buildSearchWorker, createBench, makeFolder, realClock, removeFolder } from "../support.js";

let built: string;
let search: Search;
let folder: string;
let bench: Bench;

beforeAll(async () => {
  built = await makeFolder();
  search = createSearch({ workerUrl: await buildSearchWorker(built), clock: realClock });
});
afterAll(async () => {
  await search.close();
  await removeFolder(built);
});
beforeEach(async () => {
  folder = await makeFolder();
  bench = createBench(folder, { search });
});
afterEach(async () => {
  await bench.close();
  await removeFolder(folder);
});

async function put(files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

const grep = (input: GrepInput): Promise<GrepOutput> => bench.value("search.grep", input);
const flat = (output: GrepOutput): readonly string[] =>
  output.files.flatMap(({ path, lines }) =>
    lines.map(({ line, text, match }) => `${path}${match ? ":" : "-"}${line}${match ? ":" : "-"}${text}`),
  );

describe("what is asked for", () => {
  test("whole words", async () => {
    await put({ t: "cat\nconcat\ncat_1\n(cat)\ncats cat\nücat\n" });
    expect(flat(await grep({ pattern: "cat", word: true }))).toEqual(["t:1:cat", "t:4:(cat)", "t:5:cats cat"]);
    expect(flat(await grep({ pattern: "concat|cats", word: true, literal: false }))).toEqual(["t:2:concat", "t:5:cats cat"]);
  });

  test("matches over lines, each line of them shown once, with context", async () => {
    await put({ t: "zero\nbegin\r\n  inner\r\nend\nbetween\nlast\nbegin end\n" });
    const output = await grep({ pattern: "begin.*?end", multiline: true, context: 1 });
    expect(flat(output)).toEqual(["t-1-zero", "t:2:begin", "t:3:  inner", "t:4:end", "t-5-between", "t-6-last", "t:7:begin end"]);
    expect(output.total).toEqual({ matches: 2, files: 1, isExact: true });
    expect(flat(await grep({ pattern: "inner\r\nend", multiline: true, literal: true }))).toEqual(["t:3:  inner", "t:4:end"]);
    expect(flat(await grep({ pattern: "^last$\\n", multiline: true }))).toEqual(["t:6:last"]);
    expect((await grep({ pattern: "x*", multiline: true })).total?.matches).toBeGreaterThan(6);
  });

  test("names alone, and counts", async () => {
    await put({ a: "x\nx\nx y\n", b: "y\n", c: "x" });
    expect(await grep({ pattern: "x", mode: "files" })).toMatchObject({
      files: [
        { path: "a", lines: [] },
        { path: "c", lines: [] },
      ],
      matchCount: 2,
    });
    const counted = await grep({ pattern: "x", mode: "count" });
    expect(counted.files).toEqual([
      { path: "a", lines: [], count: 3 },
      { path: "c", lines: [], count: 1 },
    ]);
    expect(counted.matchCount).toBe(4);
    const cut = await grep({ pattern: "x", mode: "files", limit: 1 });
    expect([cut.truncated, cut.files.length, cut.total?.files]).toEqual([true, 1, 2]);
  });

  test("kinds of files; one that is none is told with those there are", async () => {
    await put({ "a.ts": "x", "b.tsx": "x", "c.js": "x", "d.py": "x", Makefile: "x", "e.TS": "x" });
    const names = async (fileType: string): Promise<readonly string[]> =>
      (await grep({ pattern: "x", fileType, mode: "files" })).files.map(({ path }) => path);
    expect(await names("ts")).toEqual(["a.ts", "b.tsx"]);
    expect(await names("TypeScript")).toEqual(["a.ts", "b.tsx"]);
    expect(await names("python")).toEqual(["d.py"]);
    expect(await names("make")).toEqual(["Makefile"]);
    expect((await grep({ pattern: "x", fileType: "js", glob: "*.ts" })).matchCount).toBe(0);
    const error = await bench.error("search.grep", { pattern: "x", fileType: "pyton" });
    expect([error.code, error.next]).toEqual(["search.unknown-type", "Use python, or a glob such as *.ext."]);
  });

  test("hidden files are searched unless they are left out; .git never is", async () => {
    await put({ ".env": "x", ".github/w.yml": "x", ".git/config": "x", "a/.b/c": "x", d: "x" });
    expect((await grep({ pattern: "x" })).files.map(({ path }) => path)).toEqual([".env", ".github/w.yml", "a/.b/c", "d"]);
    expect((await grep({ pattern: "x", includeHidden: false })).files.map(({ path }) => path)).toEqual(["d"]);
    expect((await grep({ pattern: "none", includeHidden: false })).notes).toEqual(["3 hidden paths not looked into"]);
    expect((await grep({ pattern: "x", includeIgnored: true })).files.map(({ path }) => path)).not.toContain(".git/config");
  });

  test("kinds of paths", async () => {
    await put({ "src/a.ts": "", "src/lib/b.ts": "" });
    await symlink("src", join(folder, "link"));
    const find = async (kind: "file" | "directory" | "any"): Promise<readonly string[]> =>
      (await bench.value("search.find", { pattern: "*", kind })).paths;
    expect(await find("file")).toEqual(["src/a.ts", "src/lib/b.ts"]);
    expect(await find("directory")).toEqual(["src/", "src/lib/"]);
    expect(await find("any")).toEqual(["link", "src/", "src/a.ts", "src/lib/", "src/lib/b.ts"]);
  });
});

describe("what is shown of a line", () => {
  test.each([
    { name: "at its beginning", line: `needle${"y".repeat(2000)}`, from: 0 },
    { name: "in the middle", line: `${"x".repeat(1000)}needle${"y".repeat(2000)}`, from: 900 },
    { name: "at its end", line: `${"x".repeat(3000)}needle`, from: 2506 },
  ])("a match $name of a long line is in the window", async ({ line, from }) => {
    await put({ t: `${line}\n` });
    const [shown] = (await grep({ pattern: "needle" })).files[0]?.lines ?? [];
    expect(shown?.cut).toEqual({ length: line.length, from });
    expect(shown?.text).toBe(line.slice(from, from + 500));
  });

  test("no half characters at either end", async () => {
    for (const shift of ["", "z"]) {
      await put({ t: `${shift}${"🙂".repeat(600)}needle${"🙂".repeat(600)}\n` });
      const [shown] = (await grep({ pattern: "needle" })).files[0]?.lines ?? [];
      expect(shown?.text.isWellFormed()).toBe(true);
      expect(shown?.text).toContain("needle");
    }
  });

  test("bytes that are no UTF-8 are replaced, UTF-16 is read by its mark, a mark is no text", async () => {
    const wide = Buffer.from("\ufeffGröße = 5\r\nende", "utf16le");
    await put({
      latin: Buffer.from("caf\xe9 needle\n", "latin1"),
      wide,
      "wide-be": Buffer.from(wide).swap16(),
      marked: "\ufeffGröße\n",
    });
    expect(flat(await grep({ pattern: "needle" }))).toEqual(["latin:1:caf\ufffd needle"]);
    expect(flat(await grep({ pattern: "^Größe" }))).toEqual(["marked:1:Größe", "wide:1:Größe = 5", "wide-be:1:Größe = 5"]);
    expect(flat(await grep({ pattern: "\ufffd" }))).toEqual(["latin:1:caf\ufffd needle"]);
  });
});

describe("large files", () => {
  const filler = `${"filler ".repeat(20)}\n`;
  const big = `${filler.repeat(12_000)}before\nneedle é\nafter\n${filler.repeat(12_000)}needle last`;

  test("are searched in pieces, with the numbers and context of the whole", async () => {
    await put({ big });
    expect(big.length).toBeGreaterThan(3 * 1024 * 1024);
    expect(flat(await grep({ pattern: "needle" }))).toEqual(["big:12002:needle é", "big:24004:needle last"]);
    expect(flat(await grep({ pattern: "ne+dle (é|x)", context: 1 }))).toEqual([
      "big-12001-before",
      "big:12002:needle é",
      "big-12003-after",
    ]);
    expect((await grep({ pattern: "filler", mode: "count" })).files).toEqual([{ path: "big", lines: [], count: 24_000 }]);
    expect(flat(await grep({ pattern: "before.needle", multiline: true }))).toEqual(["big:12001:before", "big:12002:needle é"]);
  });

  test("a line longer than a piece is one line", async () => {
    await put({ one: `a\n${"é".repeat(3_000_000)}needle${"é".repeat(1_000_000)}\nb\n` });
    const output = await grep({ pattern: "needle" });
    expect(output.files[0]?.lines).toMatchObject([{ line: 2, cut: { length: 4_000_006, from: 2_999_900 } }]);
    expect(flat(await grep({ pattern: "^b$" }))).toEqual(["one:3:b"]);
  });

  test("a line over the bound is searched in pieces and that is told", async () => {
    await put({ huge: `${"x".repeat(17 * 1024 * 1024)}needle\n` });
    expect(await grep({ pattern: "needle" })).toMatchObject({
      matchCount: 1,
      notes: ["1 file with a line over 16777216 bytes searched in pieces"],
    });
  });

  test("what must be read whole is bounded and told", async () => {
    await put({ huge: `${`${"filler ".repeat(100)}\n`.repeat(50_000)}needle\n` });
    expect(await grep({ pattern: "needle\\nx?", multiline: true })).toMatchObject({
      matchCount: 0,
      notes: ["1 file over 33554432 bytes passed over"],
    });
    expect((await grep({ pattern: "needle" })).total).toEqual({ matches: 1, files: 1, isExact: true });
  }, 30_000);
});

describe("what is not searched", () => {
  test("a NUL among the first bytes makes a file binary; far behind it does not", async () => {
    await put({ bin: "needle\0", late: `needle\n${"x\n".repeat(40_000)}needle \0 late\n`, other: Buffer.from([0, 1, 2]) });
    const output = await grep({ pattern: "needle" });
    expect(flat(output)).toEqual(["late:1:needle", "late:40002:needle \ufffd late"]);
    expect(output.notes).toEqual(["1 binary file passed over"]);
    expect((await grep({ pattern: "\\w{6}" })).notes).toEqual(["2 binary files passed over"]);
  });

  test("links lead nowhere, loops are no matter, a link given as the path is followed (security-2)", async () => {
    await put({ "w/a/t": "needle", "o/secret": "needle" });
    await symlink("..", join(folder, "w/a/loop"));
    await symlink("../o", join(folder, "w/out"));
    await symlink("../o/secret", join(folder, "w/f"));
    await symlink("a", join(folder, "w/in"));
    await symlink("w", join(folder, "w2"));
    const inside = createBench(join(folder, "w"), { search });
    try {
      expect(flat(await inside.value("search.grep", { pattern: "needle" }))).toEqual(["a/t:1:needle"]);
      expect(flat(await inside.value("search.grep", { pattern: "needle", path: "in" }))).toEqual(["a/t:1:needle"]);
      for (const path of ["out", "f", "../o", "out/secret"]) {
        for (const op of ["search.grep", "search.find"] as const)
          expect((await inside.error(op, { pattern: "needle", path })).code).toMatch(/^grant\./u);
      }
      expect((await inside.error("fs.list", { path: "out" })).code).toMatch(/^grant\./u);
    } finally {
      await inside.close();
    }
    const linked = createBench(join(folder, "w2"), { search });
    expect(flat(await linked.value("search.grep", { pattern: "needle" }))).toEqual(["a/t:1:needle"]);
    await linked.close();
  });

  test("folders that come and go meanwhile do not fail a search", async () => {
    await put(Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`d${String(index)}/t`, "needle"])));
    const running = grep({ pattern: "needle", limit: 1000 });
    for (let index = 0; index < 300; index += 2) await rename(join(folder, `d${String(index)}`), join(folder, `e${String(index)}`));
    expect((await running).truncated).toBe(false);
  });

  test("devices and pipes named as the path are refused at once (read-1)", async () => {
    execFileSync("mkfifo", [join(folder, "p")]);
    await symlink("p", join(folder, "ok.txt"));
    for (const path of ["p", "ok.txt"]) {
      expect((await bench.error("search.grep", { pattern: "x", path })).code).toBe("fs.not-regular");
      expect((await bench.error("search.find", { pattern: "*", path })).code).toBe("fs.not-regular");
    }
  });
});
