import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const cache = fileURLToPath(new URL("../../../node_modules/.cache/", import.meta.url));

/** A fixture in TypeScript, bundled so that a process of its own can run it. */
export interface Program {
  readonly path: string;
  remove(): Promise<void>;
}

/** The bundle goes below node_modules, where the lock's package is found. */
export async function bundled(source: URL): Promise<Program> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(`${cache}smith-test-`);
  const path = `${folder}/${basename(source.pathname, ".ts")}.mjs`;
  await build({
    entryPoints: [fileURLToPath(source)],
    outfile: path,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["fs-native-extensions"],
    logLevel: "error",
  });
  return { path, remove: () => rm(folder, { recursive: true, force: true }) };
}
