import { randomFillSync } from "node:crypto";
import type { Clock, IdSource } from "../base/index.js";
import { createAmbientFacilities } from "./ambient/index.js";
import type { FileTracker, PathLocks } from "./fs/index.js";
import { createFileFacilities } from "./fs/index.js";
import { createNetFacility, type LookupPort } from "./net/index.js";
import type { PathPolicy } from "./paths/index.js";
import { createEvaluateFacility, createResourceFacility, createStateFacilities, createUiFacilities } from "./ports/index.js";
import { createProcessFacility, createProcessRunner, createSupervisor } from "./process/index.js";
import type { Search } from "./search/index.js";
import { createSearchFacilities } from "./search/index.js";
import type { SecretPort } from "./secrets/index.js";
import { createTextFacilities } from "./text/index.js";
import type { EvaluatePort, Facilities, ResourcePort, StatePort, UiPort } from "./types.js";
import { createVcsFacilities } from "./vcs/index.js";

export interface FacilityDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  /** All that programs may inherit, and the proxy variables; the composition has taken credentials out. */
  readonly env: Readonly<Record<string, string>>;
  readonly policy: PathPolicy;
  /** Shared by all sessions of the process; closed by whoever made it. */
  readonly search: Search;
  /** Shared by all sessions of the process, so that they do not undo each other's changes. */
  readonly locks: PathLocks;
  /** One per session. */
  readonly tracker: FileTracker;
  readonly ui: UiPort;
  readonly state: StatePort;
  readonly evaluate: EvaluatePort;
  readonly resources: ResourcePort;
  /** Value of a secret by name. Asked only for names that the grant of the plugin lists. */
  readonly secret: SecretPort;
  /** Default: the system's resolver. */
  readonly lookup?: LookupPort;
  /** Fills with bytes nobody can guess. Default: the system's source. */
  readonly random?: (into: Uint8Array) => void;
}

/** Everything a plugin can ask for, for one session. */
export interface FacilitySet {
  readonly table: Facilities;
  /** Ends what was started and not shared: commands and what they left in the background. */
  close(): Promise<void>;
  /** Ends running commands at once and synchronously, for a process about to end. */
  killNow(): void;
}

const systemRandom = (into: Uint8Array): void => {
  randomFillSync(into);
};

export function createFacilities(deps: FacilityDeps): FacilitySet {
  const supervisor = createSupervisor(deps);
  const runner = createProcessRunner({ ...deps, supervisor });
  return {
    table: {
      ...createFileFacilities(deps),
      ...createSearchFacilities(deps),
      "process.run": createProcessFacility({ ...deps, runner }),
      "net.fetch": createNetFacility(deps),
      ...createVcsFacilities({ ...deps, supervisor }),
      "evaluate.run": createEvaluateFacility(deps.evaluate),
      ...createStateFacilities(deps.state),
      ...createUiFacilities(deps.ui),
      "resource.read": createResourceFacility(deps),
      ...createAmbientFacilities({ clock: deps.clock, random: deps.random ?? systemRandom }),
      ...createTextFacilities(),
    },
    close: () => supervisor.close(),
    killNow: () => {
      supervisor.killNow();
    },
  };
}
