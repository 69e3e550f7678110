import type { ResolvedSettings } from "../config/index.js";
import type { EvaluatePort, PathLocks, Search, ValueFiles } from "../effect/index.js";
import type { PluginHost } from "../plugin/index.js";
import type { Cooldowns, CredentialPort, HttpEngine } from "../provider/index.js";
import type { RunLimits } from "../schema/index.js";
import type { SessionStore, SessionStoreDeps } from "../session/index.js";
import type { EffectRouter } from "./session/effects/effect-router.js";
import type { RuntimeDeps } from "./deps.js";
import type { Servers } from "./mcp/index.js";
import type { InitialModel, ModelChoice, Models } from "./models/index.js";
import type { RunConfig } from "./plugins/index.js";
import type { Secrets } from "./secrets/index.js";

/** What all sessions of one runtime share. */
export interface Shared {
  readonly deps: RuntimeDeps;
  readonly host: PluginHost;
  readonly engine: HttpEngine;
  readonly models: Models;
  /** What sessions begin with. */
  readonly model: InitialModel;
  /** What this run's flags and variables say of it. */
  readonly chosen: ModelChoice;
  /** Resolves when it is known which servers of this machine answer. */
  readonly discovered: () => Promise<void>;
  readonly credentials: CredentialPort;
  /** Accounts that servers want left alone. */
  readonly cooldowns: Cooldowns;
  readonly config: RunConfig;
  readonly values: ValueFiles;
  readonly evaluator: EvaluatePort;
  /** Hex digest that names the project, of its real path. */
  readonly project: string;
  /** Whether the project is, as of the newest look at it. */
  readonly isTrusted: () => boolean;
  /** A plugin's own folder, absolute; it need not be there. */
  readonly dataDir: (plugin: string) => string;
  /** Aborted when the runtime is closed. */
  readonly closing: AbortSignal;
  /** Told of every other generation until the returned function is called, with the plugins that changed. */
  readonly onGeneration: (listener: (changed: readonly string[]) => void) => () => void;
  readonly servers: Servers;
  readonly router: EffectRouter;
  /** Whether a program is on the PATH of this run; looked up once. */
  readonly hasProgram: (name: string) => boolean;
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
