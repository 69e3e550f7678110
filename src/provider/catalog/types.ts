import type { JsonValue } from "../../base/index.js";
import type { ModelFacts, ModelInfo, ModelOverride, ModelRef } from "../../schema/index.js";
import type { ProviderOffer } from "../offer.js";

/** What one source says of one fact. */
export interface Claim {
  /** Strongest first: a person, the server itself, an added plugin's catalog, a bundled one, the catalog's entry for a model of that name without its date. */
  readonly by: "user" | "server" | "plugin" | "catalog" | "family";
  /** Where it stands, for a person: a file with its line, a URL, a plugin's id. */
  readonly source: string;
  /** When it was reviewed or seen, ISO. */
  readonly date?: string;
  readonly value: JsonValue;
}

/** A model with everything known of it. */
export interface ModelEntry {
  readonly ref: ModelRef;
  readonly title?: string;
  /** `YYYY-MM-DD`. */
  readonly released?: string;
  /** The strongest claim of each fact. */
  readonly facts: ModelFacts;
  /** All claims of a fact, strongest first. Where values differ they are in conflict. */
  readonly claims: { readonly [Fact in keyof ModelFacts]?: readonly Claim[] };
  /** The strongest source that has it at all; `unknown`: none. */
  readonly known: Claim["by"] | "unknown";
  /** Other ids of the same model, as catalogs give them. */
  readonly also?: readonly string[];
  /** The id it was found by is such another id, and not the catalog's own. */
  readonly isAlso?: true;
  /** Names of connections whose server lists it, the newest list first. Absent: none is known to. */
  readonly listedBy?: readonly string[];
}

/** One coherent view of all layers. A refresh makes another one; this one never changes. */
export interface Catalog {
  /** Always answers: of a model nobody knows, with no facts. `connection` prefers what that very server said. */
  find(ref: ModelRef, connection?: string): ModelEntry;
  /** By provider in the order of the offers, newest first within one. */
  list(): readonly ModelEntry[];
}

export interface CatalogInput {
  readonly offers: readonly ProviderOffer[];
  readonly snapshot: ModelSnapshot | undefined;
  readonly overrides: readonly ModelOverride[];
}

/** What servers said of their models, as one value: published whole or not at all. */
export interface ModelSnapshot {
  /** When the work that made it began, ms since the epoch: an older one never replaces a newer. */
  readonly startedAt: number;
  readonly lists: readonly ServerList[];
}

export interface ServerList {
  readonly provider: string;
  readonly connection: string;
  readonly url: string;
  readonly takenAt: number;
  readonly models: readonly ModelInfo[];
}
