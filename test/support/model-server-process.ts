import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { JsonObject } from "../../src/base/index.js";

export interface ModelServerProcess {
  readonly url: string;
  /** Opens a gate that a scripted reply names. */
  open(gate: string): Promise<void>;
  /** What was asked so far: `{ requests, complaints }`. */
  asked(): Promise<JsonObject>;
  /** Rejects when something was complained of. */
  stop(): Promise<void>;
}

/** Runs model-server-main.ts as a process of its own, for tests whose own process is busy or is killed. */
export async function startModelServerProcess(script: JsonObject): Promise<ModelServerProcess> {
  const dir = await mkdtemp(join(tmpdir(), "smith-model-server-"));
  const main = join(dir, "main.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("./model-server-main.ts", import.meta.url))],
    outfile: main,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "silent",
  });
  await writeFile(join(dir, "script.json"), JSON.stringify(script));
  const child = spawn(process.execPath, [main, join(dir, "script.json")], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<number | null>((resolve) => {
    child.once("close", resolve);
  });
  const first = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  if (first.done === true) throw new Error("the model server process ended before it printed its URL");
  const url = first.value;
  const root = url.replace(/\/v1$/, "");
  return {
    url,
    open: async (gate) => {
      await (await fetch(`${root}/__gates/${encodeURIComponent(gate)}`, { method: "POST" })).arrayBuffer();
    },
    asked: async () => (await (await fetch(`${root}/__requests`)).json()) as JsonObject,
    stop: async () => {
      child.stdin.end();
      const status = await ended;
      await rm(dir, { recursive: true, force: true });
      if (status !== 0) throw new Error("requests that a vendor refuses were made, or the model server failed: see standard error");
    },
  };
}
