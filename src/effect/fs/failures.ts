import { plural } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";

export const invalidImage = (path: string, found: string): Diagnostic =>
  diagnostic({
    code: "fs.image-invalid",
    what: `${path} is named like an image but holds none: ${found}.`,
    why: "The type is taken from the bytes; a file that is no whole png, jpeg, gif or webp is never sent to a model as an image.",
    next: "If its text matters, search it with grep; otherwise get the image anew.",
  });

export const imageTooLarge = (path: string, bytes: number, maxBytes: number): Diagnostic =>
  diagnostic({
    code: "fs.image-too-large",
    what: `${path} is an image of ${bytes} bytes.`,
    why: `Images over ${maxBytes} bytes are not read: providers refuse them.`,
    next: "Make a smaller copy of it and read that.",
  });

export const tooLarge = (path: string, bytes: number, maxBytes: number): Diagnostic =>
  diagnostic({
    code: "fs.too-large",
    what: `${path} has ${bytes} bytes.`,
    why: `Files over ${maxBytes} bytes are not edited in memory.`,
    next: "Change it with a command that streams, for example sed.",
  });

export const notText = (path: string, bytes: number): Diagnostic =>
  diagnostic({
    code: "fs.binary",
    what: `${path} is a binary file of ${bytes} bytes.`,
    why: "Text replacements in binary content would damage it.",
    next: "Use the program that made the file.",
  });

export const staleFile = (path: string): Diagnostic =>
  diagnostic({
    code: "fs.stale",
    what: `${path} changed on disk since it was last read here; nothing was written.`,
    why: "Somebody or some command wrote it in the meantime, so an edit made from the old text could undo that.",
    next: "Read the file again, then repeat the edit against what it says now.",
  });

export const emptyOld = (edit: number): Diagnostic =>
  diagnostic({
    code: "fs.edit-empty",
    what: `Edit ${edit} has no old text.`,
    why: "An empty text is found everywhere, so it names no place.",
    next: "Give the text to be replaced with enough lines around it, or write the whole file.",
  });

export const noChange = (edit: number): Diagnostic =>
  diagnostic({
    code: "fs.edit-no-change",
    what: `Edit ${edit} replaces a text by itself.`,
    why: "Old and new are the same apart from line ends, and line ends belong to the file.",
    next: "Give a new text that differs, or leave the edit out.",
  });

export interface MissingText {
  readonly path: string;
  readonly edit: number;
  readonly edits: number;
  readonly nearest?: { readonly line: number; readonly text: string; readonly onlyBlanks: boolean };
}

export function textMissing({ path, edit, edits, nearest }: MissingText): Diagnostic {
  const hint =
    nearest === undefined
      ? "No line of the file is like it."
      : `The nearest line is ${nearest.line}: ${JSON.stringify(nearest.text)}${nearest.onlyBlanks ? " (it differs only in blanks)" : ""}.`;
  return diagnostic({
    code: "fs.edit-missing",
    what: `The old text of edit ${edit}${edits > 1 ? ` (of ${edits}, none was made)` : ""} is not in ${path}.`,
    why: `It must match exactly, blanks and all. ${hint}`,
    next: "Read that part of the file and repeat the edit with the text as it is there.",
  });
}

export const textAmbiguous = (path: string, edit: number, lines: readonly number[], total: number): Diagnostic =>
  diagnostic({
    code: "fs.edit-ambiguous",
    what: `The old text of edit ${edit} is in ${path} ${plural(total, "time")}; nothing was written.`,
    why: `It starts on lines ${lines.join(", ")}${total > lines.length ? " and more" : ""}.`,
    next: "Add lines around it until it is unique, or set all to replace every one of them.",
  });

export const stopped = (path: string): Diagnostic =>
  diagnostic({
    code: "fs.aborted",
    what: `Work on ${path} was stopped before it was done.`,
    why: "The call was aborted; nothing was changed.",
    next: "Repeat it if it is still wanted.",
    retry: { type: "now" },
  });
