/** What resolution needs of a provider plugin's manifest. The plugin floor's own type fits this port. */
export interface ProviderOffer {
  readonly id: string;
  readonly title: string;
  readonly connections: readonly ConnectionOffer[];
  /** It did not come with the program: by itself it is chosen after those that did, and only for a variable that was set for it. */
  readonly isAdded?: boolean;
}

/** One way to reach a provider, as data: names of variables, never their values. */
export interface ConnectionOffer {
  readonly name: string;
  /** Lower is preferred when nothing is chosen. */
  readonly rank: number;
  readonly baseUrlEnv?: string;
  readonly defaultUrl?: string;
  readonly credentialEnv?: string;
  readonly needs: "credential" | "base-url" | "nothing";
  readonly profile?: string;
  readonly defaultModel?: string;
}
