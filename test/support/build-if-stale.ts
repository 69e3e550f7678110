import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Suites that run dist/smith.js must run today's sources. Returns at once when dist is fresh. */
export async function setup(): Promise<void> {
  const script = fileURLToPath(new URL("../../scripts/build.mjs", import.meta.url));
  await promisify(execFile)(process.execPath, [script, "--if-stale"]);
}
