import { join, resolve } from "node:path";
import { err, ok, type Result } from "../base/index.js";
import {
  createKdlCache,
  findProjectRoot,
  type Paths,
  readSources,
  resolvePaths,
  resolveSettings,
  type SettingSources,
} from "../config/index.js";
import type { Diagnostic } from "../schema/index.js";
import type { Prepared, RuntimePort } from "./context.js";
import { cannotHold, notAFolder, notAPlugin } from "./diagnostics.js";
import type { CliHost } from "./host.js";
import type { CommonFlags } from "./given-flags.js";
import type { Log } from "./output/log.js";
import { projectUnused, type UnusedProject } from "./plugins/diagnostics.js";

export const pathsOf = (host: CliHost): Result<Paths, Diagnostic> =>
  resolvePaths({ env: host.env, cwd: host.cwd, platform: host.platform, userHome: () => host.userHome() });

/** The folder a command works in, by `--cwd`. */
export async function folderFor(host: CliHost, cwd: string | undefined): Promise<Result<string, Diagnostic>> {
  if (cwd === undefined) return ok(host.cwd);
  const folder = resolve(host.cwd, cwd);
  if (cwd === "" || !(await host.isDirectory(folder))) return err(notAFolder(cwd));
  // One name for a folder, however one got there: sessions are found by it.
  return ok((await host.realPath(folder)) ?? folder);
}

export interface PreparePorts {
  readonly host: CliHost;
  readonly log: Log;
  readonly runtime: Pick<RuntimePort, "trust">;
}

/** Reads all settings. With `lenient`, what is wrong inside a file comes back as a warning; flags and variables stay errors. */
export async function prepare(
  { host, log, runtime }: PreparePorts,
  common: CommonFlags,
  lenient: boolean,
): Promise<Result<Prepared, readonly Diagnostic[]>> {
  const cwd = await folderFor(host, common.cwd);
  if (!cwd.ok) return err([cwd.error]);
  const pluginDirs = await pluginFolders(host, cwd.value, common.plugins);
  if (!pluginDirs.ok) return err([pluginDirs.error]);
  const paths = pathsOf(host);
  if (!paths.ok) return err([paths.error]);
  const unheld = await placeWithout(host, paths.value);
  if (unheld !== undefined) return err([cannotHold(unheld)]);
  // A cache that does not work costs a few milliseconds and concerns nobody but a reader of the log.
  const cache = createKdlCache({
    dir: paths.value.cache,
    pid: host.pid,
    log: (message) => {
      log.record("warn", "cache", { message });
    },
  });
  const inputs = { env: host.env, cwd: cwd.value, paths: paths.value, cache, flags: common.settings, pairs: common.pairs };
  const read = async (trusted: boolean): Promise<SettingSources> => await readSources({ ...inputs, trusted });
  const { trusted } = common;
  const { sources, unused } =
    trusted === undefined
      ? await readWithTrust({ host, runtime, paths: paths.value, cwd: cwd.value }, read)
      : { sources: await read(trusted), unused: undefined };
  // Groups that are nobody's here may be those of a plugin; the runtime says so when they are not.
  const { settings, models, mcp, diagnostics } = resolveSettings(sources, { foreign: "ignore" });
  if (settings.log.value !== "off") log.open(join(paths.value.state, "log", "smith.jsonl"), settings.log.value);
  const graded = lenient ? diagnostics.map(asWarning) : diagnostics;
  const problems = graded.filter(({ severity }) => severity === "error");
  if (problems.length > 0) return err(problems);
  return ok({
    settings,
    ...{ models, mcp },
    paths: paths.value,
    cwd: cwd.value,
    warnings: [...(unused === undefined ? [] : [projectUnused(unused)]), ...graded],
    sources,
    pluginDirs: pluginDirs.value,
    watch: common.watch,
    ...(unused === undefined ? {} : { toldOfProject: unused.state }),
    ...(trusted === undefined ? {} : { trusted }),
  });
}

/** A folder of ours that is not there and can never be. */
async function placeWithout(host: CliHost, { config, data, state, cache }: Paths): Promise<string | undefined> {
  for (const path of [config, data, state, cache]) if (!(await host.canHold(path))) return path;
  return undefined;
}

/** Folders of `--plugin`, absolute. A mistyped one is told before anything is started. */
async function pluginFolders(host: CliHost, cwd: string, given: readonly string[]): Promise<Result<readonly string[], Diagnostic>> {
  const dirs: string[] = [];
  for (const name of given) {
    const dir = resolve(cwd, name);
    if (name === "" || !(await host.isDirectory(dir))) return err(notAPlugin(name, "There is no such folder, or it cannot be entered."));
    if ((await host.realPath(join(dir, "manifest.kdl"))) === undefined) return err(notAPlugin(name, "It holds no manifest.kdl."));
    const real = (await host.realPath(dir)) ?? dir;
    if (!dirs.includes(real)) dirs.push(real);
  }
  return ok(dirs);
}

interface TrustPorts {
  readonly host: CliHost;
  readonly runtime: Pick<RuntimePort, "trust">;
  readonly paths: Paths;
  readonly cwd: string;
}

interface ReadWithTrust {
  readonly sources: SettingSources;
  /** The project has something to say and is not heard. */
  readonly unused: UnusedProject | undefined;
}

/** Reads the sources as far as the project is trusted on record, and still is once they are read. */
async function readWithTrust(ports: TrustPorts, read: (trusted: boolean) => Promise<SettingSources>): Promise<ReadWithTrust> {
  const trust = await trustToAsk(ports);
  const before = await trust?.look(ports.cwd);
  if (trust === undefined || before?.root === undefined) return { sources: await read(false), unused: undefined };
  const { root, state, brings = [] } = before;
  if (state === "nothing-to-trust") return { sources: await read(false), unused: undefined };
  if (state !== "trusted") return { sources: await read(false), unused: { root, state, brings } };
  const sources = await read(true);
  const after = await trust.look(ports.cwd);
  if (after.state === "trusted" && after.hash === before.hash) return { sources, unused: undefined };
  return { sources: await read(false), unused: { root, state: "changed", brings } };
}

/** Where a project has anything that needs trust, it is in one of these. */
const PLACES_OF_TRUST = [".smith", ".mcp.json", ".agents", ".claude"] as const;

/** The record of trust, loaded only where a project has anything that needs it: most have not. */
async function trustToAsk({ host, runtime, paths, cwd }: TrustPorts): Promise<Awaited<ReturnType<RuntimePort["trust"]>> | undefined> {
  const root = await findProjectRoot(cwd);
  if (root === undefined) return undefined;
  const places = await Promise.all(PLACES_OF_TRUST.map(async (name) => await host.realPath(join(root, name))));
  return places.every((place) => place === undefined) ? undefined : await runtime.trust(paths, host);
}

const asWarning = (problem: Diagnostic): Diagnostic => (problem.source?.type === "file" ? { ...problem, severity: "warning" } : problem);
