import type { Redactor } from "./redactor.js";

/** A reference found in a text, with what stands behind it. */
export interface FoundSecret {
  /** As it stands in the text. */
  readonly reference: string;
  /** Of the secret. */
  readonly name: string;
  /** What goes in its place. */
  readonly text: string;
  /** A key of a provider: nobody has it back. */
  readonly isProvider: boolean;
  /** A secret of the person, which the grant for all of these covers. */
  readonly isUser: boolean;
  /** Handed over by this plugin in this session. */
  ownedBy(plugin: string): boolean;
}

/** All secrets that are known in one session: taken out of what comes back, found where a reference stands for one. */
export interface SecretVault {
  conceal(text: string): string;
  /** Every string of a JSON value. The very same value where nothing is in it. */
  concealJson<Value>(value: Value): Value;
  /** For a text that comes in pieces. */
  stream(): Redactor;
  /** The text with references of known secrets replaced; undefined leaves one. `at` is its place in `text`. */
  fill(text: string, replacement: (found: FoundSecret, at: number) => string | undefined): string;
  /** From now on it is a secret of this plugin in this session. Its reference; undefined: too ordinary to be told apart. */
  keep(plugin: string, name: string, value: string): string | undefined;
}

const asItIs: Redactor = { push: (piece) => piece, end: () => "" };

/** Nothing is secret. */
export const NO_VAULT: SecretVault = {
  conceal: (text) => text,
  concealJson: (value) => value,
  stream: () => asItIs,
  fill: (text) => text,
  keep: () => undefined,
};
