/** The sandbox engine: its wasm as the package ships it, and the start image that the sandbox makes of it. */
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Writes `quickjs.wasm` and `quickjs.image` into `out`. */
export async function writeEngine(esbuild, { root, out }) {
  const wasm = createRequire(import.meta.url).resolve("quickjs-wasi/quickjs.wasm");
  cpSync(wasm, join(out, "quickjs.wasm"));
  const outfile = join(out, "engine-image.mjs");
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: ["src/plugin/engine/index.ts"],
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    outfile,
    logLevel: "warning",
  });
  // Its package is found from `out`, which is inside the repository; it is no part of the result.
  const { createEngineImage } = await import(pathToFileURL(outfile).href);
  rmSync(outfile);
  writeFileSync(join(out, "quickjs.image"), await createEngineImage(readFileSync(wasm)));
}
