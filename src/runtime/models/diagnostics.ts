import { closest, redactUrl } from "../../base/index.js";
import { type Diagnostic, diagnostic } from "../../schema/index.js";

export const providerGone = (id: string): Diagnostic =>
  diagnostic({
    code: "provider.gone",
    what: `No plugin contributes the provider ${id}.`,
    why: "It was disabled or removed since the model was chosen.",
    next: "Enable its plugin, or choose another model with --model.",
    exit: 2,
  });

export const unknownAccount = (name: string, known: readonly string[]): Diagnostic => {
  const near = closest(name, known);
  return diagnostic({
    code: "auth.unknown-account",
    what: `There is nothing called ${JSON.stringify(name)} that takes a key.`,
    why: known.length === 0 ? "No provider in use takes one." : `Known: ${known.join(", ")}.`,
    next: near === undefined ? "See smith auth status for what there is." : `Did you mean ${near}?`,
    exit: 2,
  });
};

export const keyUnusable = (name: string, fault: string): Diagnostic =>
  diagnostic({
    code: "auth.key-unusable",
    what: `The key for ${name} was not stored: ${fault}.`,
    why: "No request could carry it.",
    next: "Copy the key again, whole and without anything around it.",
    exit: 2,
  });

export const nothingToCheck = (name: string): Diagnostic =>
  diagnostic({
    code: "auth.nothing-to-check",
    what: `${name} has no server that could be asked.`,
    why: "Its base URL is not set, or it answers without any server.",
    next: "Set its base URL; smith models list tells which variable that is.",
  });

export const tokenServerSilent = (url: string, reason: string): Diagnostic =>
  diagnostic({
    code: "credential.no-answer",
    what: `The server that renews the login did not answer: ${reason}.`,
    why: `${redactUrl(url)} was asked; what is stored stays as it is.`,
    next: "Check the network and your proxy settings, then try again.",
    exit: 3,
  });
