import { chmod, lstat, mkdir, readFile, readlink, realpath, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { applyPatch } from "diff";
import type { Bench } from "../support.js";
import { createBench, makeFolder, removeFolder } from "../support.js";

let folder: string;
let bench: Bench;

beforeEach(async () => {
  folder = await makeFolder();
  bench = createBench(folder);
});
afterEach(async () => {
  await bench.close();
  await removeFolder(folder);
});

const put = (name: string, content: string | Buffer): Promise<void> => writeFile(join(folder, name), content);
const bytes = async (name: string): Promise<string> => (await readFile(join(folder, name))).toString("latin1");
const modeOf = async (name: string): Promise<string> => ((await stat(join(folder, name))).mode & 0o7777).toString(8);

describe("line ends belong to the file (edit-1)", () => {
  const ini = "[a]\r\nqty=1\r\n[b]\r\nqty=1\r\nend";
  test.each([
    { name: "old with \\n", edits: [{ old: "[a]\nqty=1", new: "[a]\nqty=7" }], after: "[a]\r\nqty=7\r\n[b]\r\nqty=1\r\nend" },
    { name: "all, over a line end", edits: [{ old: "qty=1\n", new: "qty=2\n", all: true }], after: "[a]\r\nqty=2\r\n[b]\r\nqty=2\r\nend" },
    {
      name: "old and new with \\r\\n",
      edits: [{ old: "[a]\r\nqty=1", new: "[a]\r\nqty=7" }],
      after: "[a]\r\nqty=7\r\n[b]\r\nqty=1\r\nend",
    },
    {
      name: "old with \\r\\n, new with \\n",
      edits: [{ old: "[b]\r\nqty=1", new: "[b]\nqty=7\nx=1" }],
      after: "[a]\r\nqty=1\r\n[b]\r\nqty=7\r\nx=1\r\nend",
    },
    { name: "a new line in a text without one", edits: [{ old: "end", new: "z\nend" }], after: "[a]\r\nqty=1\r\n[b]\r\nqty=1\r\nz\r\nend" },
    { name: "a line end taken away", edits: [{ old: "[a]\n", new: "" }], after: "qty=1\r\n[b]\r\nqty=1\r\nend" },
  ])("$name", async ({ edits, after }) => {
    await put("inv.ini", ini);
    await bench.value("fs.edit", { path: "inv.ini", edits });
    expect(await bytes("inv.ini")).toBe(after);
  });

  test("a file with both kinds keeps each line end it had", async () => {
    await put("mixed", "a\r\nb\nc\r\nd\n");
    await bench.value("fs.edit", { path: "mixed", edits: [{ old: "a\nb\nc\nd", new: "a\nB\nc\nd" }] });
    expect(await bytes("mixed")).toBe("a\r\nB\nc\r\nd\n");
  });

  test("an edit that differs in line ends only is refused, not reported as done", async () => {
    await put("inv.ini", ini);
    const error = await bench.error("fs.edit", { path: "inv.ini", edits: [{ old: "[a]\r\nqty", new: "[a]\nqty" }] });
    expect(error.code).toBe("fs.edit-no-change");
  });
});

describe("a replacement is data (edit-2)", () => {
  const fresh = "pid=$$ all=$& pre=$` post=$' one=$1 name=$<x>";
  test.each([
    { name: "single", content: "A=1\nMARK\nZ=9\n", all: false },
    { name: "all", content: "A=1\nMARK\nMARK\nZ=9\n", all: true },
  ])("$name", async ({ content, all }) => {
    await put("run.sh", content);
    const change = await bench.value("fs.edit", { path: "run.sh", edits: [{ old: "MARK", new: fresh, all }] });
    expect(await bytes("run.sh")).toBe(content.split("MARK").join(fresh));
    expect(change.diff).toContain(`+${fresh}\n`);
  });
});

test("a text that differs in trailing blanks is not found, and the file stays as it is (edit-3)", async () => {
  const content = "keep me   \nprice: 10\u00a0€ — “net”\nx = 'old'  \ntail\t\n";
  await put("t", content);
  const error = await bench.error("fs.edit", { path: "t", edits: [{ old: "x = 'old'\ntail", new: "y" }] });
  expect(error.code).toBe("fs.edit-missing");
  expect(error.why).toContain(`The nearest is lines 3-4, which differs only in blanks at the end of a line: line 3 is "x = 'old'  ".`);
  expect(await readFile(join(folder, "t"), "utf8")).toBe(content);
});

test("parallel edits of one file through any spelling are all there, each diff against the state it changed (edit-4)", async () => {
  await put("n.txt", Array.from({ length: 100 }, (_, index) => `${index + 1}\n`).join(""));
  await symlink("n.txt", join(folder, "link.txt"));
  const edit = (path: string, line: string): ReturnType<Bench["value"]> =>
    bench.value("fs.edit", { path, edits: [{ old: `\n${line}\n`, new: `\nline ${line}\n` }] });
  const changes = await Promise.all([edit("./n.txt", "20"), edit(join(folder, "n.txt"), "50"), edit("link.txt", "80")]);
  const lines = (await bytes("n.txt")).split("\n");
  expect([lines[19], lines[49], lines[79], lines.length]).toEqual(["line 20", "line 50", "line 80", 101]);
  expect(changes.map((change) => ("addedLines" in change ? change.addedLines : 0))).toEqual([1, 1, 1]);
  expect((await lstat(join(folder, "link.txt"))).isSymbolicLink()).toBe(true);
});

describe("links stay links (edit-5)", () => {
  beforeEach(async () => {
    await put("real.conf", "a=1\n");
    await chmod(join(folder, "real.conf"), 0o640);
    await symlink("real.conf", join(folder, "link.conf"));
    await symlink("link.conf", join(folder, "chain.conf"));
    await symlink("gone.txt", join(folder, "dangling"));
    await symlink("two", join(folder, "one"));
    await symlink("one", join(folder, "two"));
  });

  test("an edit through a chain changes the real file and keeps its mode", async () => {
    const change = await bench.value("fs.edit", { path: "chain.conf", edits: [{ old: "a=1", new: "a=2" }] });
    expect(change.path).toBe("real.conf");
    expect([await bytes("real.conf"), await modeOf("real.conf")]).toEqual(["a=2\n", "640"]);
    expect([await readlink(join(folder, "chain.conf")), await readlink(join(folder, "link.conf"))]).toEqual(["link.conf", "real.conf"]);
  });

  test("a write through a dangling link makes its target", async () => {
    const change = await bench.value("fs.write", { path: "dangling", content: "x" });
    expect([change.created, change.path, await bytes("gone.txt"), await readlink(join(folder, "dangling"))]).toEqual([
      true,
      "gone.txt",
      "x",
      "gone.txt",
    ]);
  });

  test("a cycle is an error", async () => {
    expect((await bench.error("fs.edit", { path: "one", edits: [{ old: "a", new: "b" }] })).code).toBe("fs.link-cycle");
    expect((await bench.error("fs.write", { path: "one", content: "" })).code).toBe("fs.link-cycle");
  });
});

describe("mode is part of the file (edit-6)", () => {
  let umask: number;
  beforeEach(() => {
    umask = process.umask();
  });
  afterEach(() => {
    process.umask(umask);
  });
  test.each([0o022, 0o077])("umask %o", async (mask) => {
    await put("deploy", "echo word\n");
    await put("secret", "word\n");
    await chmod(join(folder, "deploy"), 0o755);
    await chmod(join(folder, "secret"), 0o600);
    process.umask(mask);
    for (const path of ["deploy", "secret"]) await bench.value("fs.edit", { path, edits: [{ old: "word", new: "done" }] });
    expect([await modeOf("deploy"), await modeOf("secret")]).toEqual(["755", "600"]);
    for (const path of ["deploy", "secret"]) await bench.value("fs.write", { path, content: "new\n" });
    expect([await modeOf("deploy"), await modeOf("secret")]).toEqual(["755", "600"]);
    await bench.value("fs.write", { path: "fresh", content: "" });
    expect(await modeOf("fresh")).toBe((0o666 & ~mask).toString(8));
  });
});

describe("all replacements or none", () => {
  test("each is made on the outcome of the one before", async () => {
    await put("t", "one two");
    const change = await bench.value("fs.edit", {
      path: "t",
      edits: [
        { old: "one", new: "three" },
        { old: "three two", new: "four" },
      ],
    });
    expect([await bytes("t"), change.replacements]).toEqual(["four", 2]);
  });

  test("a later one that is missing leaves the file untouched", async () => {
    await put("t", "one two");
    const { outcome, result } = await bench.call("fs.edit", {
      path: "t",
      edits: [
        { old: "one", new: "1" },
        { old: "nine", new: "9" },
      ],
    });
    expect([outcome, result.ok, await bytes("t")]).toEqual(["not-applied", false, "one two"]);
  });

  test("an ambiguous text names its lines, overlapping ones too", async () => {
    await put("t", "x\nab\nx\nab\n");
    const error = await bench.error("fs.edit", { path: "t", edits: [{ old: "ab", new: "c" }] });
    expect([error.code, error.why]).toEqual(["fs.edit-ambiguous", "It starts on lines 2, 4."]);
    await put("o", "aaa");
    expect((await bench.error("fs.edit", { path: "o", edits: [{ old: "aa", new: "b" }] })).code).toBe("fs.edit-ambiguous");
  });

  test.each([
    { name: "empty old text", old: "", code: "fs.edit-empty" },
    { name: "the same text", old: "one", code: "fs.edit-no-change" },
    { name: "a missing text", old: "nothing of the kind", code: "fs.edit-missing" },
  ])("$name is refused", async ({ old, code }) => {
    await put("t", "one two");
    expect((await bench.error("fs.edit", { path: "t", edits: [{ old, new: "one" }] })).code).toBe(code);
  });
});

describe("encodings survive", () => {
  test.each([
    { name: "UTF-16LE", mark: [0xff, 0xfe], swap: false },
    { name: "UTF-16BE", mark: [0xfe, 0xff], swap: true },
  ])("$name with its mark (read-2)", async ({ mark, swap }) => {
    const encode = (text: string): Buffer => {
      const body = Buffer.from(text, "utf16le");
      return Buffer.concat([Buffer.from(mark), swap ? body.swap16() : body]);
    };
    await put("n.txt", encode("Größe = 5\r\nende\r\n"));
    const change = await bench.value("fs.edit", { path: "n.txt", edits: [{ old: "Größe = 5\nende", new: "Größe = 6\nende" }] });
    expect(await bytes("n.txt")).toBe(encode("Größe = 6\r\nende\r\n").toString("latin1"));
    expect(change.diff).toContain("+Größe = 6");
  });

  test("a UTF-8 mark and bytes that are no UTF-8 stay where they are", async () => {
    await put("l", Buffer.from("\xef\xbb\xbfcaf\xe9 = 1\nx\n", "latin1"));
    await bench.value("fs.edit", { path: "l", edits: [{ old: " = 1", new: " = ü" }] });
    expect(await bytes("l")).toBe("\xef\xbb\xbfcaf\xe9 = \xc3\xbc\nx\n");
  });

  test("binary content is not edited", async () => {
    await put("z", Buffer.from([0x50, 0x4b, 3, 4, 0, 0]));
    expect((await bench.error("fs.edit", { path: "z", edits: [{ old: "PK", new: "KP" }] })).code).toBe("fs.binary");
  });
});

describe("stale files", () => {
  const edit = { path: "t", edits: [{ old: "two", new: "2" }] };

  test("a file changed since it was read is refused even if the text still matches, until it is read again", async () => {
    await put("t", "one\ntwo\n");
    await bench.value("fs.read", { path: "t" });
    await put("t", "ONE\ntwo\n");
    expect((await bench.error("fs.edit", edit)).code).toBe("fs.stale");
    expect(await bytes("t")).toBe("ONE\ntwo\n");
    await bench.value("fs.read", { path: "t" });
    await bench.value("fs.edit", edit);
    expect(await bytes("t")).toBe("ONE\n2\n");
  });

  test("a file that was only touched, never read, or written by the session itself is not stale", async () => {
    await put("t", "one\ntwo\n");
    await bench.value("fs.edit", edit);
    await utimes(join(folder, "t"), 1, 1);
    await bench.value("fs.edit", { path: "t", edits: [{ old: "2", new: "two" }] });
    await bench.value("fs.write", { path: "t", content: "two" });
    await bench.value("fs.edit", edit);
    expect(await bytes("t")).toBe("2");
  });
});

describe("write", () => {
  test("makes parents and tells that it created", async () => {
    const { outcome, result } = await bench.call("fs.write", { path: "a/b/c.txt", content: "x\ny\n" });
    expect(outcome).toBe("applied");
    expect(result).toEqual({
      ok: true,
      value: {
        path: "a/b/c.txt",
        created: true,
        replacements: 0,
        addedLines: 2,
        removedLines: 0,
        diff: "--- /dev/null\n+++ b/a/b/c.txt\n@@ -0,0 +1,2 @@\n+x\n+y\n",
      },
    });
  });

  test("the same content again writes nothing and touches nothing", async () => {
    await put("t", "same\n");
    const before = await stat(join(folder, "t"));
    const { outcome, result, touched } = await bench.call("fs.write", { path: "t", content: "same\n" });
    expect([outcome, result.ok && result.value.diff, (await stat(join(folder, "t"))).ino]).toEqual(["not-applied", "", before.ino]);
    expect(touched).toBeUndefined();
  });

  test.each([
    ["fs.write", { path: "link", content: "two" }],
    ["fs.edit", { path: "link", edits: [{ old: "one", new: "two" }] }],
  ] as const)("%s names the real file it changed, whatever it was asked for by", async (operation, input) => {
    await put("real", "one");
    await symlink("real", join(folder, "link"));
    expect((await bench.call(operation, input)).touched).toBe(join(await realpath(folder), "real"));
  });

  test("keeps the line ends and the mark of the file it replaces", async () => {
    await put("crlf", "\ufeffa\r\nb\r\n");
    await bench.value("fs.write", { path: "crlf", content: "a\nc\n" });
    expect(await readFile(join(folder, "crlf"), "utf8")).toBe("\ufeffa\r\nc\r\n");
    await put("lf", "a\nb\r\n");
    await bench.value("fs.write", { path: "lf", content: "a\nc\n" });
    expect(await bytes("lf")).toBe("a\nc\n");
  });

  test("a folder, or a file used as one, is refused and nothing is left behind", async () => {
    await mkdir(join(folder, "d"));
    await put("f", "x");
    expect((await bench.error("fs.write", { path: "d", content: "" })).code).toBe("fs.not-regular");
    expect((await bench.error("fs.write", { path: "f/g", content: "" })).code).toBe("fs.not-a-directory");
  });

  test("an aborted write changes nothing and takes its new folders back", async () => {
    const signal = AbortSignal.abort();
    const { outcome, result } = await bench.call("fs.write", { path: "new/t", content: "x" }, { signal });
    expect([outcome, result.ok]).toEqual(["not-applied", false]);
    await expect(stat(join(folder, "new"))).rejects.toThrow("ENOENT");
  });
});

describe("the diff", () => {
  test("is a real diff of before and after, wherever in a long file the change is", async () => {
    const lines = Array.from({ length: 3000 }, (_, index) => `line ${index + 1}`);
    for (const at of [0, 1, 4, 1500, 2996, 2999]) {
      const before = `${lines.join("\n")}\n`;
      const after = before.replace(`line ${at + 1}\n`, `changed ${at + 1}\nand more\n`);
      await put("long", before);
      await bench.value("fs.read", { path: "long" });
      const { diff, addedLines, removedLines } = await bench.value("fs.write", { path: "long", content: after });
      expect([addedLines, removedLines]).toEqual([2, 1]);
      expect(applyPatch(before, diff)).toBe(after);
    }
  });

  test("tells a missing final newline", async () => {
    await put("t", "a\nb");
    const { diff } = await bench.value("fs.write", { path: "t", content: "a\nb\n" });
    expect(diff).toBe("--- a/t\n+++ b/t\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
  });

  test("of a change too large to show is cut, with the counts of all of it", async () => {
    const text = (word: string): string => Array.from({ length: 40_000 }, (_, index) => `${word} ${index}\n`).join("");
    await put("t", text("old"));
    const change = await bench.value("fs.write", { path: "t", content: text("new") });
    expect(change).toMatchObject({ addedLines: 40_000, removedLines: 40_000 });
    expect(change.diff.split("\n").at(-2)).toBe("\\ Cut: 1 of 1 hunk shown, in part; the whole change is +40000 -40000 lines");
    expect(change.diff.length).toBeLessThan(66_000);
  });
});
