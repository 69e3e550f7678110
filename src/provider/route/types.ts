import type { Diagnostic, ModelSettings, ThinkingLevel } from "../../schema/index.js";
import type { Catalog } from "../catalog/types.js";
import type { CredentialView } from "../credentials.js";
import type { EnvView } from "../http/types.js";
import type { ProviderOffer } from "../offer.js";
import type { Dispatch } from "../types.js";

export interface RouteInput {
  /**
   * `[head/]model[:level]`, where the head is a provider or a connection; an alias, a group, a provider or a connection alone; a part
   * of a model's name; or nothing. Blank is nothing.
   */
  readonly selection: string | undefined;
  /** The level that is wished where the selection names none. */
  readonly thinking: ThinkingLevel | undefined;
  readonly offers: readonly ProviderOffer[];
  readonly settings: ModelSettings;
  readonly catalog: Catalog;
  readonly env: EnvView;
  readonly credentials: CredentialView;
  /** Names of connections whose server was found to answer. */
  readonly answering: ReadonlySet<string>;
}

/** What a selection means: where to ask, in order. */
export interface Route {
  /** As it was given; absent: the best there is was taken. */
  readonly selection?: string;
  /** Never empty. What comes later takes over when what comes earlier cannot answer. */
  readonly targets: readonly [Dispatch, ...Dispatch[]];
  /** What a person should know: a level that was not to be had, a model nobody knows, members of a group that are not set up. */
  readonly notes: readonly Diagnostic[];
}
