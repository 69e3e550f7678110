/**
 * `npm run bench -- plugins [--runs N] [--json FILE] [--check]`: the sandbox of plugins, over the built program: how long a first call
 * takes, what a call, a host operation and a megabyte cost, deltas a second, also of each bundled provider, memory of an instance. Every measurement is a process of
 * its own.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { median } from "../measure.mjs";
import { judgePlugins, printPlugins } from "./report.mjs";

const TYPES = ["first", "calls", "stream", "vendors", "memory"];

async function bundle(root, home) {
  symlinkSync(join(root, "node_modules"), join(home, "node_modules"));
  const outfile = join(home, "task.mjs");
  await build({
    absWorkingDir: root,
    stdin: {
      contents:
        `import { runTask } from "./scripts/bench/plugins/task.ts";` +
        `console.log(JSON.stringify(await runTask(JSON.parse(process.argv[2]))));`,
      resolveDir: root,
    },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    minify: true,
    packages: "external",
    outfile,
    logLevel: "error",
  });
  return outfile;
}

const mediansOf = (records) =>
  Object.fromEntries(Object.keys(records[0]).map((key) => [key, median(records.map((record) => record[key]))]));

/** True when every target was met. */
export async function benchPlugins(root, given) {
  const runs = Number(given.runs);
  const home = mkdtempSync(join(tmpdir(), "smith-bench-plugins-"));
  try {
    const outfile = await bundle(root, home);
    const records = [];
    for (let run = 0; run < runs; run++) {
      const task = (type) => {
        const argument = JSON.stringify({ type, dist: join(root, "dist"), dir: join(home, `${type}-${run}`) });
        return JSON.parse(
          execFileSync(process.execPath, [outfile, argument], { encoding: "utf8", env: { PATH: process.env.PATH, HOME: home } }),
        );
      };
      records.push(Object.assign({}, ...TYPES.map(task)));
    }
    const medians = mediansOf(records);
    const verdicts = judgePlugins(medians);
    const machine = `${cpus().length} x ${cpus()[0]?.model ?? "unknown"}, Node ${process.version}, ${runs} runs, medians`;
    if (given.json !== undefined) writeFileSync(given.json, JSON.stringify({ machine, medians, records }, null, 2));
    printPlugins({ machine, medians, verdicts });
    return verdicts.every(({ isMet }) => isMet);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
