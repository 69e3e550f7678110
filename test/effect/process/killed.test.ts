import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeFolder, removeFolder } from "../support.js";

let folder: string;
beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(() => removeFolder(folder));

async function bundle(): Promise<string> {
  const outfile = join(folder, "start-and-wait.mjs");
  const entry = fileURLToPath(new URL("../fixtures/start-and-wait.ts", import.meta.url));
  await build({ entryPoints: [entry], outfile, bundle: true, format: "esm", platform: "node", target: "node20.19", logLevel: "error" });
  return outfile;
}

/** Says that it is there, and holds the pipe `held` open as long as it or anything it started lives. */
const holding = (command: string): string => `exec 9>held; echo up >&9; ${command}`;

test("what a smith runs does not survive it, however it is killed", { timeout: 60_000 }, async () => {
  const lines = [
    holding("sleep 600"),
    holding("trap '' TERM HUP; sleep 600; sleep 600"),
    holding("setsid sh -c 'sleep 600; :' & sleep 600"),
    holding("(setsid sh -c '(sleep 600; :) </dev/null >/dev/null 2>&1 &'); sleep 600"),
    holding("(sleep 600; echo) & echo left in the background"),
    `job:setsid sh -c '${holding("sleep 600; :")}' </dev/null >/dev/null 2>&1 & exit 0`,
    `pty:${holding("trap '' HUP; sleep 600")}`,
  ];
  execFileSync("mkfifo", [join(folder, "held")]);
  const smith = spawn(process.execPath, [await bundle(), folder, ...lines], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, NODE_PATH: fileURLToPath(new URL("../../../node_modules", import.meta.url)) },
  });
  const closed = once(smith, "close");
  const held = await open(join(folder, "held"));
  let seen = "";
  for await (const chunk of held.createReadStream({ encoding: "latin1" })) {
    seen += String(chunk);
    if (seen === "up\n".repeat(lines.length)) smith.kill("SIGKILL");
  }
  // The pipe is at its end: nobody has it any more.
  await closed;
  expect(seen).toBe("up\n".repeat(lines.length));
  expect(smith.signalCode).toBe("SIGKILL");
});
