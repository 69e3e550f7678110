/**
 * `npm run bench -- search [--runs N] [--files N] [--json FILE] [--check]`: grep and find over a generated tree, in a fresh process and in
 * a warm one, beside ripgrep (`RG=path`, or on PATH), `git ls-files` and `find`, interleaved. What is absent is said and not judged.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { median } from "../measure.mjs";
import { judgeSearch, printSearch } from "./report.mjs";
import { growTree, rareWord } from "./tree.mjs";

const WARM = 3;
const LIMIT = 10_000;

/** What is asked, of smith and of the others. */
const CASES = {
  literal: { op: "search.grep", input: { pattern: rareWord }, rg: ["-n", "--hidden", "-e", rareWord] },
  nowhere: { op: "search.grep", input: { pattern: "no_such_text" }, rg: ["-n", "--hidden", "-e", "no_such_text"] },
  folded: {
    op: "search.grep",
    input: { pattern: rareWord.toUpperCase(), ignoreCase: true },
    rg: ["-n", "--hidden", "-i", "-e", rareWord.toUpperCase()],
  },
  expression: { op: "search.grep", input: { pattern: "n\\w+_w[a-z]+d\\b" }, rg: ["-n", "--hidden", "-e", "n\\w+_w[a-z]+d\\b"] },
  find: {
    op: "search.find",
    input: { pattern: "*.rs" },
    rg: ["--files", "--hidden", "-g", "*.rs"],
    git: ["ls-files", "--others", "--exclude-standard", "--", "*.rs"],
    find: [".", "-name", "*.rs"],
  },
};

async function bundle(root, home) {
  symlinkSync(join(root, "node_modules"), join(home, "node_modules"));
  const common = {
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    minify: true,
    logLevel: "error",
  };
  const banner = { js: 'import{createRequire as smithRequire}from"node:module";const require=smithRequire(import.meta.url);' };
  const worker = join(home, "worker.mjs");
  const task = join(home, "task.mjs");
  await build({ ...common, banner, entryPoints: ["src/effect/search/worker.ts"], outfile: worker });
  const contents =
    `import { runTask } from "./scripts/bench/search/task.ts";` +
    `console.log(JSON.stringify(await runTask(JSON.parse(process.argv[2]))));`;
  await build({ ...common, stdin: { contents, resolveDir: root }, packages: "external", outfile: task });
  return { worker, task };
}

/** Programs to compare with; undefined where there is none. */
function others() {
  const isThere = (program, args) => spawnSync(program, args, { stdio: "ignore" }).status === 0;
  const rg = process.env.RG ?? "rg";
  return {
    rg: isThere(rg, ["--version"]) ? rg : undefined,
    git: isThere("git", ["--version"]) ? "git" : undefined,
    find: isThere("find", [".", "-maxdepth", "0"]) ? "find" : undefined,
  };
}

function timeOther(program, args, cwd) {
  const started = performance.now();
  const { status, stdout } = spawnSync(program, args, { cwd, maxBuffer: 1 << 30, env: { PATH: process.env.PATH, HOME: "/nonexistent" } });
  // 1: nothing found.
  if (status !== 0 && status !== 1) throw new Error(`${program} ${args.join(" ")} ended with ${status}`);
  return { ms: performance.now() - started, found: stdout.toString().split("\n").length - 1 };
}

function measureCase(name, { files, tree, programs }) {
  const { op, input, ...args } = CASES[name];
  const given = JSON.stringify({ op, input: { ...input, path: tree, limit: LIMIT }, root: tree, worker: files.worker, warm: WARM });
  const env = { PATH: process.env.PATH };
  const smith = JSON.parse(execFileSync(process.execPath, [files.task, given], { encoding: "utf8", env }));
  const record = { fresh: smith.freshMs, warm: median(smith.warmMs) };
  for (const [other, program] of Object.entries(programs)) {
    if (program === undefined || args[other] === undefined) continue;
    const extra = other === "rg" ? ["--no-config", "--no-messages"] : [];
    const { ms, found } = timeOther(program, [...extra, ...args[other], ...(other === "rg" ? ["./"] : [])], tree);
    // `find` knows nothing of rules.
    if (other !== "find" && found !== smith.found) throw new Error(`${name}: ${other} found ${found}, smith ${smith.found}`);
    record[other] = ms;
  }
  return record;
}

/** True when every target that could be judged was met. */
export async function benchSearch(root, given) {
  const runs = Number(given.runs);
  const count = Number(given.files);
  const home = realpathSync(mkdtempSync(join(tmpdir(), "smith-bench-search-")));
  try {
    const files = await bundle(root, home);
    const tree = join(home, "tree");
    mkdirSync(tree);
    growTree(tree, count);
    const programs = others();
    const records = Object.fromEntries(Object.keys(CASES).map((name) => [name, []]));
    // The first run fills the caches of the system and does not count.
    for (let run = -1; run < runs; run += 1) {
      for (const name of Object.keys(CASES)) {
        const record = measureCase(name, { files, tree, programs });
        if (run >= 0) records[name].push(record);
      }
    }
    const mediansOf = (list) => Object.fromEntries(Object.keys(list[0]).map((key) => [key, median(list.map((one) => one[key]))]));
    const medians = Object.fromEntries(Object.entries(records).map(([name, list]) => [name, mediansOf(list)]));
    const verdicts = judgeSearch(medians);
    const machine = `${cpus().length} x ${cpus()[0]?.model.trim() ?? "unknown"}, Node ${process.version}, ${count} files, ${runs} runs, medians`;
    if (given.json !== undefined) writeFileSync(given.json, JSON.stringify({ machine, medians, records }, null, 2));
    const absent = Object.entries(programs).flatMap(([name, program]) => (program === undefined ? [name] : []));
    printSearch({ machine, medians, verdicts, absent });
    return verdicts.every(({ isMet }) => isMet !== false);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
