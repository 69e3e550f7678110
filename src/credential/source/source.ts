import type { Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";

/** One kind of place where keys are. `key` is a name without the prefix of its kind. */
export interface CredentialSource {
  has(key: string): boolean;
  ready(key: string, signal: AbortSignal): Promise<Result<void, Diagnostic>>;
  value(key: string): string | undefined;
  refused(key: string): void;
  describe(key: string): CredentialState;
  /** Names of what is there. */
  keys(): readonly string[];
  close(): Promise<void>;
}

/** A credential for a person's eyes: never its value. */
export interface CredentialState {
  readonly isSet: boolean;
  /** Its first and last characters; absent where it is short, or not known before its command has run. */
  readonly masked?: string;
  /** What keeps it from being sent. */
  readonly fault?: string;
  readonly kind?: "key" | "oauth";
  /** ms since the epoch. */
  readonly expiresAt?: number;
  readonly isRenewable?: boolean;
}
