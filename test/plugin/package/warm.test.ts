import { createHash } from "node:crypto";
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { storePackage } from "../../../src/plugin/package/cache.js";
import { readPackage } from "../../../src/plugin/package/content.js";
import { loadPackage } from "../../../src/plugin/package/index.js";
import { storeSignature } from "../../../src/plugin/package/signature.js";
import { walkPackage } from "../../../src/plugin/package/walk.js";
import type { CompiledPlugin } from "../../../src/plugin/types.js";
import { pluginFolder, temporaryFolder, writeFiles } from "./folder.js";

const loaded = vi.hoisted(() => ({ names: [] as string[] }));

vi.mock("sucrase", async (original) => {
  loaded.names.push("sucrase");
  return original();
});

vi.mock("@bgotink/kdl", async (original) => {
  loaded.names.push("@bgotink/kdl");
  return original();
});

test("an unchanged package loads neither the parser of modules nor that of manifests; a changed one both", async () => {
  const [dir, cacheDir] = [await pluginFolder(), await temporaryFolder()];
  const content = await readPackage(walkPackage(dir));
  if (!content.ok) throw new Error("not read");
  const { treeHash } = content.value;
  // What stands in the cache is not made by loading, which would bring in the parsers here.
  const compiled = { id: "acme.cached", entry: "src/main.ts" } as CompiledPlugin;
  await storePackage({ cacheDir }, treeHash, { compiled, table: { entry: "src/main.ts", modules: {}, imports: {} } });
  await storeSignature({ cacheDir }, dir, content.value);
  const later = new Date(Date.now() + 3_600_000);
  await utimes(join(cacheDir, "plugins", "folders", `${createHash("sha256").update(dir).digest("hex")}.json`), later, later);

  expect(await loadPackage(dir, { cacheDir })).toMatchObject({ ok: true, value: { treeHash, compiled: { id: "acme.cached" } } });
  expect(loaded.names).toEqual([]);

  await writeFiles(dir, { "src/main.ts": "export default {};\n" });
  expect(await loadPackage(dir, { cacheDir })).toMatchObject({ ok: true, value: { compiled: { id: "acme.demo" } } });
  expect([...loaded.names].sort()).toEqual(["@bgotink/kdl", "sucrase"]);
});
