import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";
import { grantDenied } from "../grants/index.js";

export const secretDenied = (plugin: string, name: string, granted: readonly string[]): Diagnostic =>
  grantDenied({
    plugin,
    wanted: `use the secret ${name}`,
    why: granted.length === 0 ? "It has no grant secrets." : `Its grant is secrets=${granted.join(", ")}.`,
    instead: "Send it without that secret",
    manifest: `secrets "${name}"`,
  });

export const secretUnusable = (name: string, problem: string): Diagnostic =>
  diagnostic({
    code: "secret.unusable",
    what: `The secret ${name} cannot be used: ${problem}.`,
    why: "A reference stands for the value of a secret the user has set; without it nothing is sent.",
    next: `Ask the user to set ${name} (an environment variable of that name, or smith secrets add ${name}) and to start smith again.`,
  });

export const secretOfProvider = (plugin: string, name: string): Diagnostic =>
  diagnostic({
    code: "secret.provider-key",
    what: `${plugin} may not use ${name}: it is the key of a model provider.`,
    why: "Keys of providers are sent to their provider and go nowhere else, whatever a plugin is granted.",
    next: "Leave this text as it is in the file, or ask the user to give the program a key of its own.",
    source: { type: "plugin", id: plugin },
  });

/** `where` names a place in a command, `instead` what to do, as a sentence. */
export const secretMisplaced = (name: string, where: string, instead: string): Diagnostic =>
  diagnostic({
    code: "secret.misplaced",
    what: `The secret ${name} cannot be put ${where}.`,
    why: "Arguments of programs are seen by every other program of this machine, so a value only goes where a shell puts it in exactly.",
    next: instead,
  });

export const secretOrdinary = (name: string): Diagnostic =>
  diagnostic({
    code: "secret.ordinary",
    what: `What was handed over as ${name} is not kept as a secret.`,
    why: "It has fewer than 8 characters, hardly any different ones, or is an ordinary word: texts would be garbled and nothing hidden.",
    next: "Use the value as it is, or hand over one that can be told from other words.",
  });

export const secretBadName = (name: string): Diagnostic =>
  diagnostic({
    code: "secret.bad-name",
    what: `${JSON.stringify(name.slice(0, 100))} cannot be the name of a secret.`,
    why: "A name begins with a letter and has up to 100 letters, digits, dots, dashes and underscores.",
    next: "Hand it over under such a name.",
  });
