import type { Clock, IdSource } from "../base/index.js";
import type { Facilities } from "./types.js";
import type { FileTracker, PathLocks } from "./fs/index.js";
import { createFileFacilities } from "./fs/index.js";
import type { PathPolicy } from "./paths/index.js";
import { createProcessFacility, createProcessRunner } from "./process/index.js";
import type { Search } from "./search/index.js";
import { createSearchFacilities } from "./search/index.js";

export interface FacilityDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Environment of commands; the composition has taken provider keys out. */
  readonly env: Readonly<Record<string, string>>;
  readonly policy: PathPolicy;
  /** Shared by all sessions of the process; closed by whoever made it. */
  readonly search: Search;
  /** Shared by all sessions of the process, so that they do not undo each other's changes. */
  readonly locks: PathLocks;
  /** One per session. */
  readonly tracker: FileTracker;
}

/** Everything a plugin can ask for, for one session. */
export interface FacilitySet {
  readonly table: Facilities;
  /** Ends what was started and not shared: commands and what they left in the background. */
  close(): Promise<void>;
  /** Ends running commands at once and synchronously, for a process about to end. */
  killNow(): void;
}

export function createFacilities(deps: FacilityDeps): FacilitySet {
  const runner = createProcessRunner(deps);
  return {
    table: { ...createFileFacilities(deps), ...createSearchFacilities(deps), "process.run": createProcessFacility(runner) },
    close: () => runner.close(),
    killNow: () => runner.killNow(),
  };
}
