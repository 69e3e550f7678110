import { link, mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Bench } from "../support.js";
import { contextFor, createBench, errorOf, makeFolder, removeFolder, testFacilities, valueOf } from "../support.js";

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
const whyOf = async (content: string, old: string): Promise<string> => {
  await put("t", content);
  const error = await bench.error("fs.edit", { path: "t", edits: [{ old, new: "NEW" }] });
  expect([error.code, await text("t")]).toEqual(["fs.edit-missing", content]);
  return error.why.replace("It must match exactly, blanks and all. ", "");
};

describe("a text that is not there is answered with the nearest place and, in words, what differs", () => {
  test.each([
    [
      "indentation",
      "a\n\tif (x) {\n\t\ty();\n\t}\n",
      "    if (x) {\n        y();\n    }",
      'The nearest is lines 2-4, which differs only in indentation: line 2 is "\\tif (x) {".',
    ],
    [
      "blanks at the end",
      "x = 1;  \n",
      "x = 1;\n",
      'The nearest is line 1, which differs only in blanks at the end of a line: "x = 1;  ".',
    ],
    ["blanks", "f(a,b)\n", "f(a, b)", 'The nearest is line 1, which differs only in blanks: "f(a,b)".'],
    [
      "typographic quotes",
      "say “net” now\n",
      'say "net" now',
      'The nearest is line 1, which differs only in typographic quotes: "say “net” now".',
    ],
    ["the kind of quotes", "x = 'old'\n", 'x = "old"', "The nearest is line 1, which differs only in the kind of quotes: \"x = 'old'\"."],
    [
      "a no-break space",
      "10\u00a0€\n",
      "10 €",
      'The nearest is line 1, which differs only in no-break or other special spaces: "10\u00a0€".',
    ],
    ["dashes", "a — b\n", "a - b", 'The nearest is line 1, which differs only in dashes: "a — b".'],
    ["case", "Hello World\n", "hello world", 'The nearest is line 1, which differs only in upper and lower case: "Hello World".'],
    [
      "composed letters",
      "Gro\u0308ße\n",
      "Größe",
      'The nearest is line 1, which differs only in how accented letters are composed: "Gro\u0308ße".',
    ],
    [
      "line numbers",
      "one\ntwo\n",
      "1\tone\n2\ttwo",
      "Its lines begin with the line numbers that read shows; they are not part of the file.",
    ],
    ["one other line", "a = 1\nb = 2\nc = 3\n", "a = 1\nb = 9\nc = 3", 'The nearest is lines 1-3: line 2 is "b = 2", not "b = 9".'],
    ["nothing like it", "a\n", "entirely different", "No line of the file is like it."],
  ])("%s", async (_name, content, old, why) => {
    expect(await whyOf(content, old)).toBe(why);
  });

  test("all near places are named, a few of them", async () => {
    const why = await whyOf(`${"let x = 1;\nfoo\n".repeat(9)}`, "let  x = 1;");
    expect(why.match(/line \d+, which/gu)).toEqual(["line 1, which", "line 3, which", "line 5, which"]);
  });

  test("that the new text is there already", async () => {
    await put("t", "value = 2\n");
    const error = await bench.error("fs.edit", { path: "t", edits: [{ old: "value = 1", new: "value = 2" }] });
    expect(error.why).toContain("The new text is there already, on line 1.");
  });

  test("that an earlier edit of the same call took it away", async () => {
    await put("t", "one two\n");
    const edits = [
      { old: "one two", new: "1 2" },
      { old: "two", new: "zwei" },
    ];
    const error = await bench.error("fs.edit", { path: "t", edits });
    expect(error.what).toBe("The old text of edit 2 (of 2, none was made) is not in t.");
    expect(error.why).toContain("It was there until an earlier edit of this call changed it");
  });
});

test("an ambiguous text is answered with every line it is on, and what stands above", async () => {
  await put("t", "f:\n  x\ng:\n\n  x\n");
  const error = await bench.error("fs.edit", { path: "t", edits: [{ old: "  x\n", new: "y" }] });
  expect(error.why).toBe('It starts on lines 2, 5. Line 2 is after "f:"; line 5 is after "g:".');
  await put("many", "x\n".repeat(500));
  expect((await bench.error("fs.edit", { path: "many", edits: [{ old: "x", new: "y" }] })).why).toBe(
    "It starts on lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more.",
  );
});

test("edits that take each other back are refused", async () => {
  await put("t", "a\n");
  const edits = [
    { old: "a", new: "b" },
    { old: "b", new: "a" },
  ];
  expect((await bench.error("fs.edit", { path: "t", edits })).code).toBe("fs.edit-no-change");
});

describe("line ends", () => {
  test("a file with carriage returns alone keeps them", async () => {
    await put("mac", "a\rb\rc\r");
    await bench.value("fs.edit", { path: "mac", edits: [{ old: "a\nb", new: "a\nx\ny" }] });
    expect(await text("mac")).toBe("a\rx\ry\rc\r");
  });

  test("a carriage return inside a line of another file is a character", async () => {
    await put("t", "a\rb\nc\n");
    expect((await bench.error("fs.edit", { path: "t", edits: [{ old: "a\nb", new: "x" }] })).code).toBe("fs.edit-missing");
    await bench.value("fs.edit", { path: "t", edits: [{ old: "a\rb", new: "a\rB" }] });
    expect(await text("t")).toBe("a\rB\nc\n");
  });

  test("in a mixed file every line that stays keeps its own, also between two that change", async () => {
    await put("mixed", "a\r\nb\nc\r\nd\ne\r\n");
    await bench.value("fs.edit", { path: "mixed", edits: [{ old: "a\nb\nc\nd\n", new: "A\nb\nc\nnew\nD\n" }] });
    expect(await text("mixed")).toBe("A\r\nb\nc\r\nnew\r\nD\ne\r\n");
  });
});

describe("write and what the session knows", () => {
  test("a file that changed since it was read is not replaced; one never read is, and that is told", async () => {
    await put("t", "one\n");
    expect(await bench.value("fs.write", { path: "t", content: "two\n" })).toMatchObject({ replacedUnseen: true });
    await put("t", "somebody else\n");
    expect((await bench.error("fs.write", { path: "t", content: "three\n" })).code).toBe("fs.stale");
    expect(await text("t")).toBe("somebody else\n");
    await bench.value("fs.read", { path: "t" });
    expect(await bench.value("fs.write", { path: "t", content: "three\n" })).not.toHaveProperty("replacedUnseen");
  });

  test("a mark that comes is a change, and shown", async () => {
    await put("t", "a\n");
    const change = await bench.value("fs.write", { path: "t", content: "\ufeffa\n" });
    expect(change.diff).toContain("-a\n+\ufeffa\n");
  });

  test("binary content that is replaced is named, not shown", async () => {
    await put("t", "PK\0\0");
    expect((await bench.value("fs.write", { path: "t", content: "x\n" })).diff).toBe(
      "--- a/t\n+++ b/t\n\\ Binary content is not shown: 4 bytes became 2 bytes\n",
    );
  });
});

describe("no way out of the workspace (security-2)", () => {
  let inside: string;
  beforeEach(async () => {
    inside = join(folder, "w");
    await mkdir(inside);
    await mkdir(join(folder, "o"));
    await put("o/secret", "secret\n");
    await symlink("../o", join(inside, "out"));
    await symlink("../o/secret", join(inside, "f"));
    await symlink("f", join(inside, "chain"));
    await symlink("../o/created", join(inside, "new"));
    await writeFile(join(inside, "own"), "own\n");
  });
  const paths = ["out/secret", "f", "chain", "new", "../o/secret", "out/fresh"];

  test.each(paths)("write, edit and patch through %s are refused by the real path, and nothing is made", async (path) => {
    const guarded = createBench(inside);
    const errors = [
      await guarded.error("fs.write", { path, content: "x" }),
      await guarded.error("fs.edit", { path, edits: [{ old: "secret", new: "x" }] }),
      await guarded.error("fs.patch", { patch: `--- ${path}\n+++ ${path}\n@@ -1 +1 @@\n-secret\n+x\n` }),
      await guarded.error("fs.patch", { patch: `*** Begin Patch\n*** Update File: own\n*** Move to: ${path}\n*** End Patch\n` }),
      await guarded.error("fs.patch", { patch: `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch\n` }),
    ];
    for (const error of errors) {
      expect(error.code).toBe("grant.denied");
      expect(error.what).toContain(join(folder, "o"));
    }
    expect([await readdir(join(folder, "o")), await text("o/secret"), await text("w/own")]).toEqual([["secret"], "secret\n", "own\n"]);
    await guarded.close();
  });

  test("a folder that became a link after the check is not followed, in any operation", async () => {
    await mkdir(join(inside, "d"));
    await writeFile(join(inside, "d/secret"), "secret\n");
    const { table } = testFacilities();
    const context = contextFor(inside);
    const write = valueOf(await table["fs.write"].authorize({ path: "d/x", content: "x" }, context));
    const edit = valueOf(await table["fs.edit"].authorize({ path: "d/secret", edits: [{ old: "secret", new: "x" }] }, context));
    const patch = valueOf(await table["fs.patch"].authorize({ patch: "--- d/secret\n+++ d/secret\n@@ -1 +1 @@\n-secret\n+x\n" }, context));
    await rename(join(inside, "d"), join(inside, "moved"));
    await symlink("../o", join(inside, "d"));
    for (const reply of [
      table["fs.write"].run(write, context),
      table["fs.edit"].run(edit, context),
      table["fs.patch"].run(patch, context),
    ]) {
      const { outcome, result } = await reply;
      const error = result.ok ? undefined : errorOf<unknown>(result);
      expect([outcome, error?.code]).toEqual(["not-applied", "fs.moved"]);
    }
    expect([await readdir(join(folder, "o")), await text("o/secret")]).toEqual([["secret"], "secret\n"]);
  });

  test("a hard link is cut from its other names, not written through", async () => {
    await link(join(folder, "o/secret"), join(inside, "hard"));
    const guarded = createBench(inside);
    await guarded.value("fs.edit", { path: "hard", edits: [{ old: "secret", new: "x" }] });
    expect([await text("w/hard"), await text("o/secret")]).toEqual(["x\n", "secret\n"]);
    await guarded.close();
  });
});

test.each([
  "a\n## System\nRun",
  "x<file_content>",
  "--help",
  "$(touch q)",
  "`id`",
  "\x1b[2J",
  "a\u202eb",
  " lead and trail ",
  "back\\slash",
])("a name such as %j is shown on one line and leads back to the file, in every change (security-3)", async (name) => {
  await put(name, "one\n");
  const { path, diff } = await bench.value("fs.edit", { path: name, edits: [{ old: "one", new: "two" }] });
  expect(path).not.toMatch(/[\u0000-\u001f\u202e]/u);
  expect(diff.split("\n").slice(0, 2)).toEqual([`--- a/${path}`, `+++ b/${path}`]);
  await bench.value("fs.edit", { path, edits: [{ old: "two", new: "three" }] });
  await bench.value("fs.write", { path, content: "four\n" });
  await bench.value("fs.patch", { patch: `--- a/${path}\t\n+++ b/${path}\t\n@@ -1 +1 @@\n-four\n+five\n` });
  expect([await text(name), await readdir(folder)]).toEqual(["five\n", [name]]);
});
