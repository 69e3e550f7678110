import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));

describe("the packed package, unpacked elsewhere, in a folder whose name must be quoted", () => {
  let home = "";
  let files: readonly string[] = [];
  const smith = (...args: readonly string[]) =>
    run(process.execPath, [join(home, "node_modules/smith-agent/dist/smith.js"), ...args], {
      cwd: join(home, "work"),
      env: { PATH: process.env["PATH"], HOME: home, SMITH_HOME: join(home, "smith") },
    });

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "smith pack ü-"));
    const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", home], { cwd: root });
    const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
    files = packed.files.map(({ path }) => path);
    mkdirSync(join(home, "node_modules"));
    mkdirSync(join(home, "work"));
    writeFileSync(join(home, "work/seen.txt"), "here\n");
    await run("tar", ["-xzf", join(home, packed.filename), "-C", join(home, "node_modules")]);
    await run("mv", [join(home, "node_modules/package"), join(home, "node_modules/smith-agent")]);
    // All that is not in the bundle: native code, with packages of its own that are found from where it really is.
    symlinkSync(join(root, "node_modules/fs-native-extensions"), join(home, "node_modules/fs-native-extensions"));
  });

  afterAll(() => {
    rmSync(home, { recursive: true, force: true });
  });

  test("holds the program, its documents and nothing of the sources", () => {
    expect(files).toEqual(
      expect.arrayContaining(["dist/smith.js", "dist/quickjs.wasm", "dist/plugins/index.json", "README.md", "LICENSE", "docs/index.md"]),
    );
    expect(files.filter((path) => /^(src|test|plugins|scripts|bin)\//u.test(path))).toEqual([]);
  });

  test("declares nothing that a package registry or another program would trip over", async () => {
    const { messages } = await publint({ pkgDir: join(home, "node_modules/smith-agent"), pack: false, strict: true });
    expect(messages).toEqual([]);
  });

  test("says its version", async () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    expect((await smith("--version")).stdout.trim()).toContain(version);
  });

  test("works: plugins, sandbox, session and search start from where they were unpacked", async () => {
    const { stdout } = await smith("eval", "list .");
    expect(stdout).toContain("seen.txt");
    expect((await smith("sessions", "list")).stdout).not.toBe("");
  });
});
