/** The host's bundles: the program with lazily loaded chunks, and each worker as one file of its own. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pastDoors } from "./doors.mjs";

/** Loaded by path from node_modules at run time: native code cannot be bundled. */
const EXTERNAL = ["fs-native-extensions"];

/** Worker threads, started by path. One file each, so that starting one reads one file. */
const WORKERS = [
  { source: "src/plugin/cell/worker.ts", name: "plugin-worker" },
  { source: "src/effect/search/worker.ts", name: "search-worker" },
];

/** Ink loads React's development tools when the variable DEV is set. They are not installed, and not wanted in the program. */
const withoutDevtools = {
  name: "without-devtools",
  setup(build) {
    build.onResolve({ filter: /^\.\/devtools\.js$/ }, () => ({ path: "devtools", namespace: "stub" }));
    build.onLoad({ filter: /.*/, namespace: "stub" }, () => ({ contents: "", loader: "js" }));
  },
};

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
    plugins: [pastDoors(root), withoutDevtools],
    write: false,
  };
}

const REQUIRE = 'import{createRequire as smithRequire}from"node:module";const require=smithRequire(import.meta.url);';

/** Bundled CommonJS packages call require() for Node's own modules, through one function. Making one costs a tenth of a millisecond. */
const withRequire = ({ path, text, contents }) => (path.endsWith(".js") && text.includes("typeof require") ? REQUIRE + text : contents);

/** Writes `smith.js`, its chunks (flat, so that `import.meta.url` always names dist) and the workers into `out`. */
export async function bundleHost(esbuild, { root, out, version }) {
  const common = options(root, version);
  const program = esbuild.build({
    ...common,
    entryPoints: { smith: "bin/smith.ts" },
    outdir: out,
    splitting: true,
    chunkNames: "chunk-[name]-[hash]",
  });
  const workers = WORKERS.filter((worker) => existsSync(join(root, worker.source))).map((worker) =>
    esbuild.build({ ...common, entryPoints: { [worker.name]: worker.source }, outdir: out }),
  );
  const built = await Promise.all([program, ...workers]);
  for (const file of built.flatMap(({ outputFiles }) => outputFiles)) writeFileSync(file.path, withRequire(file));
  const bin = join(out, "smith.js");
  const text = readFileSync(bin, "utf8");
  if (!text.startsWith("#!")) writeFileSync(bin, `#!/usr/bin/env node\n${text}`);
  chmodSync(bin, 0o755);
}
