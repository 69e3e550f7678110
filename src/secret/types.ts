/**
 * Who may have a secret put back: `provider` nobody, `variable` plugins whose grant names it, `user` those and plugins with the grant for
 * all of a person's secrets, `plugin` the plugin that handed it over.
 */
export type SecretKind = "provider" | "variable" | "user" | "plugin";

/** A plugin in a session. */
export interface SecretOwner {
  readonly plugin: string;
  readonly session: string;
}

export interface NewSecret {
  readonly name: string;
  readonly value: string;
  readonly kind: SecretKind;
  /** Of kind `plugin`. */
  readonly owner?: SecretOwner;
}

/** One value, under the name of its references. */
export interface Secret {
  readonly name: string;
  readonly value: string;
  /** A value that came from several places has all their kinds. */
  readonly kinds: ReadonlySet<SecretKind>;
  readonly owners: readonly SecretOwner[];
}

/** What a reference stands for: a secret, and the text exactly as it was where the reference was put. */
export interface Resolved {
  readonly secret: Secret;
  readonly text: string;
}
