import { chmod, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ProcessInput } from "../../../src/schema/index.js";
import type { Grants } from "../../../src/effect/index.js";
import { areWordsGranted, isLineGranted } from "../../../src/effect/process/programs.js";
import { type Bench, createBench, makeFolder, NOTHING, removeFolder } from "../support.js";

const at = { cwd: "/w/sub", workspace: "/w" };

describe("which programs a pattern covers", () => {
  test.each<readonly [string, string, readonly string[], boolean]>([
    ["a name, whatever the arguments", "git", ["git", "push", "--force"], true],
    ["another name", "git", ["gitk"], false],
    ["a name with any end", "npm*", ["npm-check"], true],
    ["everything", "*", ["/usr/bin/anything", "x"], true],
    ["a path for a name", "git", ["./git"], false],
    ["an absolute path for a name", "git", ["/tmp/git"], false],
    ["a way out of a pattern", "npm*", ["npm/../evil"], false],
    ["words that fit", "git status*", ["git", "status", "--short"], true],
    ["words that fit exactly", "git status*", ["git", "status"], true],
    ["words that do not fit", "git status*", ["git", "stash"], false],
    ["no arguments for words", "git *", ["git"], false],
    ["arguments of several lines", "git *", ["git", "a\nb"], true],
    ["an argument with blanks is part of the whole", "git commit -m *", ["git", "commit", "-m", "a b"], true],
    ["a pattern that would fit the joined line only", "git status", ["git status"], false],
    ["a program named by its path", "/usr/bin/git", ["/usr/bin/git", "x"], true],
    ["a path that leads there", "/usr/bin/git", ["/usr/bin/../bin/git"], true],
    ["a path that leads elsewhere", "/usr/bin/*", ["/usr/bin/../../tmp/x"], false],
    ["a relative path starts at the workspace", "./build.sh", ["../build.sh"], true],
    ["the same words in another folder", "./build.sh", ["./build.sh"], false],
    ["a folder of programs", "scripts/*", ["/w/scripts/a"], true],
    ["a name for a path", "/usr/bin/git", ["git"], false],
    ["characters of expressions", "g.t", ["git"], false],
    ["many stars are no burden", `${"*a".repeat(50)}b`, ["a".repeat(5000)], false],
  ])("%s: %s", (_name, pattern, words, verdict) => {
    expect(areWordsGranted(words, [pattern], at)).toBe(verdict);
  });

  test.each<readonly [string, string, string, boolean]>([
    ["one plain command", "git", "git status", true],
    ["words", "git status*", "git  status   --short", true],
    ["other words", "git status*", "git push", false],
    ["a list", "git", "git status; rm -rf .", false],
    ["a substitution", "git", "git $(rm -rf .)", false],
    ["a redirection", "git", "git log > x", false],
    ["a glob of the shell", "git", "git add *", false],
    ["a variable in front", "git", "PATH=. git status", false],
    ["a way out of a pattern", "npm*", "npm/../evil", false],
    ["two lines", "git", "git status\nrm x", false],
  ])("by the shell: %s", (_name, pattern, line, verdict) => {
    expect(isLineGranted(line, [pattern], at)).toBe(verdict);
  });
});

describe("programs without a shell", () => {
  let folder: string;
  let bench: Bench;
  const KEY = "sk-very-secret-value-1234567890";
  const grants = (over: Partial<Grants>): { readonly grants: Grants } => ({ grants: { ...NOTHING, ...over } });
  const output = async (input: ProcessInput, over: Partial<Grants> = {}): Promise<string> =>
    (await bench.value("process.run", input, grants({ process: ["*"], ...over }))).output;

  beforeEach(async () => {
    folder = await makeFolder();
    bench = createBench(folder, {
      env: {
        PATH: `bin:${process.env["PATH"] ?? "/usr/bin:/bin"}`,
        HOME: folder,
        LC_TIME: "C",
        SMITH_SESSION_ID: "s1",
        DIFFTOOL: "vi",
        NODE_OPTIONS: "--no-warnings",
      },
      secret: (name) => (name === "TEST_KEY" ? `${KEY}\n` : name === "LINES" ? "several\nlines" : undefined),
    });
  });
  afterEach(async () => {
    await bench.close();
    await removeFolder(folder);
  });

  test("get their arguments as they are", async () => {
    const args = ["%s|", "a b", "$HOME", "*", "'", "", "ä"];
    expect(await output({ program: "printf", args })).toBe("a b|$HOME|*|'||ä|");
  });

  test("are found once, on the absolute folders of PATH, and recorded so", async () => {
    await mkdir(join(folder, "bin"));
    await writeFile(join(folder, "bin", "echo"), "#!/bin/sh\nprintf evil");
    await chmod(join(folder, "bin", "echo"), 0o755);
    expect(await output({ program: "echo", args: ["hi"] }, { process: ["echo"] })).toBe("hi\n");
  });

  test("by a path start in the folder of the call", async () => {
    await mkdir(join(folder, "sub"));
    await writeFile(join(folder, "sub", "own.sh"), "#!/bin/sh\npwd");
    await chmod(join(folder, "sub", "own.sh"), 0o755);
    expect(await output({ program: "./own.sh", cwd: "sub" }, { process: ["sub/own.sh"] })).toBe(`${folder}/sub\n`);
  });

  test.each([
    { name: "unknown", program: "no-such-program-here" },
    { name: "a folder", program: "./sub" },
    { name: "not executable", program: "./plain" },
  ])("that are not there are a diagnostic: $name", async ({ program }) => {
    await mkdir(join(folder, "sub"));
    await writeFile(join(folder, "plain"), "x");
    const { outcome, result } = await bench.call("process.run", { program }, grants({ process: ["*"] }));
    expect([outcome, result.ok ? "" : result.error.code]).toEqual(["not-applied", "process.not-found"]);
  });

  test("read what they are given, and one that does not read it ends all the same", async () => {
    expect(await output({ program: "cat", stdin: "häl\n" })).toBe("häl\n");
    expect(await output({ command: "cat; echo end", stdin: "in " })).toBe("in end\n");
    expect(await output({ program: "true", stdin: "x".repeat(1024 * 1024) })).toBe("");
    expect(await output({ program: "cat" })).toBe("");
    const error = await bench.error("process.run", { program: "cat", stdin: "x".repeat(4 * 1024 * 1024 + 1) }, grants({ process: ["*"] }));
    expect(error.code).toBe("process.stdin-too-large");
  });

  test.each([
    { granted: [], has: ["HOME", "LC_TIME", "PATH", "SMITH_SESSION_ID", "AI_AGENT", "SMITH_COMMAND"], lacks: ["DIFFTOOL", "NODE_OPTIONS"] },
    { granted: ["DIFF*"], has: ["HOME", "DIFFTOOL"], lacks: ["NODE_OPTIONS"] },
    { granted: ["*"], has: ["HOME", "DIFFTOOL", "NODE_OPTIONS"], lacks: [] },
  ])("inherit the basic variables and those granted: $granted", async ({ granted, has, lacks }) => {
    const names = (await output({ program: "env" }, { processEnv: granted })).split("\n").map((line) => line.split("=")[0]);
    expect(names).toEqual(expect.arrayContaining(has));
    for (const name of lacks) expect(names).not.toContain(name);
  });

  test("get the variables that are set for them, secrets filled in and taken out of what they say", async () => {
    const input = {
      program: "sh",
      args: ["-c", 'printf "%s " "$MY_KEY" "${#MY_KEY}" "$MY_B"'],
      env: { MY_KEY: "k:{secret:TEST_KEY}", MY_B: "b" },
    };
    const progress: string[] = [];
    const said = await bench.value("process.run", input, {
      ...grants({ process: ["*"], processEnv: ["MY_*"], secrets: ["TEST_KEY"] }),
      onProgress: (text) => progress.push(text),
    });
    expect(said.output).toBe(`k:[redacted] ${KEY.length + 2} b `);
  });

  test.each<readonly [string, ProcessInput, Partial<Grants>, string, RegExp]>([
    ["no grant", { program: "git" }, { process: [] }, "grant.denied", /process "git"/u],
    ["another program", { program: "git" }, { process: ["npm"] }, "grant.denied", /process "git"/u],
    ["a variable that is not granted", { program: "env", env: { X: "1" } }, {}, "grant.denied", /env="X"/u],
    ["a mark of smith", { program: "env", env: { SMITH_X: "1" } }, { processEnv: ["*"] }, "grant.denied", /Leave the variable out/u],
    [
      "a library under *",
      { program: "env", env: { LD_PRELOAD: "./x.so" } },
      { process: ["env"], processEnv: ["*"] },
      "grant.denied",
      /env="LD_PRELOAD"/u,
    ],
    [
      "options under a pattern",
      { program: "env", env: { NODE_OPTIONS: "-r x" } },
      { process: ["env"], processEnv: ["NODE_*"] },
      "grant.denied",
      /Leave/u,
    ],
    [
      "a command of git under a pattern",
      { program: "env", env: { GIT_SSH_COMMAND: "x" } },
      { process: ["env"], processEnv: ["GIT_*"] },
      "grant.denied",
      /Leave/u,
    ],
    ["the search for programs", { program: "env", env: { PATH: "." } }, { process: ["env"], processEnv: ["*"] }, "grant.denied", /Leave/u],
    ["a name that is none", { program: "env", env: { "A=B": "1" } }, { processEnv: ["*"] }, "process.bad-variable", /MY_SETTING/u],
    [
      "a secret that is not granted",
      { program: "env", env: { X: "{secret:TEST_KEY}" } },
      { processEnv: ["*"] },
      "grant.denied",
      /secrets "TEST_KEY"/u,
    ],
    [
      "a secret that is not set",
      { program: "env", env: { X: "{secret:NO}" } },
      { processEnv: ["*"], secrets: ["NO"] },
      "secret.unusable",
      /set NO/u,
    ],
    [
      "a secret of several lines",
      { program: "env", env: { X: "{secret:LINES}" } },
      { processEnv: ["*"], secrets: ["LINES"] },
      "secret.unusable",
      /set LINES/u,
    ],
    ["an empty name", { program: " " }, {}, "process.bad-command", /one command line/u],
    ["a NUL in an argument", { program: "echo", args: ["a\0b"] }, {}, "process.bad-command", /one command line/u],
  ])("are refused and say why: %s", async (_name, input, ...row) => {
    const [over, code, words] = row;
    const error = await bench.error("process.run", input, grants({ process: ["*"], ...over }));
    expect([error.code, error.next]).toEqual([code, expect.stringMatching(words)]);
    expect(JSON.stringify(error)).not.toContain(KEY);
  });

  test("a plugin that may run nothing learns nothing of folders", async () => {
    await symlink("loop", join(folder, "loop"));
    const codes = await Promise.all(
      ["none", ".", "loop"].map(async (cwd) => (await bench.error("process.run", { program: "ls", cwd }, grants({}))).code),
    );
    expect(codes).toEqual(["grant.denied", "grant.denied", "grant.denied"]);
    expect(await readdir(folder)).toEqual(["loop"]);
  });
});
