import type { Result } from "../base/index.js";
import type { Diagnostic } from "../schema/index.js";

/** Which secrets there are. Names only; no network, no command. */
export interface CredentialView {
  /** A variable's name, `auth:NAME` of the auth file, `command:CONNECTION`. */
  has(name: string): boolean;
}

/** Secrets as the wire needs them. */
export interface CredentialPort extends CredentialView {
  /**
   * Before a key is sent: runs its command, renews what expired. Resolves soon after `signal` aborts. Its diagnostics have exit 3 and
   * never hold a value.
   */
  ready(name: string, signal: AbortSignal): Promise<Result<void, Diagnostic>>;
  /** The value once it is ready. */
  value(name: string): string | undefined;
  /** The server refused it: what can be renewed or read again is, next time. */
  refused(name: string): void;
}
