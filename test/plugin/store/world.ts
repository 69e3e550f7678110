import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { loadPackage as load } from "../../../src/plugin/package/index.js";
import {
  createPluginStore,
  createTrustStore,
  discoverPlugins,
  type Disk,
  type Download,
  type LoadPackage,
  nodeDisk,
  type PluginStore,
  type PluginStoreDeps,
  resolveProjectTrust,
  type TrustStore,
  type TrustStoreDeps,
} from "../../../src/plugin/store/index.js";
import type { CompiledPlugin, Discovery } from "../../../src/plugin/index.js";
import { createLocker } from "../../../src/session/index.js";
import { createRealClock } from "../../support/real-clock.js";

export type Tree = Readonly<Record<string, string>>;

/** Folders of one user in a temporary place, and the store on them. */
export interface World {
  readonly home: string;
  readonly config: string;
  readonly data: string;
  readonly cache: string;
  readonly work: string;
  readonly plugins: string;
  /** A store as another process would make it. */
  store(options?: Partial<PluginStoreDeps>): PluginStore;
  trust(options?: Partial<TrustStoreDeps>): TrustStore;
  discover(options?: Discover): Promise<Discovery>;
  write(dir: string, tree: Tree): Promise<string>;
  remove(): Promise<void>;
}

export interface Discover {
  readonly cwd?: string;
  readonly trusted?: boolean;
  readonly run?: readonly string[];
  readonly disabled?: readonly string[];
  readonly bundled?: readonly CompiledPlugin[];
  readonly loadPackage?: LoadPackage;
}

export async function createWorld(): Promise<World> {
  const home = await realpath(await mkdtemp(join(tmpdir(), "smith-store-")));
  const [config, data, cache, work] = ["config", "data", "cache", "work"].map((name) => join(home, name)) as [
    string,
    string,
    string,
    string,
  ];
  await mkdir(work);
  const loadPackage: LoadPackage = async (dir) => await load(dir, { cacheDir: cache });
  let count = 0;
  const deps = {
    clock: createRealClock(),
    lock: createLocker(),
    disk: nodeDisk,
    randomId: () => `r${String((count += 1))}`,
    loadPackage,
    others: async (): Promise<readonly CompiledPlugin[]> => [],
  };
  const trust: World["trust"] = (options = {}) => createTrustStore({ ...deps, dataDir: data, ...options });
  return {
    home,
    config,
    data,
    cache,
    work,
    plugins: join(config, "plugins"),
    store: (options = {}) =>
      createPluginStore({
        ...deps,
        configDir: config,
        dataDir: data,
        env: { HOME: home },
        download: noNetwork,
        knownIds: async () => ["smith.read", "acme.lint"],
        ...options,
      }),
    trust,
    discover: async ({ cwd = work, trusted, run = [], disabled = [], bundled = [], loadPackage: other = loadPackage } = {}) => {
      const project = await resolveProjectTrust(trust(), cwd, trusted);
      return await discoverPlugins({
        bundled: { index: { sdk: 1, plugins: bundled }, dir: "/bundled" },
        configDir: config,
        dataDir: data,
        ...(project === undefined ? {} : { project }),
        run,
        disabled,
        loadPackage: other,
      });
    },
    write: async (dir, tree) => {
      for (const [name, text] of Object.entries(tree)) {
        await mkdir(dirname(join(dir, name)), { recursive: true });
        await writeFile(join(dir, name), text);
      }
      return dir;
    },
    remove: async () => {
      await rm(home, { recursive: true, force: true });
    },
  };
}

const noNetwork: Download = () => Promise.reject(new Error("this test has no network"));

export interface PluginWords {
  readonly id?: string;
  readonly version?: string;
  readonly grants?: string;
  readonly main?: string;
}

/** Files of a small plugin that loads. */
export const plugin = ({ id = "acme.lint", version = "1.0.0", grants = "", main = "one" }: PluginWords = {}): Tree => ({
  "manifest.kdl": `plugin "${id}" version="${version}" sdk=1 entry="src/main.ts" {
  description "Lints"
  grants { ${grants} }
  tool "lint" read-only=#true {
    description "Lints"
  }
}
`,
  "src/main.ts": `import { definePlugin, result } from "smith-agent/plugin";\nexport default definePlugin({ tools: { lint: () => result("${main}") } });\n`,
});

export const signal = new AbortController().signal;

/** Plans and installs; throws what was refused. */
export async function install(store: PluginStore, spec: string, cwd: string): Promise<void> {
  const plan = await store.plan(spec, { cwd, signal });
  if (!plan.ok) throw new Error(JSON.stringify(plan.error, undefined, 1));
  const installed = await plan.value.install();
  if (!installed.ok) throw new Error(JSON.stringify(installed.error, undefined, 1));
}

/** Whether and why not each plugin is used, `origin id: used`. */
export const summary = ({ records }: Discovery): readonly string[] =>
  records.map(({ id, origin, inactive, compiled }) => `${origin} ${id} ${compiled?.version ?? "-"}: ${inactive ?? "used"}`);

export const codes = (diagnostics: readonly { readonly code: string }[]): readonly string[] => diagnostics.map(({ code }) => code);

/** Everything in a folder, hidden or not, by name. */
export async function listAll(dir: string): Promise<readonly string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .sort();
}

export const text = async (...path: readonly string[]): Promise<string> => await readFile(join(...path), "utf8");

export interface StoppingDisk {
  readonly disk: Disk;
  readonly stopped: Promise<"stopped">;
  /** Lets what waits go, with an error; nothing reaches the disk any more. */
  release(): void;
}

/** A disk that stops before its change number `stopAt`, and what waits for it with it: what a killed process leaves. */
export function stoppingDisk(stopAt: number): StoppingDisk {
  let made = 0;
  let stop: (word: "stopped") => void = () => undefined;
  let release: () => void = () => undefined;
  const stopped = new Promise<"stopped">((resolve) => {
    stop = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const step = async (): Promise<void> => {
    made += 1;
    if (made <= stopAt) return;
    stop("stopped");
    await released;
    throw new Error("killed");
  };
  const disk: Disk = {
    rename: async (from, to) => {
      await step();
      await nodeDisk.rename(from, to);
    },
    replace: async (path, content, unique) => {
      await step();
      await nodeDisk.replace(path, content, unique);
    },
    writeTree: async (dir, files) => {
      await step();
      await nodeDisk.writeTree(dir, files);
    },
    removeTree: async (dir) => {
      await step();
      await nodeDisk.removeTree(dir);
    },
  };
  return { disk, stopped, release: () => release() };
}
