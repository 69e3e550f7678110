import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fromText } from "../../../src/effect/paths/index.js";
import { find } from "../../../src/effect/search/find.js";
import { parseGitConfig } from "../../../src/effect/search/ignore/git-config.js";
import { gitPlaces } from "../../../src/effect/search/ignore/index.js";
import { parseIndex } from "../../../src/effect/search/ignore/tracked.js";
import { makeFolder, removeFolder, valueOf } from "../support.js";

let folder: string;

beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(() => removeFolder(folder));

const env = (): Record<string, string> => ({ HOME: join(folder, "home"), GIT_CONFIG_NOSYSTEM: "1", PATH: process.env["PATH"] ?? "" });

function git(at: string, ...args: readonly string[]): string {
  const identity = ["-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "protocol.file.allow=always"];
  return execFileSync("git", [...identity, ...args], { cwd: join(folder, at), env: env(), stdio: ["ignore", "pipe", "ignore"] }).toString();
}

function put(files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

function foundIn(at: string, below = ""): readonly string[] {
  const cwd = fromText(join(folder, at));
  const scope = { root: fromText(join(folder, at, below)), cwd, denied: [], git: gitPlaces(env()) };
  return valueOf(find({ pattern: "**", limit: 1000 }, scope, () => "none")).paths;
}

describe("settings are read as git reads them", () => {
  const texts = [
    "[core]\n\texcludesFile = ~/x\n",
    "[CORE] ExcludesFile=a b  \n",
    '[core]\nexcludesfile = "a # b" ; c\n',
    "[core]\nexcludesfile = a\\\\b\\tc # d\n",
    "[core]\nexcludesfile = one \\\n  two\n",
    '[core]\nexcludesfile = a" b "c\n',
    '[remote "Ori\\"gin"]\nurl = x\n[core]\nbare\n',
    "; c\n[core] # c\n excludesfile = x ; y\n\n[a.b]\nc-d = 1\n",
    "[core]\r\nexcludesfile = x\r\n",
    '[core]\nexcludesfile = ""\n',
  ];

  test.each(texts)("%j", (text) => {
    put({ config: text });
    const listed = execFileSync("git", ["config", "-z", "-f", join(folder, "config"), "--list"], { env: env() }).toString();
    const expected = listed
      .split("\0")
      .filter((entry) => entry !== "")
      .map((entry) => {
        const [key = "", ...value] = entry.split("\n");
        return { key, value: value.length === 0 ? "true" : value.join("\n") };
      });
    expect(parseGitConfig(text)).toEqual(expected);
  });

  test("a person's rules are found by setting, by include, and in the usual place; the repository's own setting is stronger", () => {
    put({ "w/a.mine": "", "w/a.other": "", "w/a.txt": "", "home/.config/git/ignore": "*.mine\n", "home/other": "*.other\n" });
    git("w", "init", "-q");
    expect(foundIn("w")).toEqual(["a.other", "a.txt"]);
    put({ "home/.gitconfig": "[include]\n path = more\n", "home/more": "[core]\n excludesFile = ~/other\n" });
    expect(foundIn("w")).toEqual(["a.mine", "a.txt"]);
    git("w", "config", "core.excludesFile", "");
    expect(foundIn("w")).toEqual(["a.mine", "a.other", "a.txt"]);
  });

  test("a path of a setting may hold any character", () => {
    put({ "v/a.mine": "", "v/a.txt": "", "home/Größe/日本": "*.mine\n", "home/.gitconfig": "[core]\n excludesFile = ~/Größe/日本\n" });
    git("v", "init", "-q");
    expect(foundIn("v")).toEqual(["a.txt"]);
  });

  test("where a repository says that case does not count, it does not", () => {
    put({ "c/Build/x": "", "c/a.LOG": "", "c/src/BUILD": "", "c/.gitignore": "build\n*.log\n", "home/.gitconfig": "" });
    git("c", "init", "-q");
    expect(foundIn("c")).toEqual([".gitignore", "Build/x", "a.LOG", "src/BUILD"]);
    git("c", "config", "core.ignoreCase", "true");
    expect(foundIn("c")).toEqual([".gitignore"]);
  });

  test("variables of git move the places", () => {
    expect(gitPlaces({})).toEqual({ configs: ["/etc/gitconfig"] });
    expect(gitPlaces({ HOME: "/h", XDG_CONFIG_HOME: "/x", GIT_CONFIG_NOSYSTEM: "true" })).toEqual({
      configs: ["/x/git/config", "/h/.gitconfig"],
      home: "/h",
      excludes: "/x/git/ignore",
    });
    expect(gitPlaces({ HOME: "h", GIT_CONFIG_SYSTEM: "/s", GIT_CONFIG_GLOBAL: "/g" })).toEqual({ configs: ["/s", "/g"] });
  });
});

describe("what git tracks", () => {
  const names = ["a", "dir/b", "dir/b.c", "dir/sub/ü", "dir-x", "long/".repeat(20) + "name", "x y", "z\nz"];

  test.each([
    { version: "2", format: "sha1", hashBytes: 20 },
    { version: "3", format: "sha1", hashBytes: 20 },
    { version: "4", format: "sha1", hashBytes: 20 },
    { version: "4", format: "sha256", hashBytes: 32 },
  ])("an index of version $version with $format is read", ({ version, format, hashBytes }) => {
    mkdirSync(join(folder, "w"));
    git("w", "init", "-q", `--object-format=${format}`);
    put(Object.fromEntries(names.map((name) => [`w/${name}`, ""])));
    git("w", "add", ".");
    git("w", "update-index", "--index-version", version);
    if (version === "3") git("w", "update-index", "--skip-worktree", "a");
    const listed = git("w", "ls-files", "-z").split("\0");
    const read = parseIndex(readFileSync(join(folder, "w/.git/index")), hashBytes).map((name) => Buffer.from(name, "latin1").toString());
    expect(read).toEqual(listed.filter((name) => name !== ""));
  });

  test("an index that is none, is cut or is split says nothing", () => {
    mkdirSync(join(folder, "w"));
    git("w", "init", "-q");
    put({ "w/a": "", "w/b": "" });
    git("w", "add", ".");
    const bytes = readFileSync(join(folder, "w/.git/index"));
    for (let end = 0; end < 140; end += 1) expect(parseIndex(bytes.subarray(0, end), 20)).toEqual([]);
    git("w", "update-index", "--split-index");
    expect(parseIndex(readFileSync(join(folder, "w/.git/index")), 20)).toEqual([]);
  });

  test("a rule hides nothing that is tracked, in ignored folders too", () => {
    put({
      "w/.gitignore": "*.log\nbuild/\n",
      "w/kept.log": "",
      "w/lost.log": "",
      "w/build/deep/kept": "",
      "w/build/deep/lost": "",
      "w/build/other/lost": "",
    });
    git("w", "init", "-q");
    git("w", "add", "-f", "kept.log", "build/deep/kept");
    expect(foundIn("w")).toEqual([".gitignore", "build/deep/kept", "kept.log"]);
  });
});

describe("repositories in other forms", () => {
  test("a linked work tree and a submodule have the rules of their own repository", () => {
    put({ "main/.gitignore": "*.log\n", "main/t": "", "lib/t": "", "home/.config/git/ignore": "*.mine\n" });
    for (const at of ["main", "lib"]) {
      git(at, "init", "-q");
      git(at, "add", ".");
      git(at, "commit", "-qm", "x");
    }
    put({ "main/.git/info/exclude": "secret\n" });
    git("main", "worktree", "add", "-q", "../tree");
    git("main", "submodule", "add", "-q", "../lib", "sub");
    put({ "main/.git/modules/sub/info/exclude": "inner\n" });
    for (const at of ["tree", "main/sub"])
      put({ [`${at}/a.log`]: "", [`${at}/secret`]: "", [`${at}/inner`]: "", [`${at}/a.mine`]: "", [`${at}/b`]: "" });
    expect(foundIn("tree")).toEqual([".gitignore", "b", "inner", "t"]);
    expect(foundIn("main")).toEqual([".gitignore", ".gitmodules", "sub/a.log", "sub/b", "sub/secret", "sub/t", "t"]);
    expect(foundIn("main", "sub")).toEqual(["sub/a.log", "sub/b", "sub/secret", "sub/t"]);
  });

  test(".ignore files hold with and without git, and decide before its rules", () => {
    put({
      "w/.ignore": "*.tmp\n!dist\n",
      "w/.gitignore": "dist\n*.log\n",
      "w/dist/a": "",
      "w/dist/a.log": "",
      "w/a.tmp": "",
      "w/in/b.tmp": "",
      "w/c": "",
    });
    expect(foundIn("w")).toEqual([".gitignore", ".ignore", "c", "dist/a"]);
    expect(foundIn("w", "in")).toEqual([]);
    git("w", "init", "-q");
    expect(foundIn("w")).toEqual([".gitignore", ".ignore", "c", "dist/a"]);
  });

  test("an ignored file that is named is searched, and the answer says so", () => {
    put({ "w/.gitignore": "*.log\n", "w/a.log": "" });
    const scope = { root: fromText(join(folder, "w/a.log")), cwd: fromText(join(folder, "w")), denied: [], git: gitPlaces(env()) };
    expect(valueOf(find({ pattern: "*" }, scope, () => "none")).paths).toEqual(["a.log"]);
  });
});
