/** The sandbox engine: its wasm as the package ships it, the start image that the sandbox makes of it, and what compiles modules for it. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The engine is TypeScript of the host: bundled for this build, beside the package it leaves outside. */
export async function loadEngine(esbuild, { root, out }) {
  const outfile = join(out, "engine.mjs");
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
  const engine = await import(pathToFileURL(outfile).href);
  rmSync(outfile);
  return { ...engine, wasm: readFileSync(createRequire(import.meta.url).resolve("quickjs-wasi/quickjs.wasm")) };
}

/** Writes `quickjs.wasm` and `quickjs.image` into `out`. */
export async function writeEngine({ wasm, createEngineImage }, { out }) {
  writeFileSync(join(out, "quickjs.wasm"), wasm);
  writeFileSync(join(out, "quickjs.image"), await createEngineImage(wasm));
}
