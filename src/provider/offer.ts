import type { CredentialSource, ProviderCatalog } from "../schema/index.js";

/** What resolution needs of a provider plugin's manifest. The plugin floor's own type fits this port. */
export interface ProviderOffer {
  readonly id: string;
  readonly title: string;
  readonly connections: readonly ConnectionOffer[];
  readonly catalog?: ProviderCatalog;
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
  /** Variables that may hold the key; the first that is set does. */
  readonly credentialEnvs: readonly string[];
  /** `answer`: it is there when a server answers at its default URL, which discovery finds out. */
  readonly needs: "credential" | "base-url" | "answer" | "nothing";
  readonly profile?: string;
  readonly defaultModel?: string;
  /** A person configured it: its key comes from here and nowhere else. */
  readonly credential?: CredentialSource;
  readonly headers?: { readonly [name: string]: string };
  readonly bucket?: string;
  readonly isConfigured?: boolean;
}
