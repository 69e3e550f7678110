import type { Clock, IdSource, Result } from "../base/index.js";
import type { Paths, ResolvedSettings } from "../config/index.js";
import type { PathLocks, Search } from "../effect/index.js";
import type { PluginHost, StartedPlugins } from "../plugin/index.js";
import type { EnvView, HttpEngine } from "../provider/index.js";
import type { Diagnostic, RunLimits } from "../schema/index.js";
import type { SessionStore, SessionStoreDeps } from "../session/index.js";
import type { EffectRouter } from "./session/effects/effect-router.js";
import type { ModelBinding } from "./models.js";
import type { Secrets } from "./secrets.js";

/** Everything a runtime takes from the process it lives in. */
export interface RuntimeDeps {
  readonly env: EnvView;
  readonly cwd: string;
  readonly paths: Paths;
  readonly settings: ResolvedSettings;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly random: () => number;
  readonly randomBytes: (into: Uint8Array) => void;
  readonly process: {
    readonly pid: number;
    readonly host: string;
    readonly platform: string;
    readonly shell: string;
    readonly tempDir: string;
  };
  readonly version: string;
  /** Folder of the built program: workers, engine binary, plugins. */
  readonly installDir: URL;
  /** Plugins begun ahead by `beginPlugins`. */
  readonly plugins?: Promise<Result<StartedPlugins, Diagnostic>>;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

/** What all sessions of one runtime share. */
export interface Shared {
  readonly deps: RuntimeDeps;
  readonly host: PluginHost;
  readonly engine: HttpEngine;
  readonly model: ModelBinding;
  readonly router: EffectRouter;
  readonly search: Search;
  readonly locks: PathLocks;
  readonly store: SessionStore;
  readonly secrets: Secrets;
}

export const storeDeps = (
  deps: Pick<RuntimeDeps, "clock" | "ids" | "randomBytes" | "version" | "process">,
  dir: string,
): SessionStoreDeps => ({
  dir,
  clock: deps.clock,
  ids: deps.ids,
  random: deps.randomBytes,
  version: deps.version,
  process: { pid: deps.process.pid, host: deps.process.host },
});

/** Limits of a run: options of the call over settings. */
export function runLimits(settings: ResolvedSettings, given: Partial<RunLimits> | undefined): RunLimits {
  const { maxTurns, maxTokens, maxCost, deadlineMs, stallThreshold } = settings;
  return {
    stallThreshold: stallThreshold.value,
    ...(maxTurns.value === undefined ? {} : { maxRounds: maxTurns.value }),
    ...(maxTokens.value === undefined ? {} : { maxTokens: maxTokens.value }),
    ...(maxCost.value === undefined ? {} : { maxCostUsd: maxCost.value }),
    ...(deadlineMs.value === undefined ? {} : { deadlineMs: deadlineMs.value }),
    ...given,
  };
}
