/** A third door, for looking after models and keys: nothing that runs a session is loaded. */
import { err, ok, type Result } from "../base/index.js";
import { createAuthAdmin } from "./model-admin/auth.js";
import type { ModelAdmin } from "./model-admin/types.js";
import { pluginFiles, startPlugins } from "../plugin/index.js";
import {
  connectionsOf,
  type ConnectionState,
  describeEntry,
  isLastResort,
  matchesName,
  type RefreshTarget,
  refreshModels,
} from "../provider/index.js";
import { type Diagnostic, NO_MODEL_SETTINGS } from "../schema/index.js";
import { pluginsOff } from "./diagnostics.js";
import type { RuntimeDeps } from "./deps.js";
import { findPlugins } from "./plugins/index.js";
import { openProviders, type Providers } from "./providers.js";

/** Reads plugins, keys and what servers said last; asks nobody by itself. */
export async function createModelAdmin(deps: RuntimeDeps): Promise<Result<ModelAdmin, Diagnostic>> {
  const { plugins } = deps.settings;
  if (!plugins.value) return err(pluginsOff(plugins.source));
  const started = await startPlugins(pluginFiles(deps.installDir));
  if (!started.ok) return started;
  const found = await findPlugins(deps, { index: started.value.index, dir: pluginFiles(deps.installDir).dir });
  for (const problem of found.diagnostics) deps.onDiagnostic(problem);
  const closing = new AbortController();
  const providers = await openProviders(deps, { started: started.value, found, closing: closing.signal });
  return ok(adminOf(deps, providers, closing));
}

function adminOf(deps: RuntimeDeps, providers: Providers, closing: AbortController): ModelAdmin {
  const { models: settings = NO_MODEL_SETTINGS } = deps;
  const { host, models, snapshots, engine, credentials, snapshot, answering } = providers;
  const looksAround = deps.settings.discovery.value;
  const connections = (): readonly ConnectionState[] => connectionsOf(models.surroundings(host.generation));
  return {
    entries: () => models.catalog(host.generation).list(),
    find: (ref, connection) => models.catalog(host.generation).find(ref, connection),
    isMatch: matchesName,
    describe: describeEntry,
    connections,
    route: (selection, thinking) => models.route({ selection, thinking }, host.generation),
    async lookAround() {
      const route = models.route({ selection: undefined, thinking: undefined }, host.generation);
      if (route.ok && isLastResort(route.value.targets[0])) answering.look();
      await answering.settled();
    },
    refreshedAt: snapshot?.startedAt,
    names: [
      ...settings.aliases.map(({ name, to }) => ({ type: "alias" as const, name, members: [to] })),
      ...settings.groups.map(({ name, members }) => ({ type: "group" as const, name, members })),
    ],
    async refresh({ only, signal: given, onReport }) {
      const signal = AbortSignal.any([given, closing.signal]);
      const lease = host.lease();
      try {
        const targets = connections().flatMap((state): readonly RefreshTarget[] => {
          const { provider, connection, endpoint } = state;
          const adapter = lease.provider(provider);
          const isNamed = only.includes(connection) || only.includes(provider);
          const isMeant = only.length > 0 ? isNamed && state.isReachable : state.isSetUp || (looksAround && state.isReachable);
          if (!isMeant || adapter === undefined || endpoint === undefined || endpoint.baseUrl === "") return [];
          return [{ adapter, provider, connection, endpoint }];
        });
        const outcome = await refreshModels({ engine, clock: deps.clock, credentials }, { targets, previous: snapshot, onReport }, signal);
        return outcome.type === "aborted" ? ok("aborted") : await snapshots.publish(outcome.snapshot, signal);
      } finally {
        lease.release();
      }
    },
    auth: createAuthAdmin(deps, providers, { connections, closing: closing.signal }),
    async close() {
      closing.abort();
      await providers.close();
    },
  };
}
