import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";

test("importing the door loads no package", async () => {
  const outdir = await mkdtemp(join(tmpdir(), "smith-effect-"));
  try {
    const { metafile } = await build({
      entryPoints: [fileURLToPath(new URL("../../src/effect/index.ts", import.meta.url))],
      outdir,
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      metafile: true,
      write: false,
      logLevel: "error",
    });
    const entry = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint?.endsWith("src/effect/index.ts"));
    const isStatic = new Set(entry?.imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => path));
    const loaded = Object.entries(metafile.outputs).filter(([path, output]) => output === entry || isStatic.has(path));
    const packages = loaded.flatMap(([, { inputs }]) => Object.keys(inputs)).filter((path) => path.includes("node_modules"));
    expect(packages).toEqual([]);
    expect(entry?.bytes).toBeGreaterThan(1000);
  } finally {
    await rm(outdir, { recursive: true, force: true });
  }
});
