import type { Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";

/** A secret for a person's eyes: never its value, nor any part of it. */
export interface KnownSecret {
  readonly name: string;
  readonly from: "stored" | "file" | "environment";
  /** Of the file. */
  readonly path?: string;
  /** What keeps it from being hidden, as a sentence; absent: it is. */
  readonly passedOver?: string;
}

export interface SecretList {
  readonly secrets: readonly KnownSecret[];
  /** Absolute path of the file that `add` writes, there or not. */
  readonly file: string;
  readonly problems: readonly Diagnostic[];
}

/** Looking after a person's secrets, without plugins, providers or sessions. */
export interface SecretAdmin {
  list(): Promise<SecretList>;
  /** True: it took the place of one of that name. */
  add(name: string, value: string): Promise<Result<boolean, Diagnostic>>;
  /** False: there was none. */
  remove(name: string): Promise<Result<boolean, Diagnostic>>;
}
