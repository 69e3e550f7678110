import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fromText } from "../../../src/effect/paths/index.js";
import { find } from "../../../src/effect/search/find.js";
import { gitPlaces } from "../../../src/effect/search/ignore/index.js";
import { makeFolder, removeFolder, valueOf } from "../support.js";

let folder: string;

beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => removeFolder(folder));

const NAMES = ["a", "b", "foo", "Foo", "a.log", "#h", "!n", "x y", "[z]", "deep", "é", "日本", "mañana.LOG"];
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
  "??",
  "[!a]",
  "é",
  "[é]",
  "日*",
  "*ñ*.log",
  "FOO",
  "/Deep/",
  "[[:upper:]]oo",
  "/deep/*",
  "!/deep/foo",
];

const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
const rules = (maxLength: number): fc.Arbitrary<readonly string[]> => fc.array(fc.constantFrom(...RULES), { maxLength });
const tree = fc.record({
  files: fc.uniqueArray(path, { minLength: 3, maxLength: 25 }),
  rules: fc.uniqueArray(fc.tuple(fc.constantFrom("", "a/", "foo/", "deep/", "a/foo/"), rules(5)), {
    maxLength: 4,
    selector: ([at]) => at,
  }),
  exclude: rules(2),
  personal: rules(2),
  /** Where the person's rules are: the usual place, or named in one of two files of settings. */
  named: fc.constantFrom("usual", "home", "xdg"),
  /** Whether rule files begin with a byte order mark. */
  marked: fc.boolean(),
  /** What `core.ignoreCase` says, where it is set. */
  folded: fc.constantFrom(undefined, "true", "false", "1"),
  tracked: fc.array(fc.nat({ max: 24 }), { maxLength: 4 }),
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

const isFile = (name: string): boolean => existsSync(name) && statSync(name).isFile();

const SETTINGS = { usual: undefined, home: ".gitconfig", xdg: ".config/git/config" } as const;

type Tree = typeof tree extends fc.Arbitrary<infer Value> ? Value : never;

/** Two folders: a home with a person's settings, and a repository. */
function plant(root: string, given: Tree): void {
  const lines = (texts: readonly string[]): string => `${texts.join("\n")}\n`;
  const settings = SETTINGS[given.named];
  put(root, settings === undefined ? "home/.config/git/ignore" : "home/mine", lines(given.personal));
  if (settings !== undefined) put(root, `home/${settings}`, '[user]\n\tname = x ; y\n[Core]\n\tExcludesFile = "~/mine" # those\n');
  put(root, "work/.git/HEAD", "ref: refs/heads/main\n");
  if (given.folded !== undefined) put(root, "work/.git/config", `[core]\n\tignoreCase = ${given.folded}\n`);
  for (const folder of ["objects", "refs"]) mkdirSync(join(root, "work/.git", folder));
  put(root, "work/.git/info/exclude", lines(given.exclude));
  for (const [at, texts] of given.rules) put(root, `work/${at}.gitignore`, `${given.marked ? "\ufeff" : ""}${lines(texts)}`);
  for (const file of given.files) put(root, `work/${file}`, "");
}

test("150 random trees are walked as git lists them, from the top and from inside, with what git tracks", () => {
  let count = 0;
  fc.assert(
    fc.property(tree, (given) => {
      count += 1;
      const root = join(folder, String(count));
      const work = join(root, "work");
      const env = { HOME: join(root, "home"), GIT_CONFIG_NOSYSTEM: "1" };
      plant(root, given);
      const git = (args: readonly string[]): readonly string[] =>
        execFileSync("git", args, { cwd: work, env: { ...env, PATH: process.env["PATH"] ?? "" } })
          .toString()
          .split("\0")
          .filter((name) => name !== "");
      const untracked = git(["ls-files", "-z", "--others", "--exclude-standard"]);
      // Then git takes names of its index for one another, too, which here are two files.
      const isFolded = given.folded === "true" || given.folded === "1";
      const added = (isFolded ? [] : given.tracked).flatMap((index) => given.files[index] ?? []).filter((name) => isFile(join(work, name)));
      if (added.length > 0) git(["--literal-pathspecs", "add", "-f", "--ignore-errors", "--", ...added]);
      const listed = git(["ls-files", "-z", "--others", "--cached", "--exclude-standard"]);
      const found = (at: string): readonly string[] => {
        const scope = { root: fromText(join(work, at)), cwd: fromText(work), denied: [], git: gitPlaces(env) };
        return valueOf(find({ pattern: "**", limit: 1000 }, scope, () => "none")).paths;
      };
      expect([...found("")].sort()).toEqual([...listed].sort());
      const inside = untracked.map((name) => dirname(name)).find((name) => name !== ".");
      if (inside !== undefined) expect([...found(inside)].sort()).toEqual(listed.filter((name) => name.startsWith(`${inside}/`)).sort());
      rmSync(root, { recursive: true });
    }),
    { numRuns: 150 },
  );
}, 120_000);
