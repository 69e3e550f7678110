import type { SessionId } from "../../base/index.js";
import type { Diagnostic, Sampling } from "../../schema/index.js";
import type { ModelBinding } from "../models/index.js";
import type { Shared } from "../shared.js";
import type { SessionEffects } from "./effects/index.js";
import type { Leases, Overlay } from "./plugins/index.js";

/** What the rounds of one session are made with. */
export interface RoundDeps {
  readonly shared: Shared;
  readonly session: SessionId;
  readonly interactive: boolean;
  readonly leases: Leases;
  readonly overlay: Overlay;
  readonly model: ModelBinding;
  readonly effects: Pick<SessionEffects, "route">;
  /** How answers are drawn, as far as that was said. */
  readonly sampling: Sampling | undefined;
  /** In place of the session's system prompt. */
  readonly system?: string;
  /** Tells a person what is not as they wished. */
  readonly tell: (note: Diagnostic) => void;
}
