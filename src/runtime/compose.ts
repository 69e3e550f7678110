import { err, ok, type Result } from "../base/index.js";
import { createPathLocks, createSearch } from "../effect/index.js";
import { createPluginHost, pluginFiles } from "../plugin/index.js";
import { createHttpEngine } from "../provider/index.js";
import type { Diagnostic } from "../schema/index.js";
import { createSessionStore } from "../session/index.js";
import { noSessionHere, pluginsOff, unknownPlugin } from "./diagnostics.js";
import { beginPlugins } from "./early.js";
import { bindModel } from "./models.js";
import { createOpenSessions } from "./open-sessions.js";
import { createSecrets, declaredCredentials } from "./secrets.js";
import { createEffectRouter } from "./session/index.js";
import { type RuntimeDeps, type Shared, storeDeps } from "./shared.js";
import type { Runtime } from "./types.js";

/**
 * Builds the runtime: plugins, provider, session store behind one facade. The provider worker starts here, in parallel
 * with whatever the caller does next; nothing else is started before it is needed.
 */
export async function createRuntime(deps: RuntimeDeps): Promise<Result<Runtime, Diagnostic>> {
  const { plugins, disabledPlugins } = deps.settings;
  if (!plugins.value) return err(pluginsOff(plugins.source));
  const started = await (deps.plugins ?? beginPlugins(deps.installDir));
  if (!started.ok) return started;
  const { index, providers } = started.value;
  for (const id of disabledPlugins.value) {
    if (!index.plugins.some((plugin) => plugin.id === id))
      deps.onDiagnostic(
        unknownPlugin(
          id,
          index.plugins.map((plugin) => plugin.id),
        ),
      );
  }
  const router = createEffectRouter();
  const host = createPluginHost({
    ...pluginFiles(deps.installDir),
    index,
    providers,
    disabled: new Set(disabledPlugins.value),
    effects: router.gateway,
    clock: deps.clock,
    onDiagnostic: deps.onDiagnostic,
  });
  const closing = new AbortController();
  const engine = createHttpEngine({ env: deps.env, clock: deps.clock, version: deps.version, secret: (name) => deps.env[name] });
  const model = bindModel(deps.settings.model.value, { host, engine, clock: deps.clock, env: deps.env, signal: closing.signal });
  if (!model.ok) {
    await host.close();
    return model;
  }
  const search = createSearch({ workerUrl: new URL("search-worker.js", deps.installDir), clock: deps.clock });
  const shared: Shared = {
    deps,
    host,
    engine,
    model: model.value,
    router,
    search,
    locks: createPathLocks(),
    store: createSessionStore(storeDeps(deps, deps.paths.sessions)),
    secrets: createSecrets(deps.env, declaredCredentials(index)),
  };
  return ok(facade(shared, closing));
}

function facade(shared: Shared, closing: AbortController): Runtime {
  const { deps, host, store } = shared;
  const sessions = createOpenSessions(shared);
  return {
    cwd: deps.cwd,
    version: deps.version,
    tools: host.generation.tools,
    create: async (options = {}) => await Promise.resolve(sessions.create(options)),
    open: async (id, options = {}) => await sessions.open(id, options),
    async newest() {
      for await (const { id } of store.list({ cwd: deps.cwd })) return ok(id);
      return err(noSessionHere(deps.cwd));
    },
    resolve: async (name) => await store.resolve(name),
    fork: async (source, at) => await store.fork(source, at === undefined ? {} : { at }),
    async close() {
      closing.abort();
      await sessions.close();
      shared.engine.close();
      await Promise.all([host.close(), shared.search.close()]);
    },
    killNow: sessions.killNow,
  };
}
