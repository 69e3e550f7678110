import { closest } from "../../base/index.js";
import { type Diagnostic, diagnostic } from "../../schema/index.js";

const usage = (fields: Pick<Diagnostic, "code" | "what" | "why" | "next">): Diagnostic => diagnostic({ ...fields, exit: 2 });

/** Letters and digits mixed and longer than names are: somebody gave the key itself. */
const isLikeAKey = (name: string): boolean => name.length >= 16 && /\d/u.test(name) && /[A-Za-z]/u.test(name);

export function noSuchAccount(name: string, known: readonly string[]): Diagnostic {
  const near = closest(name, known);
  if (near === undefined && isLikeAKey(name)) return keyAsArgument();
  return usage({
    code: "usage.no-such-account",
    what: `there is no provider or connection ${name === "" ? "(empty)" : name}`,
    why: "No plugin in use brings one of that name, and none is configured.",
    next: near === undefined ? "See what there is with: smith auth status." : `Did you mean ${near}? All there are: smith auth status.`,
  });
}

const keyAsArgument = (): Diagnostic =>
  usage({
    code: "usage.key-as-argument",
    what: "what looks like a key was given as a name",
    why: "An argument is seen by other programs and kept by the shell's history, so a key is never one.",
    next: "Take it out of the history, and name what it is for: smith auth login NAME asks for it.",
  });

export const nothingStored = (name: string, stored: readonly string[]): Diagnostic => {
  const near = closest(name, stored);
  return diagnostic({
    code: "auth.nothing-stored",
    what: `the auth file has nothing under ${near === undefined && isLikeAKey(name) ? "that name" : name === "" ? "(empty)" : name}`,
    why: stored.length === 0 ? "It has no entry at all." : `It has: ${stored.join(", ")}.`,
    next: near === undefined ? "See where keys are from with: smith auth status." : `Did you mean ${near}?`,
  });
};

/** `why` says what came instead. */
export const noKeyGiven = (name: string, why: string): Diagnostic =>
  usage({
    code: "usage.no-key-given",
    what: `no key was given for ${name}`,
    why,
    next: `Run it on a terminal, or give the key alone on standard input: smith auth login ${name} --key-stdin < FILE`,
  });

/** Nothing could be checked. */
export const nothingToCheck = (): Diagnostic =>
  diagnostic({
    code: "auth.no-keys",
    what: "no provider or connection has a key",
    why: "None of the places where one is looked for is set.",
    next: "See which they are with: smith auth status. Store a key with: smith auth login NAME.",
    exit: 3,
  });
