/** Real files, real time, real programs: what the suites of this folder share. */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect } from "vitest";
import type { CallId, Clock, EffectId, IdSource, Result } from "../../src/base/index.js";
import { createIdSource } from "../../src/base/index.js";
import type { Diagnostic, ImagePart, SdkOperation, SdkOperations } from "../../src/schema/index.js";
import type { EffectContext, EffectReply, FacilityDeps, FacilitySet, Grants, ImageShelf, Search } from "../../src/effect/index.js";
import { createFacilities, createFileTracker, createPathLocks } from "../../src/effect/index.js";

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener("abort", end);
    }),
};

/** Suites run beside each other, and what carries the mark of one command is ended with it: each process has its own. */
export function testIds(): IdSource {
  let count = 0;
  return createIdSource(
    () => 1_700_000_000_000,
    (into) => {
      count += 1;
      const bytes = new DataView(into.buffer, into.byteOffset);
      bytes.setUint16(2, process.pid % 0x1_00_00);
      bytes.setUint32(4, count);
    },
  );
}

/** A folder of its own below the system's temporary folder, by its real path. */
export const makeFolder = async (): Promise<string> => realpath(await mkdtemp(join(tmpdir(), "smith-effect-")));
export const removeFolder = (path: string): Promise<void> => rm(path, { recursive: true, force: true });

export const NOTHING: Grants = {
  fsRead: [],
  fsWrite: [],
  search: [],
  process: [],
  processEnv: [],
  net: [],
  evaluate: false,
  vcs: false,
  state: [],
  ui: [],
  secrets: [],
  mcp: [],
  agent: false,
};
export const EVERYTHING: Grants = {
  fsRead: ["anywhere"],
  fsWrite: ["anywhere"],
  search: ["anywhere"],
  process: ["*"],
  processEnv: ["*"],
  net: [{ origin: "*", methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"], private: true }],
  evaluate: true,
  vcs: true,
  state: (["session", "branch", "project", "user"] as const).map((scope) => ({ scope, maxBytes: 64 * 1024 })),
  ui: ["notify", "status", "progress", "ask", "choose", "confirm"],
  secrets: ["TEST_KEY"],
  mcp: [],
  agent: false,
};
export const WORKSPACE: Grants = {
  ...NOTHING,
  fsRead: ["workspace"],
  fsWrite: ["workspace"],
  search: ["workspace"],
  process: ["*"],
  processEnv: ["*"],
};

export const contextFor = (cwd: string, extra: Partial<EffectContext> = {}): EffectContext => ({
  plugin: "acme.test",
  generation: 1,
  cause: "0198c0de-0000-7000-8000-000000000001" as CallId,
  grants: WORKSPACE,
  dataDir: "/nonexistent/smith-plugin-data",
  resources: [],
  cwd,
  signal: new AbortController().signal,
  ...extra,
});

/** A shelf without bounds. */
export function testShelf(): ImageShelf {
  const kept: ImagePart[] = [];
  return {
    keep: (image, size) => {
      kept.push(image);
      return { ref: `image-${kept.length}`, mediaType: image.mediaType, bytes: Buffer.from(image.base64, "base64").length, ...size };
    },
    take: (ref) => kept[Number(ref.slice(6)) - 1],
  };
}

const noSearch: Search = {
  run: () => Promise.reject(new Error("this suite does not search")),
  close: () => Promise.resolve(),
};
const unused = (): Promise<never> => Promise.reject(new Error("this suite does not use it"));

/** Facilities on real files, with ports that are not used unless given. */
export const testFacilities = (deps: Partial<FacilityDeps> = {}): FacilitySet =>
  createFacilities({
    clock: realClock,
    ids: testIds(),
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
    policy: { tempDir: tmpdir(), denied: [] },
    search: noSearch,
    locks: createPathLocks(),
    tracker: createFileTracker(),
    ui: { ask: unused },
    state: { get: unused, put: unused, delete: unused },
    evaluate: { run: unused },
    resources: { find: () => undefined },
    secret: () => undefined,
    outputs: join(tmpdir(), "smith-test-outputs-unused"),
    ...deps,
  });

export interface Bench {
  call<Op extends SdkOperation>(
    op: Op,
    input: SdkOperations[Op]["input"],
    extra?: Partial<EffectContext>,
  ): Promise<EffectReply<SdkOperations[Op]["output"]>>;
  /** The value of a call that must succeed. */
  value<Op extends SdkOperation>(
    op: Op,
    input: SdkOperations[Op]["input"],
    extra?: Partial<EffectContext>,
  ): Promise<SdkOperations[Op]["output"]>;
  /** The error of a call that must fail. */
  error<Op extends SdkOperation>(op: Op, input: SdkOperations[Op]["input"], extra?: Partial<EffectContext>): Promise<Diagnostic>;
  close(): Promise<void>;
}

export interface BenchOptions extends Partial<FacilityDeps> {
  readonly denied?: readonly string[];
}

/** Facilities without a ledger: authorize, then run, as the gateway does. */
export function createBench(cwd: string, options: BenchOptions = {}): Bench {
  const { denied = [], ...deps } = options;
  const set = testFacilities({
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: cwd },
    policy: { tempDir: tmpdir(), denied },
    ...deps,
  });
  const call: Bench["call"] = async (op, input, extra) => {
    const context = contextFor(cwd, { effect: "0198c0de-0000-7000-8000-0000000000ef" as EffectId, ...extra });
    const permit = await set.table[op].authorize(input, context);
    if (!permit.ok) return { outcome: "not-applied", result: permit };
    return set.table[op].run(permit.value, context);
  };
  return {
    call,
    value: async (op, input, extra) => valueOf((await call(op, input, extra)).result),
    error: async (op, input, extra) => errorOf((await call(op, input, extra)).result),
    close: () => set.close(),
  };
}

export function valueOf<T>(result: Result<T, Diagnostic>): T {
  if (!result.ok) throw new Error(`expected a value, got ${JSON.stringify(result.error)}`);
  return result.value;
}

export function errorOf<T>(result: Result<T, Diagnostic>): Diagnostic {
  if (result.ok) throw new Error(`expected an error, got ${JSON.stringify(result.value)}`);
  for (const field of ["what", "why", "next"] as const) expect(result.error[field]).not.toBe("");
  return result.error;
}

/** Bundles the search thread as the build does. */
export async function buildSearchWorker(folder: string): Promise<URL> {
  const outfile = join(folder, "search-worker.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("../../src/effect/search/worker.ts", import.meta.url))],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    logLevel: "error",
    banner: { js: 'import{createRequire as smithRequire}from"node:module";const require=smithRequire(import.meta.url);' },
  });
  return pathToFileURL(outfile);
}
