/**
 * `npm run bench -- store [...]`: the session store, see store/run.mjs. `npm run bench -- plugins [...]`: their sandbox, see plugins/run.mjs.
 * `npm run bench -- search [...]`: grep and find beside ripgrep, see search/run.mjs.
 * `npm run bench -- commands [...]`: commands that print much, see commands/run.mjs.
 * `npm run bench -- tools [...]`: a round with each tool, a large edit, servers both ways, see tools/run.mjs.
 * `npm run bench -- [--runs N] [--only a,b] [--json FILE] [--check]`: smith beside `node -e 0`, a bare node:http client and a raw
 * frame, interleaved in one run. `--check` ends with status 1 when a target of docs/performance.md is missed.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { encodeEntries } from "./encode.mjs";
import { measure, median } from "./measure.mjs";
import { judge, prompts, samples } from "./targets.mjs";
import { measureStart } from "./terminal.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const here = (name) => join(root, "scripts/bench", name);
const smith = [process.execPath, join(root, "dist/smith.js")];
const IDLE_MS = 3000;

const { values: options, positionals } = parseArgs({
  options: {
    runs: { type: "string", default: "7" },
    only: { type: "string" },
    json: { type: "string" },
    check: { type: "boolean", default: false },
    entries: { type: "string", default: "200000" },
    sessions: { type: "string", default: "1000" },
    files: { type: "string", default: "100000" },
  },
  allowPositionals: true,
});

if (positionals[0] === "store") {
  const { benchStore } = await import("./store/run.mjs");
  const isMet = await benchStore(root, options);
  process.exit(options.check && !isMet ? 1 : 0);
}

if (positionals[0] === "plugins") {
  const { benchPlugins } = await import("./plugins/run.mjs");
  const isMet = await benchPlugins(root, options);
  process.exit(options.check && !isMet ? 1 : 0);
}

if (positionals[0] === "search") {
  const { benchSearch } = await import("./search/run.mjs");
  const isMet = await benchSearch(root, options);
  process.exit(options.check && !isMet ? 1 : 0);
}

if (positionals[0] === "commands") {
  const { benchCommands } = await import("./commands/run.mjs");
  const isMet = await benchCommands(root, options);
  process.exit(options.check && !isMet ? 1 : 0);
}

if (positionals[0] === "tools") {
  const { benchTools } = await import("./tools/run.mjs");
  const isMet = await benchTools(root, options);
  process.exit(options.check && !isMet ? 1 : 0);
}

const home = mkdtempSync(join(tmpdir(), "smith-bench-"));
const work = join(home, "work");

function startServer() {
  const child = spawn(process.execPath, [here("server.mjs")], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.stdout.once("data", (line) => resolve({ child, port: Number(/\d+/u.exec(String(line))[0]) }));
  });
}

function prepareWork() {
  mkdirSync(work);
  const text = Array.from({ length: 100 }, (_, line) => `line ${line}: the quick brown fox jumps over the lazy dog`).join("\n");
  for (let index = 0; index < samples; index++) writeFileSync(join(work, `sample-${index}.txt`), `${text}\n`);
}

/** Nothing of the caller's environment: no extra certificates, no Node options, no keys. */
const environment = (port) => ({
  PATH: [dirname(process.execPath), "/usr/bin", "/bin"].join(":"),
  HOME: home,
  SMITH_HOME: join(home, "smith"),
  OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
  LANG: "C.UTF-8",
  TERM: "xterm-256color",
  COLORTERM: "truecolor",
});

/** Case to subject to one measurement. */
function plan(context) {
  const run = (argv) => () => measure(argv, context);
  const node = run([process.execPath, "-e", "0"]);
  const floor = (prompt) => run([process.execPath, here("floor-client.mjs"), prompt]);
  const evaluate = (prompt) => run([...smith, "eval", prompt]);
  const start = (argv, ready, idleMs) => () => measureStart(argv, { ...context, ready, idleMs });
  return {
    version: { node, smith: run([...smith, "--version"]) },
    help: { node, smith: run([...smith, "--help"]) },
    answer: { floor: floor(prompts.answer), smith: evaluate(prompts.answer) },
    rounds: { floor: floor(prompts.rounds), smith: evaluate(prompts.rounds) },
    stream: { floor: floor(prompts.stream), smith: evaluate(prompts.stream) },
    request: { smith: () => firstRequest(context) },
    start: { floor: start([process.execPath, here("floor-frame.mjs")], /> ready/u, 0), smith: start(smith, /›/u, 0) },
    idle: { smith: start(smith, /›/u, IDLE_MS) },
    encode: { smith: () => encodeEntries(root, home) },
  };
}

/** Cases that say the same each time, or take long: a few runs are enough. */
const FEW = { idle: 2, encode: 1, request: 1 };

async function firstRequest(context) {
  const stats = `${context.env.OPENAI_BASE_URL}/stats`;
  await fetch(stats);
  await measure([...smith, "eval", prompts.answer], context);
  const { requests } = await (await fetch(stats)).json();
  return { bytes: requests[0] };
}

async function collect(cases) {
  const records = {};
  const runs = Number(options.runs);
  for (let index = 0; index < runs; index++) {
    for (const [name, subjects] of Object.entries(cases)) {
      if (index >= (FEW[name] ?? runs)) continue;
      for (const [subject, once] of Object.entries(subjects)) ((records[name] ??= {})[subject] ??= []).push(await once());
    }
  }
  return records;
}

function mediansOf(records) {
  const perSubject = (list) => Object.fromEntries(Object.keys(list[0]).map((key) => [key, median(list.map((one) => one[key]))]));
  const perCase = (subjects) => Object.fromEntries(Object.entries(subjects).map(([subject, list]) => [subject, perSubject(list)]));
  return Object.fromEntries(Object.entries(records).map(([name, subjects]) => [name, perCase(subjects)]));
}

const show = (value) => (value === undefined ? "-" : value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2));

function print(medians, verdicts) {
  console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}, medians of ${options.runs}\n`);
  for (const [name, subjects] of Object.entries(medians))
    for (const [subject, values] of Object.entries(subjects))
      console.log(
        `${name.padEnd(8)} ${subject.padEnd(6)} ${Object.entries(values)
          .map(([key, value]) => `${key} ${show(value)}`)
          .join("  ")}`,
      );
  console.log("\n| what | measured | target |\n| --- | --- | --- |");
  for (const [name, unit, value, limit] of verdicts)
    if (value !== undefined) console.log(`| ${name} | ${show(value)} ${unit}${value > limit ? " (missed)" : ""} | <= ${limit} ${unit} |`);
}

prepareWork();
const server = await startServer();
try {
  const cases = plan({ cwd: work, env: environment(server.port) });
  const wanted = options.only?.split(",") ?? Object.keys(cases);
  const medians = mediansOf(await collect(Object.fromEntries(Object.entries(cases).filter(([name]) => wanted.includes(name)))));
  const verdicts = judge(medians);
  print(medians, verdicts);
  if (options.json)
    writeFileSync(options.json, `${JSON.stringify({ node: process.version, runs: Number(options.runs), medians, verdicts }, null, 2)}\n`);
  if (options.check && verdicts.some(([, , value, limit]) => value > limit)) process.exitCode = 1;
} finally {
  server.child.kill();
  rmSync(home, { recursive: true, force: true });
}
