import { err, ok } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";
import { grantDenied } from "../grants/index.js";
import type { EffectContext } from "../types.js";

/** Value of a secret by name; undefined when it is not set. */
export type SecretPort = (name: string) => string | undefined;

type Texts = Readonly<Record<string, string>>;

const REFERENCE = /\{secret:([^{}]+)\}/gu;

const namesIn = (texts: Texts): ReadonlySet<string> =>
  new Set(Object.values(texts).flatMap((text) => [...text.matchAll(REFERENCE)].flatMap(([, name]) => name ?? [])));

/** Whether the text holds a reference, granted or not. */
export const holdsReference = (text: string): boolean => text.search(REFERENCE) >= 0;

/** Every secret that is named in `texts` must be granted, set, and free of line ends. */
export function checkReferences(
  texts: Texts,
  context: Pick<EffectContext, "plugin" | "grants">,
  secret: SecretPort,
): Diagnostic | undefined {
  for (const name of namesIn(texts)) {
    if (!context.grants.secrets.includes(name)) return secretDenied(context.plugin, name, context.grants.secrets);
    const problem = problemOf(secret(name));
    if (problem !== undefined) return secretUnusable(name, problem);
  }
  return undefined;
}

/** Values are trimmed: a key pasted with a line end would be no valid header. */
function problemOf(value: string | undefined): string | undefined {
  const text = value?.trim() ?? "";
  if (text === "") return "it is not set";
  return /[\0\r\n]/u.test(text) ? "it has several lines" : undefined;
}

export interface Filled {
  readonly texts: Texts;
  /** The values that were put in. */
  readonly values: readonly string[];
  /** Names of the texts that hold one. */
  readonly holders: ReadonlySet<string>;
}

/** The texts as they go out. Checked again: a secret may have gone since its check. */
export function fillReferences(
  texts: Texts,
  context: Pick<EffectContext, "plugin" | "grants">,
  secret: SecretPort,
): Result<Filled, Diagnostic> {
  const problem = checkReferences(texts, context, secret);
  if (problem !== undefined) return err(problem);
  const values = new Set<string>();
  const holders = new Set<string>();
  const filled = Object.entries(texts).map(([key, text]) => {
    const whole = text.replace(REFERENCE, (reference, name: string) => {
      const value = secret(name)?.trim() ?? reference;
      values.add(value);
      holders.add(key);
      return value;
    });
    return [key, whole] as const;
  });
  return ok({ texts: Object.fromEntries(filled), values: [...values], holders });
}

const secretDenied = (plugin: string, name: string, granted: readonly string[]): Diagnostic =>
  grantDenied({
    plugin,
    wanted: `use the secret ${name}`,
    why: granted.length === 0 ? "It has no grant secrets." : `Its grant is secrets=${granted.join(", ")}.`,
    instead: "Send it without that secret",
    manifest: `secrets "${name}"`,
  });

const secretUnusable = (name: string, problem: string): Diagnostic =>
  diagnostic({
    code: "secret.unusable",
    what: `The secret ${name} cannot be used: ${problem}.`,
    why: "A reference stands for the value of a secret the user has set; without it nothing is sent.",
    next: `Ask the user to set ${name} (an environment variable of that name) and to start smith again.`,
  });
