import { join, resolve } from "node:path";
import { err, ok, type Result } from "../base/index.js";
import { createKdlCache, type Paths, readSources, resolvePaths, resolveSettings } from "../config/index.js";
import type { Diagnostic } from "../schema/index.js";
import type { Prepared } from "./context.js";
import { notAFolder } from "./diagnostics.js";
import type { CliHost } from "./host.js";
import type { CommonFlags } from "./invocation.js";
import type { Log } from "./log.js";

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

/** Reads all settings. With `lenient`, what is wrong inside a file comes back as a warning; flags and variables stay errors. */
export async function prepare(
  host: CliHost,
  log: Log,
  common: CommonFlags,
  lenient: boolean,
): Promise<Result<Prepared, readonly Diagnostic[]>> {
  const cwd = await folderFor(host, common.cwd);
  if (!cwd.ok) return err([cwd.error]);
  const paths = pathsOf(host);
  if (!paths.ok) return err([paths.error]);
  const { trusted } = common;
  const sources = await readSources({
    env: host.env,
    cwd: cwd.value,
    paths: paths.value,
    // A cache that does not work costs a few milliseconds and concerns nobody but a reader of the log.
    cache: createKdlCache({
      dir: paths.value.cache,
      pid: host.pid,
      log: (message) => {
        log.record("warn", "cache", { message });
      },
    }),
    flags: common.settings,
    pairs: common.pairs,
    trusted,
  });
  // Groups that are nobody's here may be those of a plugin; the runtime says so when they are not.
  const { settings, diagnostics } = resolveSettings(sources, { foreign: "ignore" });
  if (settings.log.value !== "off") log.open(join(paths.value.state, "log", "smith.jsonl"), settings.log.value);
  const graded = lenient ? diagnostics.map(asWarning) : diagnostics;
  const problems = graded.filter(({ severity }) => severity === "error");
  return problems.length > 0
    ? err(problems)
    : ok({ settings, paths: paths.value, cwd: cwd.value, warnings: graded, sources, ...(trusted === undefined ? {} : { trusted }) });
}

const asWarning = (problem: Diagnostic): Diagnostic => (problem.source?.type === "file" ? { ...problem, severity: "warning" } : problem);
