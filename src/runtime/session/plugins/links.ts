import type { Driver, DriverPorts } from "../../../agent/index.js";
import type { UiPort } from "../../../effect/index.js";
import type { ModelBinding } from "../../models/index.js";
import type { Shared } from "../../shared.js";
import type { SessionEffects } from "../effects/index.js";
import type { SessionFile } from "../file/index.js";
import type { ModelMemory } from "../model/index.js";
import type { ScopedState } from "../scoped-state.js";
import type { Narrator, StatusBoard } from "../view/index.js";
import type { Leases } from "./leases.js";
import type { Overlay } from "./overlay.js";
import type { PluginState } from "./state-port.js";

/** What the session has for its plugins once it is there. */
export interface PluginLinks {
  readonly status: StatusBoard;
  readonly narrator: Narrator;
  readonly ui: UiPort;
  /** A new set of declarations over the session's state. */
  readonly scoped: () => ScopedState;
  /** The driver, started if need be; makes the session's file. */
  readonly driver: () => Promise<Driver>;
  /** Asks a person about a call; says no where nobody can be asked. */
  readonly approve: DriverPorts["approve"];
  /** The driver that runs, if any. */
  readonly running: () => Driver | undefined;
}

/** What of the runtime its plugins need in a session. */
export type PluginShared = Pick<Shared, "config" | "models" | "closing" | "isTrusted" | "dataDir" | "hasProgram"> & {
  readonly secrets: Pick<Shared["secrets"], "concealJson">;
  readonly host: Pick<Shared["host"], "generation">;
  readonly deps: Pick<Shared["deps"], "clock" | "ids" | "cwd" | "onDiagnostic">;
};

export interface SessionPluginDeps {
  readonly shared: PluginShared;
  readonly file: SessionFile;
  readonly leases: Leases;
  readonly overlay: Overlay;
  readonly model: ModelBinding;
  readonly memory: ModelMemory;
  readonly state: PluginState;
  readonly effects: SessionEffects;
  readonly interactive: boolean;
}
