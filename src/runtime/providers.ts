import { createPluginHost, deniedFacilities, pluginFiles, type PluginHost, type StartedPlugins } from "../plugin/index.js";
import { createHttpEngine, createSnapshotStore, type HttpEngine, type ModelSnapshot, type SnapshotStore } from "../provider/index.js";
import { NO_MODEL_SETTINGS } from "../schema/index.js";
import type { Credentials } from "../credential/index.js";
import { createAnswering, type Answering } from "./models/answering.js";
import { createKeys, createModels, type Keys, keyVariables, type Models, modelsDir } from "./models/index.js";
import { createRunConfig, type Found, pluginDataDir, type RunConfig } from "./plugins/index.js";
import { createEffectRouter, type EffectRouter } from "./session/effects/index.js";
import type { RuntimeDeps } from "./deps.js";

/** Everything that reaches models, before there is any session. */
export interface Providers {
  readonly host: PluginHost;
  readonly router: EffectRouter;
  readonly config: RunConfig;
  readonly engine: HttpEngine;
  readonly credentials: Credentials;
  readonly keys: Pick<Keys, "post" | "store">;
  readonly models: Models;
  readonly answering: Answering;
  readonly snapshots: SnapshotStore;
  /** What servers said when they were last asked. */
  readonly snapshot: ModelSnapshot | undefined;
  close(): Promise<void>;
}

export interface ProviderParts {
  readonly started: StartedPlugins;
  readonly found: Found;
  /** Aborted when nothing is asked any more. */
  readonly closing: AbortSignal;
}

/** Reads the auth file and what servers said last; asks nobody. */
export async function openProviders(deps: RuntimeDeps, { started, found, closing }: ProviderParts): Promise<Providers> {
  const { clock, env, models: settings = NO_MODEL_SETTINGS } = deps;
  const router = createEffectRouter();
  const config = createRunConfig();
  config.load(found.options);
  const host = hostOf(deps, { started, found, router, config });
  const snapshots = createSnapshotStore({ dir: modelsDir(deps.paths), clock });
  const [keys, listed] = await Promise.all([createKeys({ ...deps, models: settings }, () => engine), snapshots.load()]);
  const { credentials } = keys;
  credentials.declare(keyVariables(host.generation.plugins.map(({ compiled }) => compiled)));
  const engine: HttpEngine = createHttpEngine({
    ...{ env, clock, version: deps.version },
    secret: (name) => credentials.value(name),
    ...(deps.onWire === undefined ? {} : { onWire: deps.onWire }),
  });
  for (const note of listed.notes) deps.onDiagnostic(note);
  const answering = createAnswering({ ...deps, host, engine, closing });
  const models = createModels({
    ...{ engine, clock, env, credentials, settings, answering: answering.known, signal: closing },
    snapshot: listed.snapshot,
  });
  return {
    ...{ host, router, config, engine, credentials, keys, models, answering, snapshots },
    snapshot: listed.snapshot,
    close: async () => {
      engine.close();
      await Promise.all([host.close(), keys.close()]);
    },
  };
}

interface HostParts extends Pick<ProviderParts, "started" | "found"> {
  readonly router: EffectRouter;
  readonly config: RunConfig;
}

function hostOf(
  { installDir, clock, paths, settings, onDiagnostic, onPluginLog }: RuntimeDeps,
  { started, found, router, config }: HostParts,
): PluginHost {
  const denied = settings.deniedGrants.value;
  return createPluginHost({
    ...pluginFiles(installDir),
    input: found.input,
    providers: started.providers,
    effects: router.gateway,
    clock,
    config: (plugin) => config.of(plugin),
    dataDir: pluginDataDir(paths),
    denied: (plugin) => deniedFacilities(plugin, denied),
    onDiagnostic,
    ...(onPluginLog === undefined ? {} : { onLog: onPluginLog }),
    onNotify: (notice, speaker) => {
      router.voice.notify(notice, speaker);
    },
    onStatus: (item, speaker) => {
      router.voice.status(item, speaker);
    },
  });
}
