import type { FactRow, ModelEntry } from "../../../runtime/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import type { Target } from "../desk.js";

/** One model that a selection means. */
export interface ShownTarget {
  /** Absent: it cannot be asked as things are. */
  readonly target?: Target;
  /** Absent: its server has yet to tell which model it is. */
  readonly entry?: ModelEntry;
  readonly facts?: readonly FactRow[];
  /** What keeps it from being asked. */
  readonly lack?: string;
}

export interface Shown {
  /** Absent: nothing was chosen. */
  readonly selection?: string;
  /** Where the choice is from, of what is used when nothing is named. */
  readonly why?: string;
  readonly targets: readonly ShownTarget[];
  readonly notes: readonly Diagnostic[];
}
