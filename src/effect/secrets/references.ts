import { err, ok } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { EffectContext } from "../types.js";
import { secretDenied, secretOfProvider, secretUnusable } from "./failures.js";
import { ALL_SECRETS, secretProblem } from "./restore.js";
import type { FoundSecret, SecretVault } from "./vault.js";

/** Value of a secret by name; undefined when it is not set. */
export type SecretPort = (name: string) => string | undefined;

/** `reach`: what goes to another machine takes secrets by the names of the grant alone, never by that for all of them. */
export interface SecretSources {
  readonly secret: SecretPort;
  readonly vault: SecretVault;
  readonly reach: "local" | "remote";
}

type Texts = Readonly<Record<string, string>>;
type Asker = Pick<EffectContext, "plugin" | "grants">;

const REFERENCE = /\{secret:([^{}]+)\}/gu;

/** Whether the text holds a reference, granted or not. */
export const holdsReference = (text: string): boolean => text.search(REFERENCE) >= 0;

/** Every secret that is named in `texts` must be granted, set, and free of line ends. */
export function checkReferences(texts: Texts, context: Asker, sources: SecretSources): Diagnostic | undefined {
  for (const text of Object.values(texts)) {
    for (const [reference, name = ""] of text.matchAll(REFERENCE)) {
      const found = valueOf(reference, name, context, sources);
      if (!found.ok) return found.error;
    }
  }
  return undefined;
}

function valueOf(reference: string, name: string, context: Asker, sources: SecretSources): Result<string, Diagnostic> {
  const { secret, vault, reach } = sources;
  const known = knownAs(reference, vault);
  const plain = known?.name ?? name;
  if (known?.isProvider === true) return err(secretOfProvider(context.plugin, plain));
  const { secrets: granted } = context.grants;
  if (known !== undefined && (granted.includes(known.name) || known.ownedBy(context.plugin) || reach === "local")) {
    const problem = secretProblem(known, context);
    return problem === undefined ? oneLine(known.name, known.text) : err(problem);
  }
  if (!granted.includes(name) || name === ALL_SECRETS) return err(secretDenied(context.plugin, plain, granted));
  return oneLine(name, secret(name));
}

function knownAs(reference: string, vault: SecretVault): FoundSecret | undefined {
  let known: FoundSecret | undefined;
  vault.fill(reference, (found) => {
    known = found;
    return undefined;
  });
  return known;
}

/** Values are trimmed: a key pasted with a line end would be no valid header. */
function oneLine(name: string, value: string | undefined): Result<string, Diagnostic> {
  const text = value?.trim() ?? "";
  if (text === "") return err(secretUnusable(name, "it is not set"));
  return /[\0\r\n]/u.test(text) ? err(secretUnusable(name, "it has several lines")) : ok(text);
}

export interface Filled {
  readonly texts: Texts;
  /** The values that were put in. */
  readonly values: readonly string[];
  /** Names of the texts that hold one. */
  readonly holders: ReadonlySet<string>;
}

/** The texts as they go out. Checked again: a secret may have gone since its check. */
export function fillReferences(texts: Texts, context: Asker, sources: SecretSources): Result<Filled, Diagnostic> {
  const values = new Set<string>();
  const holders = new Set<string>();
  let problem: Diagnostic | undefined;
  const filled = Object.entries(texts).map(([key, text]) => {
    const whole = text.replace(REFERENCE, (reference, name: string) => {
      const found = valueOf(reference, name, context, sources);
      if (!found.ok) {
        problem ??= found.error;
        return reference;
      }
      values.add(found.value);
      holders.add(key);
      return found.value;
    });
    return [key, whole] as const;
  });
  return problem === undefined ? ok({ texts: Object.fromEntries(filled), values: [...values], holders }) : err(problem);
}
