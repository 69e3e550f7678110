import type { CallId, Clock } from "../../../src/base/index.js";
import { createIdSource } from "../../../src/base/index.js";
import type { EffectContext } from "../../../src/effect/index.js";
import { createOutputFolder, createProcessRunner, createSupervisor } from "../../../src/effect/process/index.js";
import { NO_VAULT } from "../../../src/effect/secrets/index.js";

/** One command in a fresh process. */
export interface Task {
  readonly command: string;
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly pty: boolean;
}

export interface Measured {
  readonly ms: number;
  /** Most over what the process had before, MB. */
  readonly memory: number;
  /** Longest time in which nothing else had its turn, ms. */
  readonly pause: number;
}

const clock: Clock = {
  now: () => performance.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      if (signal?.aborted === true) end();
      else signal?.addEventListener("abort", end);
    }),
};

const contextFor = (cwd: string): EffectContext => ({
  plugin: "smith.bench",
  generation: 1,
  // Any id does: nothing is recorded here.
  cause: "0198c0de-0000-7000-8000-000000000001" as CallId,
  grants: {
    ...{ fsRead: [], fsWrite: [], search: [], process: ["*"], processEnv: ["*"], net: [], state: [], ui: [], secrets: [], mcp: [] },
    ...{ evaluate: false, vcs: false, agent: false },
  },
  dataDir: "/nonexistent",
  resources: [],
  cwd,
  signal: new AbortController().signal,
  onProgress: () => undefined,
});

export async function runTask({ cwd, ...input }: Task, env: Readonly<Record<string, string>>): Promise<Measured> {
  let count = 0;
  const ids = createIdSource(
    () => 1_700_000_000_000,
    (into) => {
      count += 1;
      into.fill(count);
    },
  );
  const supervisor = createSupervisor({ clock, ids });
  const outputFolder = createOutputFolder({ folder: `${cwd}/outputs/own`, clock });
  const runner = createProcessRunner({ clock, supervisor, outputFolder, env, secret: () => undefined, vault: NO_VAULT });
  // The first starts the guard and loads what there is.
  await runner.run({ command: "true", cwd }, contextFor(cwd));
  const before = process.memoryUsage().rss;
  let most = before;
  let last = performance.now();
  let pause = 0;
  const beat = setInterval(() => {
    pause = Math.max(pause, performance.now() - last);
    last = performance.now();
    most = Math.max(most, process.memoryUsage().rss);
  }, 5);
  const started = performance.now();
  const { result } = await runner.run({ ...input, cwd }, contextFor(cwd));
  const ms = performance.now() - started;
  clearInterval(beat);
  await supervisor.close();
  if (!result.ok) throw new Error(result.error.what);
  return { ms, memory: (most - before) / 1024 / 1024, pause };
}
