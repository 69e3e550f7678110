import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Packed, unpack } from "./support/packed.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("the packed package, unpacked elsewhere, in a folder whose name must be quoted", () => {
  let packed: Packed;

  beforeAll(async () => {
    packed = await unpack();
    writeFileSync(join(packed.home, "work/seen.txt"), "here\n");
  });

  afterAll(() => {
    packed.remove();
  });

  test("holds the program, its documents and nothing of the sources", () => {
    expect(packed.files).toEqual(
      expect.arrayContaining(["dist/smith.js", "dist/quickjs.wasm", "dist/plugins/index.json", "README.md", "LICENSE", "docs/index.md"]),
    );
    expect(packed.files.filter((path) => /^(src|test|plugins|scripts|bin)\//u.test(path))).toEqual([]);
  });

  test("declares nothing that a package registry or another program would trip over", async () => {
    const { messages } = await publint({ pkgDir: packed.dir, pack: false, strict: true });
    expect(messages).toEqual([]);
  });

  test("says its version", async () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    expect((await packed.smith("--version")).stdout.trim()).toContain(version);
  });

  test("works: plugins, sandbox, session and search start from where they were unpacked", async () => {
    const { stdout } = await packed.smith("eval", "list .");
    expect(stdout).toContain("seen.txt");
    expect((await packed.smith("sessions", "list")).stdout).not.toBe("");
  });
});
