import { plural } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { diagnostic } from "../../../schema/index.js";

export const emptyOld = (edit: number): Diagnostic =>
  diagnostic({
    code: "fs.edit-empty",
    what: `Edit ${edit} has no old text.`,
    why: "An empty text is found everywhere, so it names no place.",
    next: "Give the text to be replaced with enough lines around it, or write the whole file.",
  });

const sameText = (what: string, why: string): Diagnostic =>
  diagnostic({
    code: "fs.edit-no-change",
    what,
    why,
    next: "Give a new text that differs, or leave the edit out.",
  });

export const noChange = (edit: number): Diagnostic =>
  sameText(`Edit ${edit} replaces a text by itself.`, "Old and new are the same apart from line ends, and line ends belong to the file.");

export const noChangeTogether = (path: string): Diagnostic =>
  sameText(`The edits of ${path} come to nothing; nothing was written.`, "Later edits take back what earlier ones of the same call do.");

export interface MissingText {
  readonly path: string;
  readonly edit: number;
  readonly edits: number;
  /** Whole sentences. */
  readonly reason: string;
}

export const textMissing = ({ path, edit, edits, reason }: MissingText): Diagnostic =>
  diagnostic({
    code: "fs.edit-missing",
    what: `The old text of edit ${edit}${edits > 1 ? ` (of ${edits}, none was made)` : ""} is not in ${path}.`,
    why: `It must match exactly, blanks and all. ${reason}`,
    next: "Read that part of the file and repeat the edit with the text as it is there.",
  });

export interface AmbiguousText {
  readonly path: string;
  readonly edit: number;
  readonly edits: number;
  readonly places: readonly { readonly line: number; readonly above: string }[];
  readonly total: number;
}

const MAX_ABOVE = 80;

export function textAmbiguous({ path, edit, edits, places, total }: AmbiguousText): Diagnostic {
  const more = total > places.length ? " and more" : "";
  const clip = (line: string): string => JSON.stringify(line.length > MAX_ABOVE ? `${line.slice(0, MAX_ABOVE)}…` : line);
  const isTelling = new Set(places.map(({ above }) => above).filter((line) => line !== "")).size > 1;
  const after = places.filter(({ above }) => isTelling && above !== "").map(({ line, above }) => `${line} is after ${clip(above)}`);
  return diagnostic({
    code: "fs.edit-ambiguous",
    what: `The old text of edit ${edit}${edits > 1 ? ` (of ${edits})` : ""} is in ${path} ${plural(total, "time")}; nothing was written.`,
    why: `It starts on lines ${places.map(({ line }) => line).join(", ")}${more}.${after.length === 0 ? "" : ` Line ${after.join("; line ")}.`}`,
    next: "Add lines around it until it is unique, or set all to replace every one of them.",
  });
}
