import { pathToFileURL } from "node:url";
import type { CallId, Clock } from "../../../src/base/index.js";
import type { EffectContext } from "../../../src/effect/index.js";
import { createSearch } from "../../../src/effect/index.js";
import { createSearchFacilities } from "../../../src/effect/search/index.js";

/** Searches of one tree in one process, the first of it fresh and the others warm. `worker` is the built thread. */
export interface Task {
  readonly op: "search.grep" | "search.find";
  readonly input: { readonly pattern: string; readonly limit: number; readonly ignoreCase?: boolean };
  readonly root: string;
  readonly worker: string;
  readonly warm: number;
}

export interface Measured {
  readonly freshMs: number;
  readonly warmMs: readonly number[];
  /** Matches, or paths. */
  readonly found: number;
}

const clock: Clock = {
  now: () => performance.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
      if (signal?.aborted === true) {
        clearTimeout(timer);
        resolve();
      }
    }),
};

const contextFor = (cwd: string): EffectContext => ({
  plugin: "smith.bench",
  generation: 1,
  // Any id does: nothing is recorded here.
  cause: "0198c0de-0000-7000-8000-000000000001" as CallId,
  grants: {
    fsRead: ["workspace"],
    fsWrite: [],
    search: ["workspace"],
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
  },
  dataDir: "/nonexistent",
  resources: [],
  cwd,
  signal: new AbortController().signal,
});

export async function runTask(task: Task): Promise<Measured> {
  const search = createSearch({ workerUrl: pathToFileURL(task.worker), clock });
  const facilities = createSearchFacilities({ policy: { tempDir: "/tmp", denied: [] }, search, env: {} });
  const context = contextFor(task.root);
  const once = async (): Promise<{ readonly ms: number; readonly found: number }> => {
    const started = performance.now();
    const found = await (task.op === "search.grep" ? grepOnce() : findOnce());
    return { ms: performance.now() - started, found };
  };
  const grepOnce = async (): Promise<number> => {
    const { result } = await facilities["search.grep"].run(task.input, context);
    if (!result.ok) throw new Error(result.error.what);
    return result.value.total?.matches ?? 0;
  };
  const findOnce = async (): Promise<number> => {
    const { result } = await facilities["search.find"].run(task.input, context);
    if (!result.ok) throw new Error(result.error.what);
    return result.value.total?.paths ?? 0;
  };
  const fresh = await once();
  const warmMs: number[] = [];
  for (let run = 0; run < task.warm; run += 1) warmMs.push((await once()).ms);
  await search.close();
  return { freshMs: fresh.ms, warmMs, found: fresh.found };
}
