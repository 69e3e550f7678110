import type { Diagnostic } from "../../schema/index.js";
import type { EffectContext } from "../types.js";
import { secretDenied, secretOfProvider } from "./failures.js";
import type { FoundSecret, SecretVault } from "./vault.js";

type Asker = Pick<EffectContext, "plugin" | "grants">;

/** The grant for all secrets of a person, in files and commands of this machine. */
export const ALL_SECRETS = "*";

/** Why a plugin may not have this secret put back into a local effect. */
export function secretProblem(found: FoundSecret, { plugin, grants }: Asker): Diagnostic | undefined {
  const { name, isProvider, isUser } = found;
  if (isProvider) return secretOfProvider(plugin, name);
  if (grants.secrets.includes(name) || found.ownedBy(plugin)) return undefined;
  return isUser && grants.secrets.includes(ALL_SECRETS) ? undefined : secretDenied(plugin, name, grants.secrets);
}

/** The first reference of a known secret in these texts that the plugin may not use. What is no known secret is text like any other. */
export function restoreProblem(texts: Iterable<string>, asker: Asker, vault: SecretVault): Diagnostic | undefined {
  let problem: Diagnostic | undefined;
  for (const text of texts) {
    vault.fill(text, (found) => {
      problem ??= secretProblem(found, asker);
      return undefined;
    });
  }
  return problem;
}

/** The text as it is meant. Called when the record is made and {@link restoreProblem} found nothing; looked at again, as time has passed. */
export const restoreText = (text: string, asker: Asker, vault: SecretVault): string =>
  vault.fill(text, (found) => (secretProblem(found, asker) === undefined ? found.text : undefined));

/** The first known secret that is named in one of these texts. */
export function firstKnown(texts: Iterable<string>, vault: SecretVault): FoundSecret | undefined {
  let first: FoundSecret | undefined;
  for (const text of texts) {
    vault.fill(text, (found) => {
      first ??= found;
      return undefined;
    });
  }
  return first;
}
