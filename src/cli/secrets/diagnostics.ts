import { closest } from "../../base/index.js";
import { type Diagnostic, diagnostic } from "../../schema/index.js";

/** Letters and digits mixed and longer than names are: somebody gave the value itself. */
export const isLikeAValue = (name: string): boolean => name.length >= 20 && /\d/u.test(name) && /[a-z]/u.test(name) && !name.includes("_");

export function noSuchSecret(name: string, stored: readonly string[]): Diagnostic {
  const near = closest(name, stored);
  return diagnostic({
    code: "secrets.not-stored",
    what: `there is no stored secret ${near === undefined && isLikeAValue(name) ? "of that name" : name === "" ? "(empty)" : name}`,
    why: stored.length === 0 ? "None is stored." : `Stored are: ${stored.join(", ")}.`,
    next: near === undefined ? "See all that are hidden with: smith secrets list." : `Did you mean ${near}?`,
  });
}

export const valueAsArgument = (): Diagnostic =>
  diagnostic({
    code: "usage.secret-as-argument",
    what: "what looks like a secret was given as its name",
    why: "An argument is seen by other programs and kept by the shell's history, so a value is never one.",
    next: "Take it out of the history, and give it a name: smith secrets add NAME asks for the value.",
    exit: 2,
  });

/** `why` says what came instead. */
export const noValueGiven = (name: string, why: string): Diagnostic =>
  diagnostic({
    code: "usage.no-secret-given",
    what: `no value was given for ${name}`,
    why,
    next: `Run it on a terminal, or give the value on standard input: smith secrets add ${name} < FILE`,
    exit: 2,
  });
