/**
 * `npm run bench -- tools [--runs N] [--json FILE] [--check]`: what tools cost from end to end, by whole runs of the built program: a round with each,
 * an edit of a large file, and servers of the Model Context Protocol both ways. Beside them, interleaved, the least any program does for the same.
 */
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { measure, median } from "../measure.mjs";
import { LARGE_MB, ROUNDS, judgeTools } from "./report.mjs";

const SERVER = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";

function writeLarge(file) {
  const lines = Array.from({ length: 16_384 }, (_, line) => `line ${line}: the quick brown fox jumps over the lazy dog, once more\n`).join(
    "",
  );
  const out = openSync(file, "w");
  writeSync(out, "place 0 \n");
  for (let written = 0; written < LARGE_MB * 1024 * 1024;) written += writeSync(out, lines);
  closeSync(out);
}

function startModel(root) {
  const child = spawn(process.execPath, [join(root, "scripts/bench/server.mjs")], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.stdout.once("data", (line) => resolve({ child, port: Number(/\d+/u.exec(String(line))[0]) }));
  });
}

function prepare(root, home) {
  const [work, plain, served] = ["work", "plain", "served"].map((name) => join(home, name));
  for (const folder of [work, plain, served]) mkdirSync(folder);
  for (let index = 0; index < ROUNDS; index += 1) writeFileSync(join(work, `sample-${index}.txt`), "a line\n".repeat(100));
  const bench = { command: process.execPath, args: [join(root, SERVER)] };
  mkdirSync(join(served, "config"));
  writeFileSync(join(served, "config/mcp.json"), JSON.stringify({ mcpServers: { bench } }));
  return { work, plain, served };
}

/** One message at a time over its standard input, as a client that lists tools does; resolves when the list is there. */
function firstList(argv, context) {
  const started = performance.now();
  const child = spawn(argv[0], argv.slice(1), { ...context, stdio: ["pipe", "pipe", "ignore"] });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  send({
    ...{ id: 1, method: "initialize" },
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
  });
  send({ method: "notifications/initialized" });
  send({ id: 2, method: "tools/list" });
  return new Promise((resolve, reject) => {
    let heard = "";
    let wallMs;
    child.on("error", reject);
    child.stdout.on("data", (chunk) => {
      heard += chunk;
      if (wallMs !== undefined || !heard.includes('"id":2')) return;
      wallMs = performance.now() - started;
      child.stdin.end();
    });
    child.on("close", () => (wallMs === undefined ? reject(new Error(`no list of tools from ${argv.join(" ")}`)) : resolve({ wallMs })));
  });
}

/** Case to subject to one measurement. */
function plan(root, home, port) {
  const { work, plain, served } = prepare(root, home);
  const contextOf = (smithHome) => ({
    cwd: work,
    env: {
      PATH: [dirname(process.execPath), "/usr/bin", "/bin"].join(":"),
      ...{ HOME: home, SMITH_HOME: smithHome, OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, LANG: "C.UTF-8" },
    },
  });
  const smith = [process.execPath, join(root, "dist/smith.js")];
  const floor = [process.execPath, join(root, "scripts/bench/tools/floor.mjs")];
  const server = [process.execPath, join(root, SERVER)];
  const large = join(work, "big.txt");
  const evaluate = (script, from) => () => measure([...smith, "eval", `go [[${script}]]`], contextOf(from));
  const bare = (argv) => () => measure([...floor, ...argv], contextOf(plain));
  const afresh = (once) => async () => {
    writeLarge(large);
    const measured = await once();
    const head = Buffer.alloc(8);
    const file = openSync(large);
    readSync(file, head);
    closeSync(file);
    if (String(head) !== "spot 0 \n") throw new Error(`big.txt begins with ${head}: it was not edited`);
    return measured;
  };
  return {
    answer: { smith: evaluate("rounds=0", plain) },
    read: { smith: evaluate(`tool=read rounds=${ROUNDS}`, plain) },
    shell: { smith: evaluate(`tool=shell rounds=${ROUNDS}`, plain) },
    edit: { floor: afresh(bare(["edit", large])), smith: afresh(evaluate("tool=edit rounds=1", plain)) },
    "mcp answer": { floor: bare(["mcp", "0", ...server]), smith: evaluate("rounds=0", served) },
    "mcp rounds": { floor: bare(["mcp", String(ROUNDS), ...server]), smith: evaluate(`tool=mcp rounds=${ROUNDS}`, served) },
    "mcp list": { floor: bare(["mcp", "0", ...server]), smith: () => measure([...smith, "mcp-servers", "check"], contextOf(served)) },
    "served list": { floor: () => firstList(server, contextOf(plain)), smith: () => firstList([...smith, "mcp"], contextOf(plain)) },
  };
}

async function collect(cases, runs) {
  const records = {};
  for (let run = 0; run < runs; run += 1)
    for (const [name, subjects] of Object.entries(cases))
      for (const [subject, once] of Object.entries(subjects)) ((records[name] ??= {})[subject] ??= []).push(await once());
  return records;
}

const mediansOf = (records) =>
  Object.fromEntries(
    Object.entries(records).map(([name, subjects]) => [
      name,
      Object.fromEntries(
        Object.entries(subjects).map(([subject, list]) => [
          subject,
          Object.fromEntries(Object.keys(list[0]).map((key) => [key, median(list.map((one) => one[key]))])),
        ]),
      ),
    ]),
  );

/** True when every target was met. */
export async function benchTools(root, given) {
  const runs = Number(given.runs);
  const home = mkdtempSync(join(tmpdir(), "smith-bench-tools-"));
  const model = await startModel(root);
  try {
    const medians = mediansOf(await collect(plan(root, home, model.port), runs));
    const rows = judgeTools(medians);
    const machine = `${cpus().length} x ${cpus()[0]?.model.trim() ?? "unknown"}, Node ${process.version}, ${runs} runs, medians`;
    if (given.json !== undefined) writeFileSync(given.json, `${JSON.stringify({ machine, medians, rows }, null, 2)}\n`);
    console.log(`${machine}\n\n| what | measured | target |\n| --- | --- | --- |`);
    for (const { what, value, unit, limit } of rows)
      console.log(`| ${what} | ${value.toFixed(value < 10 ? 1 : 0)} ${unit}${value > limit ? " (missed)" : ""} | <= ${limit} ${unit} |`);
    return rows.every(({ value, limit }) => value <= limit);
  } finally {
    model.child.kill();
    rmSync(home, { recursive: true, force: true });
  }
}
