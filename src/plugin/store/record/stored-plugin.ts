import type { Grants } from "../../../effect/index.js";
import type { GrantLine } from "../../types.js";
import type { InstalledPlugin } from "../types.js";

/** With what was agreed to, so that what is wider later can be told. Absent where it was written in a form that is not known any more. */
export interface StoredPlugin extends InstalledPlugin {
  readonly grants?: Grants;
  /** What it reaches without a grant, in the words a person was shown. */
  readonly brought?: readonly Pick<GrantLine, "facility" | "words">[];
}

/**
 * A plugin on its way into place: its folder is moved after this is written and before it becomes an entry. Whichever tree is then
 * found in the folder, the old or the new one, is one that was approved.
 */
export interface PendingPlugin extends StoredPlugin {
  /** Name of the folder the former version is moved to, where there is one. */
  readonly aside?: string;
}

export interface PluginsRecord {
  readonly format: 1;
  readonly plugins: Readonly<Record<string, StoredPlugin>>;
  readonly pending: Readonly<Record<string, PendingPlugin>>;
  /** Ids that are not used, of plugins that are not installed here. */
  readonly disabled: readonly string[];
}
