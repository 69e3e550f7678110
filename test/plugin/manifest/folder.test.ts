import { describe, expect, test } from "vitest";
import { compilePluginFolder, type PluginFolder } from "../../../src/plugin/manifest/index.js";
import { plugin, readFile } from "./stage.js";

const folder: PluginFolder = {
  manifestText: plugin(`  prompt "p" order=1 file="system.md"`),
  readFile,
  code: { type: "bundle", source: "export default {};" },
};

async function hashOf(more: Partial<PluginFolder>): Promise<string> {
  const compiled = await compilePluginFolder({ ...folder, ...more });
  return compiled.ok ? compiled.value.hash : "";
}

describe("a plugin folder", () => {
  test("of bundled code has an entry beside the index", async () => {
    const compiled = await compilePluginFolder(folder);
    expect(compiled.ok && compiled.value).toMatchObject({ id: "acme.read", sdk: 1, entry: "acme.read.js" });
    expect(compiled.ok && Object.keys(compiled.value)).not.toContain("files");
  });

  test("of a tree of modules has the entry it was given", async () => {
    const compiled = await compilePluginFolder({ ...folder, code: { type: "tree", hash: "ab", entry: "src/main.ts" } });
    expect(compiled.ok && compiled.value.entry).toBe("src/main.ts");
  });

  test("of data alone has no entry", async () => {
    const manifestText = plugin(`  prompt "p" order=1 file="system.md"\n  state "s" scope="user"`, `"acme.read" version="0.1.0" sdk=1`);
    const compiled = await compilePluginFolder({ ...folder, manifestText, code: { type: "none" } });
    expect(compiled.ok && compiled.value.entry).toBe("");
  });

  test("has a hash of everything in it", async () => {
    const hashes = await Promise.all([
      hashOf({}),
      hashOf({ code: { type: "bundle", source: "export default { };" } }),
      hashOf({ code: { type: "none" } }),
      hashOf({ code: { type: "tree", hash: "export default {};", entry: "bundle" } }),
      hashOf({ code: { type: "tree", hash: "00", entry: "index.js" } }),
      hashOf({ code: { type: "tree", hash: "01", entry: "index.js" } }),
      hashOf({ code: { type: "tree", hash: "01", entry: "main.js" } }),
      hashOf({ readFile: () => "Other." }),
      hashOf({ manifestText: `${folder.manifestText}\n` }),
    ]);
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(hashes.every((hash) => /^[0-9a-f]{64}$/u.test(hash))).toBe(true);
    expect(await hashOf({})).toBe(hashes[0]);
  });

  test("must have the id it is expected to have", async () => {
    const compiled = await compilePluginFolder({ ...folder, id: "acme.write" });
    expect(compiled.ok ? "" : compiled.error[0]?.what).toBe(`the plugin's id is "acme.read"`);
  });

  test("may have an id of the program only where it comes with it", async () => {
    const manifestText = plugin("", `"smith.x" version="0.1.0" sdk=1 entry="index.ts"`);
    expect((await compilePluginFolder({ ...folder, manifestText })).ok).toBe(false);
    expect((await compilePluginFolder({ ...folder, manifestText, bundled: true })).ok).toBe(true);
  });
});
