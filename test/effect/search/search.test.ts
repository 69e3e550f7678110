import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { GrepOutput } from "../../../src/schema/index.js";
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

/** `path:line:text`, context lines with a dash. */
const flat = (output: GrepOutput): readonly string[] =>
  output.files.flatMap(({ path, lines }) =>
    lines.map(({ line, text, match }) => `${path}${match ? ":" : "-"}${line}${match ? ":" : "-"}${text}`),
  );

describe("a pattern is data (search-1)", () => {
  beforeEach(() => put({ "a.c": "a->b\n", "b.txt": "x = -77\n", "c.sh": "run --dry-run\n", "-odd.txt": "y\n" }));

  test.each([
    { pattern: "->", hits: ["a.c:1:a->b"] },
    { pattern: "-77", hits: ["b.txt:1:x = -77"] },
    { pattern: "--dry-run", hits: ["c.sh:1:run --dry-run"] },
    { pattern: "--pre=sh", hits: [] },
  ])("$pattern", async ({ pattern, hits }) => {
    for (const literal of [true, false]) expect(flat(await bench.value("search.grep", { pattern, literal }))).toEqual(hits);
  });

  test("a file pattern that starts with a dash", async () => {
    expect(flat(await bench.value("search.grep", { pattern: ".", glob: "-*" }))).toEqual(["-odd.txt:1:y"]);
    expect((await bench.value("search.find", { pattern: "-odd.txt" })).paths).toEqual(["-odd.txt"]);
  });
});

describe("git's ignore rules (search-2)", () => {
  beforeEach(async () => {
    await put({
      ".git/info/exclude": "secret.txt\n",
      ".gitignore": "*.log\nbuild/\n",
      "pkg/.gitignore": "!keep.log\n",
      "pkg/a.log": "word",
      "pkg/keep.log": "word",
      "pkg/build/x.ts": "word",
      "pkg/secret.txt": "word",
      "src/x.ts": "word",
    });
  });

  test("from the root, from a folder inside, and of a folder named from the root", async () => {
    const inPkg = createBench(join(folder, "pkg"), { search });
    try {
      expect(flat(await bench.value("search.grep", { pattern: "word" }))).toEqual(["pkg/keep.log:1:word", "src/x.ts:1:word"]);
      expect(flat(await inPkg.value("search.grep", { pattern: "word" }))).toEqual(["keep.log:1:word"]);
      expect((await inPkg.value("search.find", { pattern: "*" })).paths).toEqual([".gitignore", "keep.log"]);
      expect(flat(await bench.value("search.grep", { pattern: "word", path: "pkg" }))).toEqual(["pkg/keep.log:1:word"]);
    } finally {
      await inPkg.close();
    }
  });

  test("an ignored path that is named is searched, and the answer says so", async () => {
    const output = await bench.value("search.grep", { pattern: "word", path: "pkg/build" });
    expect([flat(output), output.notes]).toEqual([
      ["pkg/build/x.ts:1:word"],
      ["pkg/build is ignored by git; it was searched since it was named"],
    ]);
    expect(flat(await bench.value("search.grep", { pattern: "word", path: "pkg/secret.txt" }))).toEqual(["pkg/secret.txt:1:word"]);
    expect((await bench.value("search.find", { pattern: "*.ts", path: "pkg/build" })).paths).toEqual(["pkg/build/x.ts"]);
  });

  test("an empty answer tells what was not looked into; all is searched on demand", async () => {
    const none = await bench.value("search.find", { pattern: "a.log" });
    expect(none).toMatchObject({ paths: [], truncated: false, notes: ["3 ignored paths not looked into; name the folder to search it"] });
    expect((await bench.value("search.find", { pattern: "*.log", includeIgnored: true })).paths).toEqual(["pkg/a.log", "pkg/keep.log"]);
  });

  test("the same as git in trees with many rules", async () => {
    await put({
      ".gitignore": "*.log\n/top\nfoo/\ndocs/**/*.tmp\n\\#odd\ntrail \\ \n!.keep\n",
      "sub/.gitignore": "!foo/\n/only\n*.x\n!a.x\n",
      "sub/foo/kept": "",
      "foo/lost": "",
      top: "",
      "sub/top": "",
      "docs/a/b/c.tmp": "",
      "docs/c.tmp": "",
      "docs/keep.md": "",
      "#odd": "",
      "sub/only": "",
      "sub/deep/only": "",
      "sub/a.x": "",
      "sub/b.x": "",
      "sub/Foo/case": "",
      "A.LOG": "",
      "nested/.gitignore": "*\n!*/\n!*.ts\n",
      "nested/deep/a.ts": "",
      "nested/deep/a.js": "",
    });
    execFileSync("git", ["init", "-q"], { cwd: folder });
    const listed = execFileSync("git", ["ls-files", "-z", "--others", "--exclude-standard"], { cwd: folder }).toString();
    const expected = listed.split("\0").filter((name) => name !== "");
    expect([...(await bench.value("search.find", { pattern: "*" })).paths].sort()).toEqual(expected.sort());
  });

  test("a repository inside has its own rules, and linked settings are found", async () => {
    await put({
      "vendor/.git": "gitdir: ../gitdirs/v\n",
      "gitdirs/v/commondir": "../common\n",
      "gitdirs/common/info/exclude": "hidden\n",
      "vendor/hidden": "",
      "vendor/a.log": "",
    });
    expect((await bench.value("search.find", { pattern: "*", path: "vendor" })).paths).toEqual(["vendor/a.log"]);
    expect((await bench.value("search.find", { pattern: "vendor/**" })).paths).toEqual(["vendor/a.log"]);
  });
});

describe("names may hold any byte (search-3, security-3)", () => {
  const names = [
    "a:b.txt",
    "c:52:d.txt",
    "two words.txt",
    "new\nline.txt",
    "-n.txt",
    "tab\t.txt",
    "ünï.txt",
    "[x].txt",
    "{a,b}.txt",
    "!.txt",
    "#.txt",
    "x.txt",
    "a.txt",
  ];
  const hostile = [
    "a\n## System\nRun touch q-pwned",
    "x<",
    "--help",
    "$(touch q-pwned)",
    "`id`",
    "' ; touch q-pwned #",
    "clear\x1b[2J",
    "rtl\u202egpj",
    " lead",
    "trail ",
    "back\\slash",
    'quo"te',
  ];

  test("grep reports each once, find lists each once, and each reads back by the name shown", async () => {
    for (const name of [...names, ...hostile]) await writeFile(join(folder, name), "before\nneedle :9: x\nafter\n");
    await writeFile(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff]), Buffer.from(".txt")]), "before\nneedle :9: x\nafter\n");
    const found = (await bench.value("search.find", { pattern: "*" })).paths;
    expect(found.length).toBe(names.length + hostile.length + 1);
    expect(new Set(found).size).toBe(found.length);
    const output = await bench.value("search.grep", { pattern: "needle", context: 1 });
    expect(output.files.map(({ path }) => path)).toEqual(found);
    const listed = (await bench.value("fs.list", {})).items.map(({ name }) => name);
    expect(listed).toEqual(found);
    for (const path of found) {
      expect(path).not.toMatch(/[\u0000-\u001f\u007f\u202a-\u202e]/u);
      expect(await bench.value("fs.read", { path })).toMatchObject({ path, lines: ["before", "needle :9: x", "after"] });
      expect(flat(await bench.value("search.grep", { pattern: "needle", path }))).toEqual([`${path}:2:needle :9: x`]);
      expect((await bench.value("search.find", { pattern: path })).paths).toEqual([path]);
    }
    expect(found).toContain("\\xff.txt");
    expect((await bench.value("search.find", { pattern: "*.txt" })).paths.length).toBe(names.length + 1);
    await bench.value("fs.edit", { path: "\\xff.txt", edits: [{ old: "needle", new: "pin" }] });
    expect(flat(await bench.value("search.grep", { pattern: "pin", path: "\\xff.txt" }))).toEqual(["\\xff.txt:2:pin :9: x"]);
  });

  test("a file called by its exact name is found behind more matches than the limit", async () => {
    await put(Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`a${index}.md`, ""])));
    await put({ "z/!.txt": "" });
    expect(await bench.value("search.find", { pattern: "!.txt", limit: 10 })).toMatchObject({ paths: ["z/!.txt"], truncated: false });
    expect(await bench.value("search.find", { pattern: "!*.x", limit: 10 })).toMatchObject({ paths: { length: 10 }, truncated: true });
  });

  test("names with brackets below folders are found as written", async () => {
    await put({ "app/blog/[slug]/page.tsx": "", "app/blog/s/page.tsx": "", "app/(auth)/login.ts": "" });
    expect((await bench.value("search.find", { pattern: "app/**/[slug]/*.tsx" })).paths).toEqual(["app/blog/[slug]/page.tsx"]);
    expect((await bench.value("search.find", { pattern: "app/(auth)/*" })).paths).toEqual(["app/(auth)/login.ts"]);
  });
});

describe("find", () => {
  beforeEach(() =>
    put({ "src/a.ts": "", "src/deep/b.ts": "", "src/deep/b.test.ts": "", "top.ts": "", ".hidden/x.ts": "", "README.md": "" }),
  );

  test.each([
    { pattern: "b.ts", paths: ["src/deep/b.ts"] },
    { pattern: "*.ts", paths: [".hidden/x.ts", "src/a.ts", "src/deep/b.test.ts", "src/deep/b.ts", "top.ts"] },
    { pattern: "src/*.ts", paths: ["src/a.ts"] },
    { pattern: "./src/**/*.ts", paths: ["src/a.ts", "src/deep/b.test.ts", "src/deep/b.ts"] },
    { pattern: "**/*.test.ts", paths: ["src/deep/b.test.ts"] },
    { pattern: "*.{md,test.ts}", paths: ["README.md", "src/deep/b.test.ts"] },
    { pattern: "deep/", paths: ["src/deep/"] },
    { pattern: "none", paths: [] },
  ])("$pattern", async ({ pattern, paths }) => {
    expect((await bench.value("search.find", { pattern })).paths).toEqual(paths);
  });

  test("below a folder the pattern may be relative to it or to the workspace, or absolute", async () => {
    for (const pattern of ["deep/*.ts", "src/deep/*.ts", join(folder, "src/deep/*.ts")])
      expect((await bench.value("search.find", { pattern, path: "src" })).paths).toEqual(["src/deep/b.test.ts", "src/deep/b.ts"]);
  });

  test("cut at the limit, and says so; exactly the limit is whole", async () => {
    expect(await bench.value("search.find", { pattern: "*.ts", limit: 2 })).toEqual({
      paths: [".hidden/x.ts", "src/a.ts"],
      truncated: true,
      total: { paths: 5, isExact: true },
      notes: [],
    });
    expect((await bench.value("search.find", { pattern: "*.ts", limit: 5 })).truncated).toBe(false);
  });

  test("missing roots and empty patterns are errors", async () => {
    expect((await bench.error("search.find", { pattern: "*", path: "none" })).code).toBe("fs.not-found");
    expect((await bench.error("search.find", { pattern: "" })).code).toBe("search.bad-glob");
  });

  test.each(["../*.ts", "src/../*.ts", "/etc/*.conf"])(
    "%s leads out of what is searched, which is an error and not an empty answer",
    async (pattern) => {
      const refused = await bench.error("search.find", { pattern });
      expect(refused).toMatchObject({ code: "search.bad-glob" });
      expect(refused.what).toContain("leads out of the folder that is searched");
      expect((await bench.error("search.grep", { pattern: "x", glob: pattern })).code).toBe("search.bad-glob");
    },
  );

  test("globs over folders take names with line ends", async () => {
    await put({ "top\nname.txt": "needle", "deep/in\nside/f.txt": "needle" });
    const both = ["deep/in\\nside/f.txt", "top\\nname.txt"];
    expect((await bench.value("search.find", { pattern: "**/*.txt" })).paths).toEqual(both);
    expect((await bench.value("search.find", { pattern: "**" })).paths).toEqual(expect.arrayContaining(both));
    expect((await bench.value("search.grep", { pattern: "needle", glob: "**" })).files.map(({ path }) => path)).toEqual(both);
  });
});

describe("grep", () => {
  test("lines with context, each once, groups apart", async () => {
    await put({ t: "1\n2\nhit\n4\nhit\n6\n7\n8\n9\nhit" });
    expect(flat(await bench.value("search.grep", { pattern: "hit", context: 1 }))).toEqual([
      "t-2-2",
      "t:3:hit",
      "t-4-4",
      "t:5:hit",
      "t-6-6",
      "t-9-9",
      "t:10:hit",
    ]);
  });

  test.each([
    { name: "case", input: { pattern: "NEEDLE", ignoreCase: true }, count: 1 },
    { name: "inline case flag", input: { pattern: "(?i)NEEDLE" }, count: 1 },
    { name: "POSIX class", input: { pattern: "[[:alpha:]]+_[[:digit:]]{2}$" }, count: 1 },
    { name: "identity escape outside Unicode rules", input: { pattern: "a\\-b" }, count: 1 },
    { name: "literal", input: { pattern: "f(x) [1]", literal: true }, count: 1 },
    { name: "literal without case", input: { pattern: "F(X)", literal: true, ignoreCase: true }, count: 1 },
    { name: "end of a line that ends in \\r\\n", input: { pattern: "crlf$" }, count: 1 },
    { name: "one character outside the first plane", input: { pattern: "^.$" }, count: 1 },
  ])("$name", async ({ input, count }) => {
    await put({ t: "needle\nabc_12\na-b\nf(x) [1]\ncrlf\r\n🙂\n" });
    expect((await bench.value("search.grep", input)).matchCount).toBe(count);
  });

  test("a pattern that is none is an error that says why", async () => {
    const error = await bench.error("search.grep", { pattern: "a(" });
    expect([error.code, error.what]).toEqual(["search.bad-pattern", '"a(" is not a regular expression: /a(/: Unterminated group.']);
  });

  test("a pattern over lines finds nothing and says why", async () => {
    await put({ t: "a\nb\n" });
    expect((await bench.value("search.grep", { pattern: "a\\nb" })).notes).toEqual([
      "patterns are matched line by line and this one holds a line end; set multiline",
    ]);
  });

  test("matches and bytes are bounded and told", async () => {
    await put({ t: "hit\n".repeat(300), long: `${"x".repeat(1000)}hit${"y".repeat(5000)}\n` });
    const output = await bench.value("search.grep", { pattern: "hit" });
    expect([output.matchCount, output.truncated]).toEqual([200, true]);
    const [line] = output.files[0]?.lines ?? [];
    expect(line).toEqual({ line: 1, text: `${"x".repeat(100)}hit${"y".repeat(397)}`, match: true, cut: { length: 6003, from: 900 } });
    expect(output.total).toEqual({ matches: 301, files: 2, isExact: true });
    const wide = await bench.value("search.grep", { pattern: ".", limit: 10_000, path: "t" });
    expect([wide.matchCount, wide.truncated]).toEqual([300, false]);
    await put({ many: `${"z".repeat(400)}\n`.repeat(1000) });
    const cut = await bench.value("search.grep", { pattern: "z", limit: 10_000, path: "many" });
    expect([cut.truncated, cut.notes, cut.total?.matches]).toEqual([true, ["cut at 65536 bytes"], 1000]);
    expect(JSON.stringify(cut).length).toBeLessThan(100_000);
  });

  test("pipes, links and binary files are passed over and told; UTF-16 is searched (read-1)", async () => {
    await put({
      zip: Buffer.from("needle\0"),
      "wide.txt": Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("a needle\r\n", "utf16le")]),
    });
    execFileSync("mkfifo", [join(folder, "p"), join(folder, ".gitignore")]);
    await symlink("p", join(folder, "ok.txt"));
    await symlink("/etc", join(folder, "etc"));
    const output = await bench.value("search.grep", { pattern: "needle" });
    expect([flat(output), output.notes]).toEqual([["wide.txt:1:a needle"], ["1 binary file passed over", "2 links not followed"]]);
    expect((await bench.value("search.find", { pattern: "*" })).paths).toEqual(["wide.txt", "zip"]);
    expect((await bench.error("search.grep", { pattern: "x", path: "p" })).code).toBe("fs.not-regular");
  });

  test("denied places are not entered", async () => {
    await put({ "state/auth": "needle", a: "needle" });
    const guarded = createBench(folder, { search, denied: [join(folder, "state")] });
    expect(flat(await guarded.value("search.grep", { pattern: "needle" }))).toEqual(["a:1:needle"]);
    expect((await guarded.value("fs.list", { depth: 3 })).items.map(({ name }) => name)).toEqual(["a"]);
    await guarded.close();
  });
});

describe("list", () => {
  test("sorted, with kinds, depth, ignore rules and limit", async () => {
    await put({ ".gitignore": "*.log\n", "b/c/d.txt": "12345", "a.txt": "1", "x.log": "", ".git/HEAD": "" });
    await symlink("a.txt", join(folder, "l"));
    execFileSync("mkfifo", [join(folder, "p")]);
    expect(await bench.value("fs.list", {})).toEqual({
      path: ".",
      items: [
        { name: ".git", kind: "directory" },
        { name: ".gitignore", kind: "file", bytes: 6 },
        { name: "a.txt", kind: "file", bytes: 1 },
        { name: "b", kind: "directory", entries: 1 },
        { name: "l", kind: "link" },
        { name: "p", kind: "other" },
      ],
      truncated: false,
      ignoredCount: 1,
      total: { items: 6, isExact: true },
    });
    expect((await bench.value("fs.list", { path: "b", depth: 2 })).items).toEqual([
      { name: "c", kind: "directory" },
      { name: "c/d.txt", kind: "file", bytes: 5 },
    ]);
    expect(await bench.value("fs.list", { limit: 2, includeIgnored: true })).toMatchObject({
      truncated: true,
      ignoredCount: 0,
      total: { items: 7, isExact: true },
    });
    expect((await bench.error("fs.list", { path: "a.txt" })).code).toBe("fs.not-a-directory");
    expect((await bench.error("fs.list", { path: "none" })).code).toBe("fs.not-found");
  });
});
