import type { DiagnosticSource } from "../diagnostic.js";
import type { ModelRef } from "./ref.js";
import type { ModelFacts } from "./facts.js";

/** Where a key comes from, named without its value. */
export type CredentialSource =
  /** The first of these variables that is set. */
  | { readonly type: "env"; readonly names: readonly string[] }
  /** An entry of the auth file: what `smith auth login NAME` stored. */
  | { readonly type: "auth"; readonly name: string }
  /** What a command prints. Run by the user's shell when the key is first needed. */
  | { readonly type: "command"; readonly command: string }
  | { readonly type: "none" };

/** A name for a selection. */
export interface AliasSetting {
  readonly name: string;
  readonly to: string;
  readonly source: DiagnosticSource;
}

/** Selections in order: when one cannot answer, the next does. */
export interface GroupSetting {
  readonly name: string;
  readonly members: readonly string[];
  readonly source: DiagnosticSource;
}

/** A server, or an account on one, that a person configured. Its name stands before the slash of a selection. */
export interface ConnectionSetting {
  readonly name: string;
  /** Id of the provider that speaks with it. */
  readonly provider: string;
  readonly baseUrl?: string;
  /** Absent: what the provider's own connections use. */
  readonly credential?: CredentialSource;
  readonly headers?: { readonly [name: string]: string };
  readonly profile?: string;
  readonly defaultModel?: string;
  /** Connections of one bucket share a rate limit. Absent: those with the same provider and credential do. */
  readonly bucket?: string;
  readonly source: DiagnosticSource;
}

/** What a person knows of a model; stronger than every catalog. */
export interface ModelOverride {
  readonly ref: ModelRef;
  readonly title?: string;
  readonly facts: ModelFacts;
  readonly source: DiagnosticSource;
}

/** The groups `models` and `connections` of configuration. Of two with one name the later, stronger layer counts. */
export interface ModelSettings {
  readonly aliases: readonly AliasSetting[];
  readonly groups: readonly GroupSetting[];
  readonly connections: readonly ConnectionSetting[];
  readonly overrides: readonly ModelOverride[];
}

export const NO_MODEL_SETTINGS: ModelSettings = { aliases: [], groups: [], connections: [], overrides: [] };
