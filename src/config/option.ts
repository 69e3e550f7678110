import type { Kind } from "./kinds.js";

/** How an option is given on the command line. Values are read by the option's kind, never by the command-line parser. */
export interface FlagDeclaration {
  /** With its dashes. */
  readonly name: string;
  /** Placeholder of the value in help; absent for a switch. */
  readonly value?: string;
  /** What a switch stands for, read as if it were the value. */
  readonly means?: string;
  /** `common` flags are taken by every command that starts a session, `eval` flags by `smith eval` alone. */
  readonly scope: "common" | "eval";
  readonly description: string;
}

/** Everything known about one setting. Flags, variables, KDL keys, help and the reference are all made from this. */
export interface Option<T> {
  /** Path of the KDL node, joined by dots; also the key of `--config key=value`. */
  readonly key: string;
  readonly env: string;
  readonly flags: readonly FlagDeclaration[];
  readonly kind: Kind<NonNullable<T>>;
  readonly default: T;
  /** What the default means where it is no value, e.g. `no limit`. */
  readonly defaultMeans?: string;
  readonly description: string;
  /** A secret value is never shown, in no diagnostic and in no listing. */
  readonly secret: boolean;
  /** A list that a project can only add to: what the user wrote stays in it. */
  readonly accumulates?: boolean;
}
