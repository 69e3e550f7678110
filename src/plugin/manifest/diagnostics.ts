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
