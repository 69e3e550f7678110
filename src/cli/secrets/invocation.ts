import type { CommonFlags } from "../given-flags.js";

interface Common {
  readonly common: CommonFlags;
}

export interface ListSecretsInvocation extends Common {
  readonly type: "secrets list";
  readonly json: boolean;
}

export interface ChangeSecretInvocation extends Common {
  readonly type: "secrets add" | "secrets remove";
  readonly name: string;
}

export type SecretsInvocation = ListSecretsInvocation | ChangeSecretInvocation;
