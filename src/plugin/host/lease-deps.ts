import type { EffectGateway, Grants } from "../../effect/index.js";
import type { Clock } from "../../base/index.js";
import type { Diagnostic, NamedValues } from "../../schema/index.js";
import { narrowGrants } from "../grants/index.js";
import type { EmitListeners, Emits } from "../invoke/index.js";
import type { ActivePlugin } from "../types.js";
import type { CellPool } from "./cell-pool.js";

/** What every generation of one host has in common. */
export interface LeaseDeps {
  readonly effects: EffectGateway;
  readonly clock: Clock;
  readonly config: (plugin: string) => NamedValues;
  readonly dataDir: (plugin: string) => string;
  readonly denied?: (plugin: string) => readonly string[];
  readonly pool: CellPool;
  /** One for all, made when the first is wanted. */
  readonly emits: (make: (listeners: EmitListeners & { readonly onDiagnostic: (diagnostic: Diagnostic) => void }) => Emits) => Emits;
  /** Why the plugin is not called any more, when it is not. */
  readonly quarantined: (plugin: ActivePlugin) => Diagnostic | undefined;
  readonly nextAttempt: () => number;
}

/** What a plugin may do now. */
export const grantsOf = ({ denied }: Pick<LeaseDeps, "denied">, { compiled }: ActivePlugin, readOnly: boolean): Grants =>
  narrowGrants(compiled.grants, { readOnly, denied: denied?.(compiled.id) ?? [] });

export const words = ({ what, why, next }: Diagnostic): string => [what, why, next].join("\n");
