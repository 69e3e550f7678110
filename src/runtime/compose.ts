import type { EntryId } from "../base/index.js";
import { err, ok, type Result } from "../base/index.js";
import { createPathLocks, createProgramLookup, createSearch, createValueFiles } from "../effect/index.js";
import { createEvaluator, pluginFiles, startPlugins, type StartedPlugins } from "../plugin/index.js";
import { createCooldowns, isLastResort } from "../provider/index.js";
import { type Diagnostic, NO_MODEL_SETTINGS } from "../schema/index.js";
import { createSessionStore } from "../session/index.js";
import { noSessionHere, pluginsOff, unknownPlugin } from "./diagnostics.js";
import { createOpenSessions, refusedTools } from "./open-sessions.js";
import {
  createLivePlugins,
  findPlugins,
  type Found,
  type LivePlugins,
  pluginDataDir,
  promptOf,
  secretNames,
  valuesDir,
} from "./plugins/index.js";
import { createServers } from "./mcp/index.js";
import { createModelView, runChoice } from "./models/index.js";
import { callableTools } from "./session/index.js";
import { openProviders } from "./providers.js";
import { discreet, openSecrets } from "./secrets/index.js";
import type { RuntimeDeps } from "./deps.js";
import { type Shared, storeDeps } from "./shared.js";
import type { Runtime } from "./types.js";

/**
 * Builds the runtime: plugins, provider, session store behind one facade. The provider worker starts here, in parallel
 * with looking for plugins and whatever the caller does next; nothing else is started before it is needed.
 */
export async function createRuntime(deps: RuntimeDeps): Promise<Result<Runtime, Diagnostic>> {
  const { plugins, disabledPlugins } = deps.settings;
  if (!plugins.value) return err(pluginsOff(plugins.source));
  const started = await (deps.plugins ?? startPlugins(pluginFiles(deps.installDir)));
  if (!started.ok) return started;
  const found = await findPlugins(deps, bundledOf(deps, started.value));
  const unusable = deps.watch ? undefined : unusableForRun(found);
  if (unusable !== undefined) {
    await started.value.providers.terminate(async (ms, signal) => {
      await deps.clock.sleep(ms, signal);
    });
    return err(unusable);
  }
  for (const problem of found.diagnostics) deps.onDiagnostic(problem);
  const known = [...new Set(found.discovery.records.map(({ id }) => id))];
  for (const id of disabledPlugins.value) if (!known.includes(id)) deps.onDiagnostic(unknownPlugin(id, known));
  return await join(deps, started.value, found);
}

/** Whoever named a plugin for the run wants no run without it; whoever works on it has it watched and mends it. */
function unusableForRun({ discovery }: Found): Diagnostic | undefined {
  const [first, ...others] = discovery.records.flatMap(({ origin, inactive, problems }) =>
    origin === "run" && (inactive === "broken" || inactive === "sdk-mismatch") ? problems : [],
  );
  return first === undefined || others.length === 0 ? first : { ...first, causes: others };
}

const bundledOf = ({ installDir }: RuntimeDeps, { index }: StartedPlugins): Parameters<typeof findPlugins>[1] => ({
  index,
  dir: pluginFiles(installDir).dir,
});

async function join(given: RuntimeDeps, started: StartedPlugins, found: Found): Promise<Result<Runtime, Diagnostic>> {
  const secrets = await openSecrets(given, secretNames(found));
  const deps = discreet(given, secrets);
  const { clock, installDir } = deps;
  const closing = new AbortController();
  const providers = await openProviders(deps, { started, found, closing: closing.signal });
  const { host, config, models, answering, credentials } = providers;
  const wish = { selection: deps.settings.model.value, thinking: deps.settings.thinking.value };
  const route = models.route(wish, host.generation);
  if (!route.ok) {
    await providers.close();
    return route;
  }
  // Whoever said which model to use is not helped by another one, and a key or an address is as good as a word.
  if (wish.selection === undefined && isLastResort(route.value.targets[0])) answering.look();
  credentials.onValue(secrets.learn);
  const live = await createLivePlugins({ deps, bundled: bundledOf(deps, started), host, config, secrets, found });
  const servers = createServers({ deps, host, secrets, credentials, publish: live.offer });
  const evaluator = createEvaluator({ ...pluginFiles(installDir), clock });
  const shared: Shared = {
    ...{ deps, secrets, evaluator, credentials, host, config, models, servers },
    engine: providers.engine,
    router: providers.router,
    model: { wish, route: route.value },
    chosen: runChoice(deps.settings),
    discovered: answering.settled,
    cooldowns: createCooldowns(),
    dataDir: pluginDataDir(deps.paths),
    search: createSearch({ workerUrl: new URL("search-worker.js", installDir), clock }),
    hasProgram: createProgramLookup(deps.env["PATH"]),
    locks: createPathLocks(),
    store: createSessionStore(storeDeps(deps, deps.paths.sessions)),
    values: createValueFiles({ dir: valuesDir(deps.paths), clock, unique: () => deps.ids.next<EntryId>() }),
    project: found.project,
    isTrusted: live.isTrusted,
    closing: closing.signal,
    onGeneration: live.onGeneration,
  };
  const end = async (): Promise<void> => {
    closing.abort();
    await Promise.all([servers.close(), live.close(), evaluator.close()]);
  };
  return ok(
    facade(shared, live, {
      end,
      close: async () => {
        await providers.close();
      },
    }),
  );
}

/** `end` ends what sessions do not need any more, `close` what they were made with. */
function facade(
  shared: Shared,
  live: LivePlugins,
  { end, close }: { readonly end: () => Promise<void>; readonly close: () => Promise<void> },
): Runtime {
  const { deps, host, store } = shared;
  const sessions = createOpenSessions(shared);
  const view = createModelView({ models: shared.models, settings: deps.models ?? NO_MODEL_SETTINGS, host });
  return {
    cwd: deps.cwd,
    version: deps.version,
    get tools() {
      return host.generation.tools;
    },
    async toolsReady(signal) {
      await shared.servers.ready(signal);
    },
    callable: (chosen = deps.settings.tools.value) => callableTools(host.generation, { chosen, hasProgram: shared.hasProgram }),
    refusedTools: (chosen) => refusedTools(host.generation, chosen),
    prompt: async (name, args, signal) => await promptOf({ host, ids: deps.ids, cwd: deps.cwd }, { name, args, signal }),
    models: () => view,
    contributions: live.contributions,
    observeContributions: live.observe,
    reload: live.reload,
    create: async (options = {}) => await Promise.resolve(sessions.create(options)),
    open: async (id, options = {}) => await sessions.open(id, options),
    async newest() {
      for await (const { id } of store.list({ cwd: deps.cwd })) return ok(id);
      return err(noSessionHere(deps.cwd));
    },
    resolve: async (name) => await store.resolve(name),
    fork: async (source, at) => await store.fork(source, at === undefined ? {} : { at }),
    async close() {
      await sessions.close();
      await end();
      await Promise.all([close(), shared.search.close()]);
    },
    killNow() {
      sessions.killNow();
      shared.servers.killNow();
    },
  };
}
