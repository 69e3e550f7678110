/** The official conformance harness of the protocol, as a process that judges one scenario. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

const HARNESS = fileURLToPath(new URL("../../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url));
/** What the harness needs of `fs` that Node 20 has not. */
const PRELOAD = new URL("../../effect/mcp/conformance/fs-glob.mjs", import.meta.url).href;

export interface Verdict {
  readonly status: number;
  readonly passed: number;
  readonly failed: number;
  readonly warnings: number;
  /** All it wrote. */
  readonly words: string;
}

export interface HarnessPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs the harness with these arguments, `client` or `server` first. What it starts inherits the place. */
export const judge = async (args: readonly string[], { cwd, env }: HarnessPlace): Promise<Verdict> =>
  await new Promise((resolve, reject) => {
    execFile(process.execPath, ["--import", PRELOAD, HARNESS, ...args], { cwd, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      const words = `${stdout}${stderr}`;
      const status = error === null ? 0 : error.code;
      const counts = /Passed: (\d+)\/\d+, (\d+) failed, (\d+) warnings/u.exec(words);
      if (typeof status !== "number" || counts === null) {
        reject(new Error(`the harness gave no verdict: ${words}`, { cause: error }));
        return;
      }
      const [passed = 0, failed = 0, warnings = 0] = counts.slice(1).map(Number);
      resolve({ status, passed, failed, warnings, words });
    });
  });
