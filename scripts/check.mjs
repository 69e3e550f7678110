/**
 * The one check, the same here and in CI: what is seen without running the product: types, lint, formatting, unused code, drift of
 * generated documents, the import table, sizes and links. Two at a time; prints what failed, whole.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (name, ...args) => [`node_modules/.bin/${name}`, ...args];

/** Longest first, so that the last one to finish is a short one. */
const TASKS = [
  ["lint", bin("eslint", ".", "--max-warnings", "0")],
  ["types", bin("tsc", "--noEmit", "--incremental", "--tsBuildInfoFile", "node_modules/.cache/smith-check.tsbuildinfo")],
  ["formatting", bin("prettier", "--check", "--cache", "--log-level", "warn", ".")],
  ["imports, sizes and links", bin("vitest", "run", "--project", "unit", "--reporter", "dot", "test/architecture", "test/docs")],
  ["unused code", bin("knip", "--no-progress")],
  ["documents", [process.execPath, "scripts/docs.mjs", "--check"]],
];
const AT_ONCE = 2;

function run([name, [command, ...args]]) {
  const started = performance.now();
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, FORCE_COLOR: "0" } });
    const output = [];
    child.stdout.on("data", (chunk) => output.push(chunk));
    child.stderr.on("data", (chunk) => output.push(chunk));
    child.on("error", (error) => output.push(Buffer.from(`${error.message}\n`)));
    child.on("close", (code) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`${code === 0 ? "ok    " : "FAILED"} ${name} (${seconds} s)`);
      if (code !== 0) console.log(Buffer.concat(output).toString());
      resolve(code === 0);
    });
  });
}

const queue = [...TASKS];
const results = [];
async function worker() {
  for (let task = queue.shift(); task !== undefined; task = queue.shift()) results.push(await run(task));
}
await Promise.all(Array.from({ length: AT_ONCE }, worker));
const failed = results.filter((isOk) => !isOk).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
