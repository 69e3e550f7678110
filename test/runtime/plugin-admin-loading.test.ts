import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("looking after plugins reads no session store, agent, provider, parser or compiler before it needs one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "smith-admin-"));
  try {
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: ["src/runtime/plugin-admin.ts"],
      outdir: folder,
      write: false,
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      metafile: true,
      logLevel: "error",
      external: ["fs-native-extensions"],
    });
    const seen = new Set<string>();
    const visit = (path: string): void => {
      if (seen.has(path)) return;
      seen.add(path);
      for (const { path: next, kind, external } of metafile.outputs[path]?.imports ?? [])
        if (kind === "import-statement" && external !== true) visit(next);
    };
    for (const [path, { entryPoint }] of Object.entries(metafile.outputs)) if (entryPoint === "src/runtime/plugin-admin.ts") visit(path);
    const loaded = [...seen].flatMap((path) =>
      Object.entries(metafile.outputs[path]?.inputs ?? {}).flatMap(([name, { bytesInOutput }]) => (bytesInOutput > 0 ? [name] : [])),
    );
    expect(loaded).toContain("src/plugin/store/store.ts");
    expect(
      loaded.filter((path) => /src\/(agent|provider|effect|session\/store|runtime\/session)|@bgotink|sucrase|nanotar|yaml/u.test(path)),
    ).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
