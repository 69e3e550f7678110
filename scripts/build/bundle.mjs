/** The host's bundles: the program with lazily loaded chunks, and each worker as one file of its own. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { gather, isOwn } from "./chunks.mjs";
import { createDoors } from "./doors.mjs";
import { requiredNodeModules, takeNodeModules } from "./node-modules.mjs";

/** Loaded by path from node_modules at run time: native code cannot be bundled. */
const EXTERNAL = ["fs-native-extensions"];

/** Worker threads, started by path. One file each, so that starting one reads one file. */
const WORKERS = [
  { source: "src/plugin/cell/worker.ts", name: "plugin-worker" },
  { source: "src/effect/search/worker.ts", name: "search-worker" },
  { source: "src/effect/fs/compute/worker.ts", name: "change-worker" },
  { source: "src/effect/text/markdown/worker.ts", name: "markdown-worker" },
];

/** Ink loads React's development tools when the variable DEV is set. They are not installed, and not wanted in the program. */
const withoutDevtools = {
  name: "without-devtools",
  setup(build) {
    build.onResolve({ filter: /^\.\/devtools\.js$/ }, () => ({ path: "devtools", namespace: "stub" }));
    build.onLoad({ filter: /.*/, namespace: "stub" }, () => ({ contents: "", loader: "js" }));
  },
};

/**
 * Our own sources as they are bundled.
 * @param added files that a file is to import besides, all from the root
 */
function sources(root, added = new Map()) {
  return {
    name: "sources",
    setup(build) {
      const withoutDoors = createDoors();
      build.onLoad({ filter: /[\\/](?:src|bin)[\\/].*\.tsx?$/ }, async ({ path }) => {
        const name = relative(root, path).replaceAll(sep, "/");
        if (!isOwn(name)) return undefined;
        const text = takeNodeModules(await withoutDoors(path, await readFile(path, "utf8")));
        const more = (added.get(name) ?? []).map((file) => `import ${JSON.stringify(join(root, file))};`);
        return { contents: [text, ...more].join("\n"), loader: path.endsWith("x") ? "tsx" : "ts" };
      });
    },
  };
}

function options(root, version) {
  return {
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    minify: true,
    legalComments: "linked",
    sourcemap: false,
    logLevel: "warning",
    define: { "process.env.NODE_ENV": '"production"', "process.env.DEV": '"false"', SMITH_VERSION: JSON.stringify(version) },
    external: EXTERNAL,
    write: false,
  };
}

const PROGRAM = "bin/smith.ts";

/** The program in chunks, flat in `out`. Made twice: only the first shows what there is to gather. */
export async function bundleProgram(esbuild, { root, out, version }) {
  const common = options(root, version);
  const build = async (added) =>
    await esbuild.build({
      ...common,
      plugins: [sources(root, added), requiredNodeModules, withoutDevtools],
      entryPoints: { smith: PROGRAM },
      outdir: out,
      splitting: true,
      chunkNames: "chunk-[name]-[hash]",
      metafile: true,
    });
  const { metafile } = await build(new Map());
  const made = await build(gather(metafile, PROGRAM));
  return { files: withoutIdleImports(made), metafile: made.metafile };
}

/** Imports that bind nothing, of chunks that only define things: the bundler keeps them for the order of evaluation. */
function withoutIdleImports({ outputFiles, metafile: { outputs } }) {
  const isIdle = (name) => {
    const [, chunk] = Object.entries(outputs).find(([path]) => path.endsWith(`/${name}`)) ?? [];
    return chunk !== undefined && Object.keys(chunk.inputs).every(isOwn);
  };
  return outputFiles.map((file) =>
    file.path.endsWith(".js")
      ? { path: file.path, text: file.text.replace(/import"\.\/([^"]+)";/gu, (all, name) => (isIdle(name) ? "" : all)) }
      : file,
  );
}

/** Writes `smith.js`, its chunks (flat, so that `import.meta.url` always names dist) and the workers into `out`. */
export async function bundleHost(esbuild, { root, out, version }) {
  const common = options(root, version);
  const workers = WORKERS.filter((worker) => existsSync(join(root, worker.source))).map(async (worker) => {
    const plan = { ...common, plugins: [sources(root), requiredNodeModules], entryPoints: { [worker.name]: worker.source }, outdir: out };
    return (await esbuild.build(plan)).outputFiles;
  });
  const [{ files }, ...others] = await Promise.all([bundleProgram(esbuild, { root, out, version }), ...workers]);
  for (const file of [files, ...others].flat()) writeFileSync(file.path, file.text);
  const bin = join(out, "smith.js");
  const text = readFileSync(bin, "utf8");
  if (!text.startsWith("#!")) writeFileSync(bin, `#!/usr/bin/env node\n${text}`);
  chmodSync(bin, 0o755);
}
