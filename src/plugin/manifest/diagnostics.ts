import type { Diagnostic, DiagnosticSource } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";

/** A place in a manifest; lines and columns count from 1. */
export interface ManifestPlace {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

const at = (place: ManifestPlace): { readonly source: DiagnosticSource; readonly exit: 2 } => ({
  source: { type: "file", ...place },
  exit: 2,
});

export const unknownWord = (
  place: ManifestPlace,
  word: string,
  owner: string,
  known: { readonly nearest: string | undefined; readonly words: readonly string[] },
): Diagnostic =>
  diagnostic({
    code: "manifest.unknown-word",
    what: `${owner} has no ${JSON.stringify(word)}`,
    why: `Known here: ${known.words.length === 0 ? "nothing" : known.words.join(", ")}.`,
    next: known.nearest === undefined ? "Remove it, or look it up in the manifest reference." : `Did you mean ${known.nearest}?`,
    ...at(place),
  });

export const badManifestValue = (place: ManifestPlace, subject: string, value: string, expected: string): Diagnostic =>
  diagnostic({
    code: "manifest.bad-value",
    what: `${subject} is ${value}`,
    why: `It must be ${expected}.`,
    next: "Correct the value; the manifest reference has an example of each.",
    ...at(place),
  });

export const missingInManifest = (place: ManifestPlace, owner: string, name: string): Diagnostic =>
  diagnostic({
    code: "manifest.missing",
    what: `${owner} has no ${name}`,
    why: "It is required.",
    next: `Add ${name}.`,
    ...at(place),
  });

/** `declared`: the first node that is run, as it is named. */
export const entryMissing = (place: ManifestPlace, declared: string): Diagnostic =>
  diagnostic({
    code: "manifest.entry",
    what: `${declared} is declared, and the plugin has no entry`,
    why: "Tools, commands, handlers and providers are functions of the entry module.",
    next: 'Add entry="src/main.ts" to the plugin node, and the module.',
    ...at(place),
  });

export const duplicateInManifest = (place: ManifestPlace, what: string): Diagnostic =>
  diagnostic({
    code: "manifest.duplicate",
    what: `${what} is there twice`,
    why: "Only one of the two could be meant by its name.",
    next: "Rename or remove one of them.",
    ...at(place),
  });

export const unreadableFile = (place: ManifestPlace, file: string): Diagnostic =>
  diagnostic({
    code: "manifest.file",
    what: `${JSON.stringify(file)} cannot be read`,
    why: "The manifest takes a text from this file, which must lie in the plugin's folder.",
    next: "Create the file, or correct its name.",
    ...at(place),
  });

export const fileOutside = (place: ManifestPlace, file: string): Diagnostic =>
  diagnostic({
    code: "manifest.file-outside",
    what: `${JSON.stringify(file)} is no file of the plugin's folder`,
    why: "A manifest takes texts from its own folder alone: names are relative, with / between folders and no .. in them.",
    next: "Move the file into the folder, and name it from there.",
    ...at(place),
  });

export const textTooLong = (place: ManifestPlace, file: string, most: number): Diagnostic =>
  diagnostic({
    code: "manifest.file-size",
    what: `${JSON.stringify(file)} is longer than ${most.toLocaleString("en")} characters`,
    why: "Texts of a manifest are kept in memory, and most of them are sent to a model.",
    next: "Shorten it; what is read on demand can be a resource.",
    ...at(place),
  });

export const manifestTooLong = (path: string, most: number): Diagnostic =>
  diagnostic({
    code: "manifest.size",
    what: `${path} is longer than ${most.toLocaleString("en")} characters`,
    why: "A manifest is read whole, before anything else is known of a plugin.",
    next: "Put long texts into files of the folder.",
    ...at({ path, line: 1, column: 1 }),
  });

export const manifestTooDeep = (place: ManifestPlace): Diagnostic =>
  diagnostic({
    code: "manifest.depth",
    what: `${place.path} has blocks inside of blocks beyond any use`,
    why: "A manifest needs four or five levels.",
    next: "Remove levels.",
    ...at(place),
  });

export const reservedId = (place: ManifestPlace, id: string): Diagnostic =>
  diagnostic({
    code: "manifest.reserved-id",
    what: `the plugin's id is ${JSON.stringify(id)}`,
    why: "Ids that begin with smith. are those of bundled plugins.",
    next: "Begin it with a name of your own, such as acme.lint.",
    ...at(place),
  });

/** `needs` a program with a newer plugin contract than this one. */
export const newerSdk = (place: ManifestPlace, found: number, known: number): Diagnostic =>
  diagnostic({
    code: "manifest.newer-sdk",
    what: `the manifest is written for plugin SDK ${String(found)}; this smith has SDK ${String(known)}`,
    why: `It needs a smith whose plugin SDK is ${String(found)} or ${String(found + 1)}.`,
    next: "Update smith, or take an older version of the plugin.",
    ...at(place),
  });
