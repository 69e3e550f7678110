import type { Locker } from "../lock.js";
import type { FileOperations } from "../log/index.js";
import type { SessionStoreDeps } from "../types.js";

/** What making and checking session files needs of its store. */
export interface MaintenanceContext {
  readonly deps: SessionStoreDeps;
  readonly ops: FileOperations;
  readonly locker: Locker;
}
