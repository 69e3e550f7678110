import { err, ok, type Result } from "../../base/index.js";
import { type Generation, loadWatch, type OfferedSet, type PackageWatch, type PluginHost, type PluginIndex } from "../../plugin/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { type DeclaredSecrets, declaredSecrets, type Secrets } from "../secrets/index.js";
import type { RuntimeDeps } from "../deps.js";
import type { Contributions } from "../types.js";
import { type Found, findPlugins } from "./catalog.js";
import { changedPlugins, contributionsOf } from "./contributions.js";
import type { RunConfig } from "./run-config.js";

export interface LivePluginPorts {
  readonly deps: RuntimeDeps;
  readonly bundled: { readonly index: PluginIndex; readonly dir: string };
  readonly host: PluginHost;
  readonly config: RunConfig;
  readonly secrets: Secrets;
  /** What the host was made with. */
  readonly found: Found;
}

/** The plugins of a runtime while it runs: read again when asked to or when a watched folder changes, told to whoever shows them. */
export interface LivePlugins {
  readonly isTrusted: () => boolean;
  readonly contributions: () => Contributions;
  readonly observe: (listener: () => void) => () => void;
  /** Told of each other generation with what changed in it. */
  readonly onGeneration: (listener: (changed: readonly string[]) => void) => () => void;
  readonly reload: () => Promise<Result<readonly string[], readonly Diagnostic[]>>;
  /** What tool sets offer is as given from the next request on. */
  readonly offer: (sets: readonly OfferedSet[]) => void;
  close(): Promise<void>;
}

export async function createLivePlugins(ports: LivePluginPorts): Promise<LivePlugins> {
  const { deps, host } = ports;
  let { found } = ports;
  let shown = contributionsOf(host.generation);
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  let sets: readonly OfferedSet[] = [];
  const observers = new Set<() => void>();
  const listeners = new Set<(changed: readonly string[]) => void>();
  const publish = async (): Promise<Result<readonly string[], readonly Diagnostic[]>> => {
    if (isClosed) return ok([]);
    const again = await findPlugins(deps, ports.bundled);
    const problems = brokenNow(found, again);
    // A package that is just being written must not take the one that works out of use.
    if (problems.length > 0) return err(problems);
    const before = host.generation;
    ports.config.load(again.options);
    ports.secrets.declare(secretNames(again));
    const told = new Set(found.diagnostics.map(({ what }) => what));
    for (const problem of again.diagnostics) if (!told.has(problem.what)) deps.onDiagnostic(problem);
    found = again;
    const changed = changedBetween(before, again);
    if (changed.length === 0) return ok([]);
    const published = host.publish({ ...again.input, sets });
    if (!published.ok) return published;
    shown = contributionsOf(published.value);
    for (const listener of [...listeners]) listener(changed);
    for (const observer of [...observers]) observer();
    return ok(changed);
  };
  /** One after the other: each is of what is there when it begins. */
  const reload = async (): Promise<Result<readonly string[], readonly Diagnostic[]>> => {
    const mine = last.then(publish);
    last = mine.catch(() => undefined);
    return await mine;
  };
  const watches = await watchAll(deps, async () => {
    const done = await reload();
    if (!done.ok) for (const problem of done.error) deps.onDiagnostic({ ...problem, severity: "warning" });
  });
  return {
    isTrusted: () => found.isTrusted,
    contributions: () => shown,
    observe: (listener) => subscribe(observers, listener),
    onGeneration: (listener) => subscribe(listeners, listener),
    reload,
    offer(offered) {
      if (isClosed) return;
      sets = offered;
      const published = host.publish({ ...found.input, sets });
      if (!published.ok) return;
      shown = contributionsOf(published.value);
      for (const observer of [...observers]) observer();
    },
    async close() {
      isClosed = true;
      await Promise.all([...watches.map(async (watch) => await watch.close()), last]);
      observers.clear();
      listeners.clear();
    },
  };
}

/** The same function can be there more than once; each is its own. */
function subscribe<Listener extends (...args: never[]) => void>(listeners: Set<Listener>, listener: Listener): () => void {
  const own = ((...args: never[]) => {
    listener(...args);
  }) as Listener;
  listeners.add(own);
  return () => {
    listeners.delete(own);
  };
}

async function watchAll({ watch, pluginDirs, clock }: RuntimeDeps, onChange: () => Promise<void>): Promise<readonly PackageWatch[]> {
  if (!watch || pluginDirs.length === 0) return [];
  const watchPackage = await loadWatch();
  return pluginDirs.map((dir) =>
    watchPackage(
      dir,
      () => {
        // Reading again reports what it finds; a bug in it must not end the process from a timer.
        onChange().catch(() => undefined);
      },
      { clock },
    ),
  );
}

/** What is wrong with plugins that were in use until now and whose package does not load any more. */
function brokenNow(before: Found, after: Found): readonly Diagnostic[] {
  const used = new Set(before.input.plugins.flatMap(({ origin, dir }) => (origin === "run" && dir !== undefined ? [dir] : [])));
  return after.discovery.records.flatMap(({ dir, inactive, problems }) =>
    inactive === "broken" && dir !== undefined && used.has(dir) ? problems : [],
  );
}

const changedBetween = (before: Generation, { input }: Found): readonly string[] =>
  changedPlugins(before, { ...before, plugins: input.plugins, resources: input.resources });

/** Names of secrets no child sees. A plugin that is not in use names none: it could hide what is not its own. */
export const secretNames = ({ discovery }: { readonly discovery: Pick<Found["discovery"], "active"> }): DeclaredSecrets =>
  declaredSecrets(discovery.active.map(({ compiled }) => compiled));
