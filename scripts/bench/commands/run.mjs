/**
 * `npm run bench -- commands [--runs N] [--json FILE] [--check]`: commands that print much, each in a fresh process of ours, beside the same
 * command with its output to a file.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { median } from "../measure.mjs";

const LINES = "yes 'a line of output of some words'";
const TIMEOUT_MS = 120_000;

/** `over`: ms beyond the limit it is ended at; `bare`: times the same into a file. */
const CASES = {
  "nothing at all": { command: "true" },
  "nothing at all, on a terminal": { command: "true", pty: true },
  "200 MB of lines": { command: `${LINES} | head -c 209715200`, limit: { bare: 6, memory: 150, pause: 100 } },
  "one line of 700 MB": { command: "head -c 734003200 /dev/zero | tr '\\0' x", limit: { memory: 150, pause: 100 } },
  "20 MB on a terminal": { command: `${LINES} | head -c 20971520`, pty: true, limit: { memory: 150, pause: 100 } },
  "no end, ended after 2 s": { command: "yes", timeoutMs: 2_000, limit: { over: 1_500, memory: 150, pause: 100 } },
};

async function bundle(root, home) {
  symlinkSync(join(root, "node_modules"), join(home, "node_modules"));
  const outfile = join(home, "task.mjs");
  const contents =
    `import { runTask } from "./scripts/bench/commands/task.ts";` +
    `console.log(JSON.stringify(await runTask(JSON.parse(process.argv[2]), process.env)));`;
  const options = { bundle: true, format: "esm", platform: "node", target: "node20.19", packages: "external", logLevel: "error" };
  await build({ ...options, absWorkingDir: root, stdin: { contents, resolveDir: root }, outfile });
  return outfile;
}

function measureCase({ command, timeoutMs = TIMEOUT_MS, pty = false }, { task, home }) {
  const env = { PATH: process.env.PATH, HOME: home };
  const given = JSON.stringify({ command, timeoutMs, pty, cwd: home });
  const measured = JSON.parse(execFileSync(process.execPath, [task, given], { encoding: "utf8", env }));
  rmSync(join(home, "outputs"), { recursive: true, force: true });
  if (timeoutMs !== TIMEOUT_MS) return { ...measured, over: measured.ms - timeoutMs };
  const started = performance.now();
  execFileSync("bash", ["-c", `${command} > ${JSON.stringify(join(home, "bare"))}`], { env });
  return { ...measured, bare: performance.now() - started };
}

/** What missed its limit. */
function missed(name, row) {
  const values = { ...row, bare: row.ms / row.bare };
  return Object.entries(CASES[name].limit ?? {}).flatMap(([key, limit]) =>
    values[key] <= limit ? [] : [`${name}: ${key} ${values[key].toFixed(1)}, limit ${limit}`],
  );
}

const ms = (value) => (value === undefined ? "-" : `${value.toFixed(0)} ms`);

/** True when every target was met. */
export async function benchCommands(root, given) {
  const runs = Number(given.runs);
  const home = mkdtempSync(join(tmpdir(), "smith-bench-commands-"));
  try {
    const task = await bundle(root, home);
    const records = Object.fromEntries(Object.keys(CASES).map((name) => [name, []]));
    for (let run = 0; run < runs; run += 1)
      for (const [name, asked] of Object.entries(CASES)) records[name].push(measureCase(asked, { task, home }));
    const mediansOf = (list) => Object.fromEntries(Object.keys(list[0]).map((key) => [key, median(list.map((one) => one[key]))]));
    const medians = Object.fromEntries(Object.entries(records).map(([name, list]) => [name, mediansOf(list)]));
    const machine = `${cpus().length} x ${cpus()[0]?.model.trim() ?? "unknown"}, Node ${process.version}, ${runs} runs, medians`;
    if (given.json !== undefined) writeFileSync(given.json, JSON.stringify({ machine, medians, records }, null, 2));
    console.log(`${machine}\n\n| what | time | the same to a file | memory | longest pause |\n| --- | --- | --- | --- | --- |`);
    for (const [name, row] of Object.entries(medians))
      console.log(`| ${name} | ${ms(row.ms)} | ${ms(row.bare)} | +${row.memory.toFixed(0)} MB | ${ms(row.pause)} |`);
    const misses = Object.entries(medians).flatMap(([name, row]) => missed(name, row));
    for (const miss of misses) console.log(`\nMissed: ${miss}`);
    return misses.length === 0;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
