/**
 * Builds dist: the program, its workers, the sandbox engine, the bundled plugins and what authors of plugins import.
 * Builds beside dist and renames, so that a failed build leaves the last good one. `--if-stale` returns at once when
 * nothing changed; `--if-possible` (at installation) leaves it at that when the development dependencies are not installed.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isFresh, takeStamp, writeStamp } from "./build/stamp.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");

/** The build's own tool is not installed. */
class MissingTool extends Error {}

async function loadEsbuild() {
  try {
    return await import("esbuild");
  } catch (cause) {
    throw new MissingTool(
      "Cannot build: esbuild is not installed. It is a development dependency, left out by NODE_ENV=production or --omit=dev. " +
        "Run `npm ci --include=dev`.",
      { cause },
    );
  }
}

/** Moves the finished folder into place. Another build may do the same at the same time: the last one stays. */
function publish(fresh) {
  const old = `${fresh}.old`;
  for (let attempt = 0; ; attempt++) {
    try {
      if (existsSync(dist)) renameSync(dist, old);
      renameSync(fresh, dist);
      break;
    } catch (error) {
      if (attempt >= 5) throw error;
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  }
}

/** Folders of builds that were killed. */
function sweep() {
  for (const name of readdirSync(root)) {
    const pid = Number(/^dist\.tmp-(\d+)/u.exec(name)?.[1]);
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    rmSync(join(root, name), { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code !== "ESRCH";
  }
}

async function build() {
  const started = performance.now();
  const stamp = takeStamp(root);
  const out = join(root, `dist.tmp-${process.pid}`);
  const [esbuild, { bundleHost }, { bundlePlugins }, { loadEngine, writeEngine }, { writeHelp }, { writeSdk }] = await Promise.all([
    loadEsbuild(),
    import("./build/bundle.mjs"),
    import("./build/plugins.mjs"),
    import("./build/engine.mjs"),
    import("./build/help.mjs"),
    import("./build/sdk.mjs"),
  ]);
  sweep();
  mkdirSync(out, { recursive: true });
  try {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const engine = await loadEngine(esbuild, { root, out });
    await Promise.all([
      bundleHost(esbuild, { root, out, version }),
      bundlePlugins(esbuild, { root, out, engine }),
      writeEngine(engine, { out }),
      writeSdk(esbuild, { root, out }),
    ]);
    await writeHelp({ out });
    writeStamp(out, stamp);
    publish(out);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
  console.error(`built dist in ${Math.round(performance.now() - started)} ms`);
}

if (!(process.argv.includes("--if-stale") && isFresh(root, dist))) {
  try {
    await build();
  } catch (error) {
    // esbuild has printed its own errors with file and line.
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = error instanceof MissingTool && process.argv.includes("--if-possible") ? 0 : 1;
  }
}
