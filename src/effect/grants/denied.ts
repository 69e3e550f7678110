import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";

export interface MissingGrant {
  readonly plugin: string;
  /** What it may not do: `run "rm"`. */
  readonly wanted: string;
  /** What it has, as a sentence. */
  readonly why: string;
  /** What the plugin can do without it, as the first half of a sentence: `Run a granted program`. */
  readonly instead?: string;
  /** The node that asks for it in a manifest, as it is written there: `process "rm"`. */
  readonly manifest: string;
  /** The node stands for itself, not inside of `grants`. */
  readonly isTopLevel?: boolean;
}

/** The one refusal for want of a grant, whatever the operation. */
export const grantDenied = ({ plugin, wanted, why, instead = "Do without it", manifest, isTopLevel = false }: MissingGrant): Diagnostic =>
  diagnostic({
    code: "grant.denied",
    what: `${plugin} may not ${wanted}.`,
    why,
    next: `${instead}, or ask the user to do it or to widen the grant: its manifest asks with ${isTopLevel ? manifest : `grants { ${manifest} }`}.`,
    source: { type: "plugin", id: plugin },
  });
