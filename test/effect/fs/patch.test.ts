import { chmod, lstat, mkdir, readdir, readFile, realpath, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
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

const put = (name: string, content: string): Promise<void> => writeFile(join(folder, name), content);
const text = (name: string): Promise<string> => readFile(join(folder, name), "utf8");
const isThere = async (name: string): Promise<boolean> =>
  stat(join(folder, name)).then(
    () => true,
    () => false,
  );
const modeOf = async (name: string): Promise<string> => ((await stat(join(folder, name))).mode & 0o7777).toString(8);
const patch = (lines: readonly string[]): { patch: string } => ({ patch: `${lines.join("\n")}\n` });
const envelope = (lines: readonly string[]): { patch: string } => patch(["*** Begin Patch", ...lines, "*** End Patch"]);

describe("a unified diff", () => {
  test("of git changes, makes, deletes and renames files in one go", async () => {
    await put("a.txt", "one\ntwo\nthree\n");
    await put("old name.txt", "x\ny\n");
    await put("gone.txt", "bye\n");
    await chmod(join(folder, "old name.txt"), 0o776);
    const { outcome, result, touched } = await bench.call(
      "fs.patch",
      patch([
        "From 0123 Mon Sep 17 00:00:00 2001",
        "Subject: all of it",
        "---",
        " 4 files changed",
        "diff --git a/a.txt b/a.txt",
        "index 1..2 100644",
        "--- a/a.txt",
        "+++ b/a.txt",
        "@@ -1,3 +1,3 @@ heading",
        " one",
        "-two",
        "+2",
        " three",
        "diff --git a/new/run.sh b/new/run.sh",
        "new file mode 100755",
        "--- /dev/null",
        "+++ b/new/run.sh",
        "@@ -0,0 +1 @@",
        "+echo",
        "\\ No newline at end of file",
        "diff --git a/old name.txt b/name.txt",
        "similarity index 50%",
        "rename from old name.txt",
        "rename to name.txt",
        "--- a/old name.txt",
        "+++ b/name.txt",
        "@@ -1,2 +1,2 @@",
        "-x",
        "+X",
        " y",
        "diff --git a/gone.txt b/gone.txt",
        "deleted file mode 100644",
        "--- a/gone.txt",
        "+++ /dev/null",
        "@@ -1 +0,0 @@",
        "-bye",
        "-- ",
        "2.39.0",
      ]),
    );
    if (!result.ok) throw new Error(result.error.what);
    expect(outcome).toBe("applied");
    expect(result.value.files.map(({ path, action, from }) => [path, action, from])).toEqual([
      ["a.txt", "changed", undefined],
      ["new/run.sh", "created", undefined],
      ["name.txt", "moved", "old name.txt"],
      ["gone.txt", "deleted", undefined],
    ]);
    expect(await Promise.all(["a.txt", "new/run.sh", "name.txt"].map(text))).toEqual(["one\n2\nthree\n", "echo", "X\ny\n"]);
    expect(await Promise.all(["old name.txt", "gone.txt"].map(isThere))).toEqual([false, false]);
    expect([await modeOf("name.txt"), ((await stat(join(folder, "new/run.sh"))).mode & 0o111) !== 0]).toEqual(["776", true]);
    const real = await realpath(folder);
    expect([...(touched ?? [])].toSorted()).toEqual(
      ["a.txt", "gone.txt", "name.txt", "new/run.sh", "old name.txt"].map((name) => join(real, name)),
    );
    expect((await readdir(folder)).filter((name) => name.startsWith(".smith"))).toEqual([]);
  });

  test.each([
    { name: "the right line", at: 8, after: 8 },
    { name: "a wrong line", at: 2, after: 8 },
    { name: "a line beyond the end", at: 900, after: 8 },
  ])("at $name goes where its lines are", async ({ at, after }) => {
    const lines = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`);
    await put("t", `${lines.join("\n")}\n`);
    await bench.value("fs.patch", patch(["--- t", "+++ t", `@@ -${at},3 +${at},3 @@`, " line 7", "-line 8", "+eight", " line 9"]));
    expect((await text("t")).split("\n")[after - 1]).toBe("eight");
  });

  test("with wrong counts is read by its lines", async () => {
    await put("t", "a\nb\nc\n");
    await bench.value("fs.patch", patch(["--- a/t", "+++ b/t", "@@ -1,9 +1,1 @@", " a", "-b", "+B", "+B2", " c"]));
    expect(await text("t")).toBe("a\nB\nB2\nc\n");
  });

  test("of lines that look like headings is read by its counts", async () => {
    await put("t", "-- a/t\nkeep\n");
    await bench.value("fs.patch", patch(["--- a/t", "+++ b/t", "@@ -1,2 +1,2 @@", "--- a/t", "+++ b/t", " keep"]));
    expect(await text("t")).toBe("++ b/t\nkeep\n");
  });

  test("that fits in several places and on none it names is refused with the lines", async () => {
    await put("t", "x\na\nx\na\nx\na\n");
    const error = await bench.error("fs.patch", patch(["--- t", "+++ t", "@@ -1,1 +1,1 @@", "-a", "+b"]));
    expect([error.code, error.why]).toEqual(["fs.patch-ambiguous", "It fits from lines 2, 4, 6, and none is the line it names."]);
    await bench.value("fs.patch", patch(["--- t", "+++ t", "@@ -4 +4 @@", "-a", "+b"]));
    expect(await text("t")).toBe("x\na\nx\nb\nx\na\n");
  });

  test("whose content only nearly fits is refused, with the nearest place and what differs", async () => {
    await put("t", "function f() {\n\treturn 1;\n}\n");
    const error = await bench.error(
      "fs.patch",
      patch(["--- t", "+++ t", "@@ -1,3 +1,3 @@", " function f() {", "-    return 1;", "+    return 2;", " }"]),
    );
    expect(error.code).toBe("fs.patch-missed");
    expect(error.what).toBe("Hunk 1 of t (line 3 of the patch) does not fit; no file was changed.");
    expect(error.why).toContain(`The nearest is lines 1-3, which differs only in indentation: line 2 is "\\treturn 1;"`);
  });

  test("keeps the line ends of the file, whether the patch has them or not", async () => {
    const before = "a\r\nb\r\nc\r\n";
    await put("bare", before);
    await put("exact", before);
    await put("all", before);
    await bench.value("fs.patch", patch(["--- bare", "+++ bare", "@@ -1,3 +1,4 @@", " a", "-b", "+B", "+B2", " c"]));
    await bench.value("fs.patch", patch(["--- exact", "+++ exact", "@@ -1,3 +1,3 @@", " a\r", "-b\r", "+B\r", " c\r"]));
    await bench.value("fs.patch", { patch: ["--- all", "+++ all", "@@ -1,3 +1,3 @@", " a", "-b", "+B", " c", ""].join("\r\n") });
    expect(await Promise.all(["bare", "exact", "all"].map(text))).toEqual(["a\r\nB\r\nB2\r\nc\r\n", "a\r\nB\r\nc\r\n", "a\r\nB\r\nc\r\n"]);
  });

  test("that deletes a file must show all of it", async () => {
    await put("t", "a\nb\n");
    expect((await bench.error("fs.patch", patch(["--- a/t", "+++ /dev/null", "@@ -1 +0,0 @@", "-a"]))).code).toBe("fs.patch-not-whole");
    expect(await text("t")).toBe("a\nb\n");
  });

  test.each([
    { name: "binary content", lines: ["diff --git a/t b/t", "GIT binary patch", "literal 3"], code: "fs.patch-unsupported" },
    { name: "a mode", lines: ["diff --git a/t b/t", "old mode 100644", "new mode 100755"], code: "fs.patch-unsupported" },
    {
      name: "a link",
      lines: ["diff --git a/l b/l", "new file mode 120000", "--- /dev/null", "+++ b/l", "@@ -0,0 +1 @@", "+t"],
      code: "fs.patch-unsupported",
    },
    { name: "no file", lines: ["@@ -1 +1 @@", "-a", "+b"], code: "fs.patch-syntax" },
    { name: "nothing", lines: ["hello"], code: "fs.patch-empty" },
    { name: "a file that is not there", lines: ["--- a/no", "+++ b/no", "@@ -1 +1 @@", "-a", "+b"], code: "fs.not-found" },
    { name: "a new file that is there", lines: ["--- /dev/null", "+++ b/t", "@@ -0,0 +1 @@", "+b"], code: "fs.exists" },
    { name: "an outside file", lines: ["--- a/../x", "+++ b/../x", "@@ -1 +1 @@", "-a", "+b"], code: "grant.denied" },
  ])("about $name is refused", async ({ lines, code }) => {
    await put("t", "a\n");
    expect((await bench.error("fs.patch", patch(lines))).code).toBe(code);
    expect(await text("t")).toBe("a\n");
  });
});

describe("the envelope", () => {
  test("adds, updates, moves and deletes", async () => {
    await put("m.py", "class A:\n    def f(self):\n        pass\n\nclass B:\n    def f(self):\n        pass\n");
    await put("old.txt", "x\n");
    await put("gone.txt", "bye\n");
    const { files } = await bench.value(
      "fs.patch",
      envelope([
        "*** Add File: docs/new.md",
        "+# New",
        "+",
        "*** Update File: m.py",
        "@@ class B:",
        "     def f(self):",
        "-        pass",
        "+        return 1",
        "*** End of File",
        "*** Update File: old.txt",
        "*** Move to: moved.txt",
        "@@",
        "-x",
        "+y",
        "*** Delete File: gone.txt",
      ]),
    );
    expect(files.map(({ path, action }) => `${action} ${path}`)).toEqual([
      "created docs/new.md",
      "changed m.py",
      "moved moved.txt",
      "deleted gone.txt",
    ]);
    expect(await text("docs/new.md")).toBe("# New\n\n");
    expect(await text("m.py")).toBe("class A:\n    def f(self):\n        pass\n\nclass B:\n    def f(self):\n        return 1\n");
    expect([await text("moved.txt"), await isThere("old.txt"), await isThere("gone.txt")]).toEqual(["y\n", false, false]);
  });

  test("takes several sections of one file one after the other", async () => {
    await put("t", "a\nb\n");
    const update = (from: string, to: string): readonly string[] => ["*** Update File: t", "@@", `-${from}`, `+${to}`];
    await bench.value("fs.patch", envelope([...update("a", "c"), ...update("c", "d"), ...update("b", "e")]));
    expect(await text("t")).toBe("d\ne\n");
  });

  test("leaves the final line end to the file, and puts lines without context at its end", async () => {
    await put("t", "a\r\nb");
    await bench.value("fs.patch", envelope(["*** Update File: t", "@@", "-b", "+B", "*** Update File: t", "@@", "+c"]));
    expect(await text("t")).toBe("a\r\nB\r\nc");
  });

  test.each([
    { name: "an end that is missing", text: "*** Begin Patch\n*** Delete File: t\n", line: 2 },
    { name: "a line without a sign", text: "*** Begin Patch\n*** Update File: t\n@@\n-a\nb\n+c\n*** End Patch\n", line: 5 },
    { name: "an added line without +", text: "*** Begin Patch\n*** Add File: n\nx\n*** End Patch\n", line: 3 },
    { name: "an unknown heading", text: "*** Begin Patch\n*** Rename File: t\n*** End Patch\n", line: 2 },
    { name: "no hunk", text: "*** Begin Patch\n*** Update File: t\n*** End Patch\n", line: 2 },
  ])("with $name is refused by its line", async ({ text: whole, line }) => {
    await put("t", "a\n");
    const error = await bench.error("fs.patch", { patch: whole });
    expect([error.code, error.what.startsWith(`Line ${line} of the patch is `)]).toEqual(["fs.patch-syntax", true]);
    expect(await text("t")).toBe("a\n");
  });

  test("with an anchor that is not there, or a text in two places without one, is refused", async () => {
    await put("t", "a\nb\na\n");
    expect((await bench.error("fs.patch", envelope(["*** Update File: t", "@@ nowhere", "-a", "+c"]))).why).toContain(
      'The line "nowhere" after @@',
    );
    expect((await bench.error("fs.patch", envelope(["*** Update File: t", "@@", "-a", "+c"]))).code).toBe("fs.patch-ambiguous");
  });
});

describe("all files or none", () => {
  test("a later file that does not fit leaves the earlier ones as they were", async () => {
    await put("a", "1\n");
    await put("b", "1\n");
    const { outcome, touched } = await bench.call(
      "fs.patch",
      envelope(["*** Update File: a", "-1", "+2", "*** Add File: n", "+x", "*** Update File: b", "-9", "+2"]),
    );
    expect([outcome, touched, await text("a"), await isThere("n")]).toEqual(["not-applied", undefined, "1\n", false]);
  });

  test("a file that cannot be written leaves nothing behind, not even folders", async () => {
    await put("a", "1\n");
    await mkdir(join(folder, "d"));
    const { outcome, result } = await bench.call(
      "fs.patch",
      envelope(["*** Update File: a", "-1", "+2", "*** Add File: new/n", "+x", "*** Add File: a/x", "+x"]),
    );
    expect([outcome, result.ok, await text("a")]).toEqual(["not-applied", false, "1\n"]);
    expect((await readdir(folder)).toSorted()).toEqual(["a", "d"]);
  });

  test("a file changed since it was read is refused", async () => {
    await put("a", "1\n2\n");
    await bench.value("fs.read", { path: "a" });
    await put("a", "one\n2\n");
    expect((await bench.error("fs.patch", envelope(["*** Update File: a", "-2", "+3"]))).code).toBe("fs.stale");
    expect((await bench.error("fs.patch", envelope(["*** Delete File: a"]))).code).toBe("fs.stale");
    await bench.value("fs.read", { path: "a" });
    await bench.value("fs.patch", envelope(["*** Update File: a", "-2", "+3"]));
    await bench.value("fs.edit", { path: "a", edits: [{ old: "3", new: "4" }] });
    expect(await text("a")).toBe("one\n4\n");
  });

  test("patches and edits of the same files at the same time are all there", async () => {
    await put("a", "1\n2\n3\n");
    await put("b", "1\n2\n3\n");
    await symlink("a", join(folder, "link"));
    await Promise.all([
      bench.value("fs.patch", envelope(["*** Update File: a", "-1", "+one", "*** Update File: b", "-1", "+one"])),
      bench.value("fs.patch", envelope(["*** Update File: b", "-2", "+two", "*** Update File: link", "-2", "+two"])),
      bench.value("fs.edit", { path: "link", edits: [{ old: "3", new: "three" }] }),
    ]);
    expect([await text("a"), await text("b")]).toEqual(["one\ntwo\nthree\n", "one\ntwo\n3\n"]);
    expect((await lstat(join(folder, "link"))).isSymbolicLink()).toBe(true);
  });

  test("what comes to nothing is refused", async () => {
    await put("a", "1\n");
    const error = await bench.error("fs.patch", envelope(["*** Update File: a", "-1", "+2", "*** Update File: a", "-2", "+1"]));
    expect(error.code).toBe("fs.patch-no-change");
  });
});
