import type { ProjectBehaviour } from "../types.js";

/** What a person said yes to. */
export interface TrustedProject {
  readonly hash: string;
  readonly items: ProjectBehaviour["items"];
  /** ms since the epoch. */
  readonly trustedAt: number;
}

export interface TrustRecord {
  readonly format: 1;
  /** By real path. */
  readonly projects: Readonly<Record<string, TrustedProject>>;
}
