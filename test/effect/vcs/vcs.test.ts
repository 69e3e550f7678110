import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SdkOperations, VcsStatusOutput } from "../../../src/schema/index.js";
import type { Grants } from "../../../src/effect/index.js";
import { parseStatus } from "../../../src/effect/vcs/status.js";
import { type Bench, createBench, makeFolder, NOTHING, removeFolder } from "../support.js";

let top: string;
let w: string;
let home: string;
let bench: Bench;
const grants: Grants = { ...NOTHING, vcs: true };
const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };

/** git of a person without settings of their own. */
const git = (...args: readonly string[]): string =>
  execFileSync("git", ["-C", w, "-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main", ...args], {
    encoding: "utf8",
    env: { ...env, HOME: home, GIT_CONFIG_NOSYSTEM: "1" },
    stdio: ["ignore", "pipe", "ignore"],
  });

beforeEach(async () => {
  top = await makeFolder();
  w = join(top, "w");
  home = join(top, "home");
  await mkdir(w);
  await mkdir(home);
  bench = createBench(w, { env: { ...env, HOME: home } });
});
afterEach(async () => {
  await bench.close();
  await removeFolder(top);
});

const status = (path?: string): Promise<VcsStatusOutput> => bench.value("vcs.status", path === undefined ? {} : { path }, { grants });
const diff = (path?: string): Promise<SdkOperations["vcs.diff"]["output"]> =>
  bench.value("vcs.diff", path === undefined ? {} : { path }, { grants });

async function commitSome(): Promise<void> {
  git("init", "-q");
  await mkdir(join(w, "sub"));
  for (const name of ["kept", "changed", "gone", "moved", "sub/inner"]) await writeFile(join(w, name), `${name}\nline\n`.repeat(5));
  git("add", "-A");
  git("commit", "-qm", "first");
}

describe("vcs.status", () => {
  test("tells branch, commit and every change, by paths from the workspace", async () => {
    await commitSome();
    await writeFile(join(w, "changed"), "other\n");
    await rm(join(w, "gone"));
    await rename(join(w, "moved"), join(w, "new place"));
    git("add", "-A", "new place", "moved");
    await writeFile(join(w, "ä\nb"), "");
    await writeFile(join(w, "added"), "");
    git("add", "added");
    const { changes, ...rest } = await status();
    expect(rest).toEqual({ root: w, branch: "main", head: git("rev-parse", "HEAD").trim(), truncated: false });
    expect(changes.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: "added", kind: "added" },
      { path: "changed", kind: "modified" },
      { path: "gone", kind: "deleted" },
      { path: "new place", kind: "renamed" },
      { path: "ä\\nb", kind: "untracked" },
    ]);
  });

  test("before the first commit there is a branch and no commit; on a detached head the other way round", async () => {
    git("init", "-q");
    await writeFile(join(w, "a"), "");
    expect(await status()).toEqual({ root: w, branch: "main", changes: [{ path: "a", kind: "untracked" }], truncated: false });
    git("add", "-A");
    git("commit", "-qm", "first");
    git("checkout", "-q", "--detach");
    expect(await status()).toEqual({ root: w, head: git("rev-parse", "HEAD").trim(), changes: [], truncated: false });
  });

  test("a conflict is told", async () => {
    await commitSome();
    git("checkout", "-qb", "other");
    await writeFile(join(w, "kept"), "theirs\n");
    git("commit", "-qam", "theirs");
    git("checkout", "-q", "main");
    await writeFile(join(w, "kept"), "ours\n");
    git("commit", "-qam", "ours");
    expect(() => git("merge", "-q", "other")).toThrow();
    expect((await status()).changes).toEqual([{ path: "kept", kind: "conflicted" }]);
  });

  test("only what was asked for is looked at, and a workspace in a repository sees only itself", async () => {
    await commitSome();
    await writeFile(join(w, "changed"), "other\n");
    await writeFile(join(w, "sub", "inner"), "other\n");
    expect((await status("sub")).changes).toEqual([{ path: "sub/inner", kind: "modified" }]);
    const inner = createBench(join(w, "sub"), { env: { ...env, HOME: home } });
    expect(await inner.value("vcs.status", {}, { grants })).toMatchObject({ root: w, changes: [{ path: "inner", kind: "modified" }] });
    expect((await inner.value("vcs.diff", {}, { grants })).diff).not.toContain("changed");
    await inner.close();
  });

  test("places denied to plugins are left out", async () => {
    await commitSome();
    await mkdir(join(w, "state"));
    await writeFile(join(w, "state", "auth"), "key");
    await writeFile(join(w, "sub", "inner"), "other\n");
    const denying = createBench(w, { env: { ...env, HOME: home }, denied: [join(w, "state"), join(w, "sub")] });
    expect((await denying.value("vcs.status", {}, { grants })).changes).toEqual([]);
    expect((await denying.value("vcs.diff", {}, { grants })).diff).toBe("");
    await denying.close();
  });

  test("more than a thousand changes are cut", async () => {
    git("init", "-q");
    await Promise.all(Array.from({ length: 1100 }, (_, index) => writeFile(join(w, `f${index}`), "")));
    const { changes, truncated } = await status();
    expect([changes.length, truncated]).toEqual([1000, true]);
  });

  test("the index is not written, and a file that was only touched has not changed", async () => {
    await commitSome();
    const before = await readFile(join(w, ".git", "index"));
    await utimes(join(w, "kept"), 1e9, 1e9);
    expect([(await status()).changes, await diff()]).toEqual([[], { diff: "", truncated: false }]);
    expect((await readFile(join(w, ".git", "index"))).equals(before)).toBe(true);
  });
});

describe("vcs.diff", () => {
  test("is the work tree against the last commit, staged or not, whatever is configured", async () => {
    await commitSome();
    git("config", "diff.noprefix", "true");
    git("config", "color.ui", "always");
    git("config", "diff.mnemonicPrefix", "true");
    await writeFile(join(w, "changed"), "staged\n");
    git("add", "changed");
    await writeFile(join(w, "kept"), "kept\nline\n".repeat(4));
    const { diff: text, truncated } = await diff();
    expect(truncated).toBe(false);
    expect(text).toContain("diff --git a/changed b/changed\n");
    expect(text).toContain("+staged\n");
    expect(text).toContain("--- a/kept\n+++ b/kept\n");
  });

  test("before the first commit everything staged is new", async () => {
    git("init", "-q");
    await writeFile(join(w, "a"), "one\n");
    git("add", "-A");
    expect((await diff()).diff).toContain("+++ b/a\n@@ -0,0 +1 @@\n+one\n");
  });

  test("a large one is cut at a line", async () => {
    await commitSome();
    await writeFile(join(w, "kept"), Array.from({ length: 60_000 }, (_, index) => `line ${index}\n`).join(""));
    const { diff: text, truncated } = await diff();
    expect([truncated, text.length <= 256 * 1024, text.endsWith("\n")]).toEqual([true, true, true]);
  });
});

describe("what cannot be looked at says why", () => {
  test.each([
    { name: "no grant", input: {}, using: NOTHING, code: "grant.denied", words: /grants \{ vcs \}/u },
    { name: "outside the workspace", input: { path: ".." }, using: grants, code: "vcs.outside", words: /path in the workspace/u },
    { name: "behind a link", input: { path: "out" }, using: grants, code: "vcs.outside", words: /path in the workspace/u },
    { name: "no repository", input: {}, using: grants, code: "vcs.no-repository", words: /git init/u },
  ])("$name", async ({ input, using, code, words }) => {
    await symlink("..", join(w, "out"));
    for (const op of ["vcs.status", "vcs.diff"] as const) {
      const error = await bench.error(op, input, { grants: using });
      expect([error.code, error.next]).toEqual([code, expect.stringMatching(words)]);
    }
  });

  test("no git", async () => {
    git("init", "-q");
    const without = createBench(w, { env: { PATH: home } });
    expect((await without.error("vcs.status", {}, { grants })).code).toBe("vcs.no-git");
    await without.close();
  });

  test("a damaged repository, in git's words", async () => {
    git("init", "-q");
    await writeFile(join(w, ".git", "config"), "[core\n");
    expect(await bench.error("vcs.status", {}, { grants })).toMatchObject({
      code: "vcs.failed",
      what: expect.stringContaining("bad config") as string,
    });
  });

  test("an abort", async () => {
    await commitSome();
    const stop = new AbortController();
    stop.abort();
    expect((await bench.error("vcs.status", {}, { grants, signal: stop.signal })).code).toBe("vcs.aborted");
  });
});

describe("a hostile repository runs nothing", () => {
  let trap: string;
  const sprung = async (): Promise<readonly string[]> => (await readdir(top)).filter((name) => name.startsWith("sprung"));

  beforeEach(async () => {
    trap = join(top, "trap.sh");
    await writeFile(trap, `#!/bin/sh\ntouch "${top}/sprung-$1"\ncat\n`);
    await chmod(trap, 0o755);
    await commitSome();
  });

  /** Changes files so that git must look into them. */
  const disturb = async (): Promise<void> => {
    for (const name of ["kept", "changed", "sub/inner"]) await writeFile(join(w, name), `${name} now\n`);
  };

  test.each<readonly [string, (trapPath: string) => readonly (readonly [string, string])[], string]>([
    ["a monitor of files", (path) => [["core.fsmonitor", `${path} fsmonitor`]], ""],
    ["an external diff", (path) => [["diff.external", `${path} external`]], ""],
    [
      "a pager",
      (path) => [
        ["core.pager", `${path} pager`],
        ["pager.diff", `${path} pager`],
        ["pager.status", `${path} pager`],
      ],
      "",
    ],
    ["a diff driver", (path) => [["diff.x.command", `${path} driver`]], "* diff=x\n"],
    ["a text conversion", (path) => [["diff.x.textconv", `${path} textconv`]], "* diff=x\n"],
    [
      "a clean filter",
      (path) => [
        ["filter.x.clean", `${path} clean`],
        ["filter.x.required", "true"],
      ],
      "* filter=x\n",
    ],
    ["a filter process", (path) => [["filter.x.process", `${path} process`]], "* filter=x\n"],
    ["a filter of an odd name", (path) => [["filter.x y.Z.clean", `${path} odd`]], '* filter="x y.Z"\n* filter=x\n'],
    ["hooks", (path) => [["core.hooksPath", join(path, "..", "hooks")]], ""],
    [
      "an alias of the command itself",
      (path) => [
        ["alias.status", `!${path} alias`],
        ["alias.diff", `!${path} alias`],
      ],
      "",
    ],
    [
      "a helper for missing objects",
      (path) => [
        ["remote.o.url", `ext::${path} ext`],
        ["remote.o.promisor", "true"],
        ["extensions.partialClone", "o"],
        ["protocol.ext.allow", "always"],
      ],
      "",
    ],
  ])("%s", async (_name, settings, attributes) => {
    await mkdir(join(top, "hooks"));
    for (const hook of ["post-index-change", "pre-commit", "post-checkout"]) {
      await writeFile(join(top, "hooks", hook), `#!/bin/sh\ntouch "${top}/sprung-hook"\n`);
      await chmod(join(top, "hooks", hook), 0o755);
      await writeFile(join(w, ".git", "hooks", hook), `#!/bin/sh\ntouch "${top}/sprung-hook"\n`);
      await chmod(join(w, ".git", "hooks", hook), 0o755);
    }
    const own = settings(trap);
    for (const [key, value] of own) git("config", key, value);
    if (attributes !== "") await writeFile(join(w, ".gitattributes"), attributes);
    await disturb();
    const isPartial = own.some(([key]) => key === "extensions.partialClone");
    if (isPartial) {
      // An object the diff needs is not there.
      const blob = git("rev-parse", "HEAD:kept").trim();
      await rm(join(w, ".git", "objects", blob.slice(0, 2), blob.slice(2)));
    }
    const told = await bench.call("vcs.status", {}, { grants });
    const compared = await bench.call("vcs.diff", {}, { grants });
    expect(await sprung()).toEqual([]);
    expect([told.result.ok, compared.result.ok]).toEqual([true, !isPartial]);
  });

  test("the traps would spring for a git that is not held back", async () => {
    git("config", "filter.x.clean", `${trap} clean`);
    await writeFile(join(w, ".gitattributes"), "* filter=x\n");
    await disturb();
    git("status");
    expect(await sprung()).toEqual(["sprung-clean"]);
  });

  test("a filter that cannot be named is a refusal", async () => {
    await writeFile(join(w, ".git", "config"), `[filter "a=b"]\n\tclean = ${trap} clean\n`, { flag: "a" });
    await writeFile(join(w, ".gitattributes"), "* filter=a=b\n");
    await disturb();
    expect((await bench.error("vcs.status", {}, { grants })).code).toBe("vcs.unsafe-repository");
    expect(await sprung()).toEqual([]);
  });

  test("a work tree elsewhere is not looked into", async () => {
    await mkdir(join(top, "private"));
    await writeFile(join(top, "private", "kept"), "private text\n");
    git("config", "core.worktree", join(top, "private"));
    expect(await bench.value("vcs.status", {}, { grants })).toMatchObject({ root: w, changes: [] });
    expect((await bench.value("vcs.diff", {}, { grants })).diff).toBe("");
  });

  test("a folder that only looks like a repository is none", async () => {
    const bare = join(w, "sub", "bare");
    await mkdir(join(bare, "objects"), { recursive: true });
    await mkdir(join(bare, "refs"));
    await writeFile(join(bare, "HEAD"), "ref: refs/heads/main\n");
    await writeFile(join(bare, "config"), `[core]\n\tworktree = ${top}\n\tfsmonitor = ${trap} bare\n`);
    expect(await bench.value("vcs.status", { path: "sub/bare" }, { grants })).toMatchObject({ root: w, branch: "main" });
    expect(await sprung()).toEqual([]);
  });

  test("git is not run in a submodule", async () => {
    const inner = join(w, "module");
    await mkdir(inner);
    const inside = (...args: readonly string[]): string =>
      execFileSync("git", ["-C", inner, "-c", "user.name=t", "-c", "user.email=t@t", ...args], {
        encoding: "utf8",
        env: { ...env, HOME: home },
      });
    inside("init", "-q");
    await writeFile(join(inner, "f"), "x\n");
    inside("add", "-A");
    inside("commit", "-qm", "in");
    inside("config", "core.fsmonitor", `${trap} module`);
    inside("config", "filter.x.clean", `${trap} module`);
    await writeFile(join(inner, ".gitattributes"), "* filter=x\n");
    git("-c", "advice.addEmbeddedRepo=false", "add", "module");
    await rm(join(top, "sprung-module"), { force: true });
    git("config", "diff.submodule", "diff");
    git("config", "status.submoduleSummary", "true");
    await writeFile(join(inner, "f"), "y\n");
    await bench.value("vcs.status", {}, { grants });
    await bench.value("vcs.diff", {}, { grants });
    expect(await sprung()).toEqual([]);
  });
});

describe("a repository is its own", () => {
  const expectRefused = async (): Promise<void> => {
    for (const op of ["vcs.status", "vcs.diff"] as const)
      expect((await bench.error(op, {}, { grants })).code).toMatch(/^vcs\.(?:unsafe-repository|failed)$/u);
  };

  /** A repository somewhere else, with something in it that is nobody's business. */
  async function makePrivate(): Promise<string> {
    const other = join(top, "private");
    await mkdir(other);
    await writeFile(join(other, "diary"), "dear diary\n");
    const there = (...args: readonly string[]): string =>
      execFileSync("git", ["-C", other, "-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main", ...args], {
        encoding: "utf8",
        env: { ...env, HOME: home },
      });
    there("init", "-q");
    there("add", "-A");
    there("commit", "-qm", "in");
    return join(other, ".git");
  }

  test("one above is not reached through a .git that is none", async () => {
    execFileSync("git", ["-C", top, "init", "-q"], { env: { ...env, HOME: home } });
    await mkdir(join(w, ".git"));
    expect(await bench.error("vcs.diff", {}, { grants })).toMatchObject({
      code: "vcs.failed",
      what: expect.stringContaining("not a git repository") as string,
    });
  });

  test("another is not reached by a link", async () => {
    await symlink(await makePrivate(), join(w, ".git"));
    await expectRefused();
  });

  test("another is not reached by a file that names it", async () => {
    await writeFile(join(w, ".git"), `gitdir: ${await makePrivate()}\n`);
    await expectRefused();
  });

  test("another is not reached by a common folder", async () => {
    const other = await makePrivate();
    git("init", "-q");
    await writeFile(join(w, ".git", "commondir"), `${other}\n`);
    await expectRefused();
  });

  test.each(["objects", "refs", "HEAD"])("another is not reached by its %s", async (part) => {
    const other = await makePrivate();
    git("init", "-q");
    await rm(join(w, ".git", part), { recursive: true });
    await symlink(join(other, part), join(w, ".git", part));
    await expectRefused();
  });

  test("a linked work tree and a submodule are known by the other side naming them", async () => {
    await commitSome();
    git("worktree", "add", "-q", join(w, "linked"), "-b", "side");
    await writeFile(join(w, "linked", "kept"), "other\n");
    const linked = createBench(join(w, "linked"), { env: { ...env, HOME: home } });
    expect(await linked.value("vcs.status", {}, { grants })).toMatchObject({
      branch: "side",
      changes: [{ path: "kept", kind: "modified" }],
    });
    expect((await linked.value("vcs.diff", {}, { grants })).diff).toContain("+other\n");
    await linked.close();
    const other = await makePrivate();
    git("-c", "protocol.file.allow=always", "submodule", "add", "-q", join(other, ".."), "module");
    const module = createBench(join(w, "module"), { env: { ...env, HOME: home } });
    expect(await module.value("vcs.status", {}, { grants })).toMatchObject({ root: join(w, "module"), branch: "main", changes: [] });
    await module.close();
  });
});

describe("what git says is read record by record", () => {
  test.each<readonly [string, string, ReturnType<typeof parseStatus>]>([
    ["nothing", "", { changes: [] }],
    ["a line nobody knows", "x something\0! ignored\0", { changes: [] }],
    ["a path with blanks", "1 .M N... 100644 100644 100644 a b a b  c\0", { changes: [{ path: "a b  c" as never, kind: "modified" }] }],
    [
      "a rename takes its old name with it",
      "2 R. N... 100644 100644 100644 a b R100 new\0old\0? other\0",
      {
        changes: [
          { path: "new" as never, kind: "renamed" },
          { path: "other" as never, kind: "untracked" },
        ],
      },
    ],
    ["deleted in the index", "1 D. N... 100644 000000 000000 a b gone\0", { changes: [{ path: "gone" as never, kind: "deleted" }] }],
  ])("%s", (_name, text, expected) => {
    expect(parseStatus(Buffer.from(text))).toEqual(expected);
  });
});
