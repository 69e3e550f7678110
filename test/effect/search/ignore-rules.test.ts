import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fromText } from "../../../src/effect/paths/index.js";
import { find } from "../../../src/effect/search/find.js";
import { makeFolder, removeFolder, valueOf } from "../support.js";

let folder: string;

beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => removeFolder(folder));

const NAMES = ["a", "b", "foo", "Foo", "a.log", "#h", "!n", "x y", "[z]", "deep"];
const RULES = [
  "*.log",
  "!*.log",
  "foo",
  "foo/",
  "/foo",
  "!foo/",
  "a/**",
  "**/b",
  "a/*/b",
  "[a-b]",
  "*",
  "!*/",
  "!a.log",
  "\\#h",
  "\\!n",
  "x\\ y",
  "x y ",
  "deep/a",
  "!deep/a",
  "**/deep/**",
  "/*",
  "!/a",
  "\\[z\\]",
  "# comment",
  "",
  "?",
  "b*",
  "/deep/*",
  "!/deep/foo",
];

const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
const tree = fc.record({
  files: fc.uniqueArray(path, { minLength: 3, maxLength: 25 }),
  rules: fc.uniqueArray(
    fc.tuple(fc.constantFrom("", "a/", "foo/", "deep/", "a/foo/"), fc.array(fc.constantFrom(...RULES), { maxLength: 5 })),
    {
      maxLength: 4,
      selector: ([at]) => at,
    },
  ),
  exclude: fc.array(fc.constantFrom(...RULES), { maxLength: 2 }),
});

function put(root: string, name: string, content: string): void {
  try {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  } catch (error) {
    // A file and a folder of one name: the tree keeps whichever came first.
    if (!(error instanceof Error && "code" in error && ["EEXIST", "ENOTDIR", "EISDIR"].includes(String(error.code)))) throw error;
  }
}

test("random trees are walked as git lists them", () => {
  let count = 0;
  fc.assert(
    fc.property(tree, ({ files, rules, exclude }) => {
      count += 1;
      const root = join(folder, String(count));
      mkdirSync(root);
      execFileSync("git", ["init", "-q", "--template="], { cwd: root });
      put(root, ".git/info/exclude", `${exclude.join("\n")}\n`);
      for (const [at, lines] of rules) put(root, `${at}.gitignore`, `${lines.join("\n")}\n`);
      for (const file of files) put(root, file, "");
      const listed = execFileSync("git", ["ls-files", "-z", "--others", "--exclude-standard"], { cwd: root }).toString();
      const real = fromText(root);
      const found = valueOf(find({ pattern: "**", limit: 1000 }, { root: real, cwd: real, denied: [] }, () => "none"));
      rmSync(root, { recursive: true });
      expect([...found.paths].sort()).toEqual(
        listed
          .split("\0")
          .filter((name) => name !== "")
          .sort(),
      );
    }),
    { numRuns: 30 },
  );
}, 30_000);
