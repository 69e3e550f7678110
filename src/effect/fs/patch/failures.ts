import { plural } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { diagnostic } from "../../../schema/index.js";

export const badPatch = (line: number, found: string, wanted: string): Diagnostic =>
  diagnostic({
    code: "fs.patch-syntax",
    what: `Line ${line} of the patch is ${JSON.stringify(found.length > 160 ? `${found.slice(0, 160)}…` : found)}; no file was changed.`,
    why: wanted,
    next: "Correct the patch and send all of it again, or use edit.",
  });

export const nothingToPatch = (): Diagnostic =>
  diagnostic({
    code: "fs.patch-empty",
    what: "The patch names no file.",
    why: "A patch is a unified diff with --- and +++ lines, or an envelope from *** Begin Patch to *** End Patch.",
    next: "Send the patch in one of these forms, or use edit.",
  });

export const tooManyFiles = (files: number, most: number): Diagnostic =>
  diagnostic({
    code: "fs.patch-too-large",
    what: `The patch is about ${files} files.`,
    why: `At most ${most} are changed together.`,
    next: "Send it in parts.",
  });

export const unsupported = (path: string, what: string): Diagnostic =>
  diagnostic({
    code: "fs.patch-unsupported",
    what: `The patch of ${path} ${what}; no file was changed.`,
    why: "Only the text of regular files is patched, and whether files are there.",
    next: "Use a command for it, for example git apply or chmod, and send the rest without it.",
  });

export const alreadyThere = (path: string): Diagnostic =>
  diagnostic({
    code: "fs.exists",
    what: `${path} exists; no file was changed.`,
    why: "The patch makes it anew, so what it holds would be lost.",
    next: "Change it with a patch of what it holds, or delete it first.",
  });

export interface MissedHunk {
  readonly path: string;
  readonly hunk: number;
  readonly patchLine: number;
  /** Whole sentences. */
  readonly reason: string;
}

export const hunkMissed = ({ path, hunk, patchLine, reason }: MissedHunk): Diagnostic =>
  diagnostic({
    code: "fs.patch-missed",
    what: `Hunk ${hunk} of ${path} (line ${patchLine} of the patch) does not fit; no file was changed.`,
    why: `Its lines must be in the file exactly, blanks and all. ${reason}`,
    next: "Read that part of the file and send the whole patch again with the lines as they are there.",
  });

export const hunkAmbiguous = ({ path, hunk, patchLine, lines, total }: Omit<MissedHunk, "reason"> & AmbiguousPlaces): Diagnostic =>
  diagnostic({
    code: "fs.patch-ambiguous",
    what: `Hunk ${hunk} of ${path} (line ${patchLine} of the patch) fits in ${plural(total, "place")}; no file was changed.`,
    why: `It fits from lines ${lines.join(", ")}${total > lines.length ? " and more" : ""}, and none is the line it names.`,
    next: "Add lines of context until it fits in one place, and send the whole patch again.",
  });

export interface AmbiguousPlaces {
  readonly lines: readonly number[];
  readonly total: number;
}

export const notWhole = (path: string): Diagnostic =>
  diagnostic({
    code: "fs.patch-not-whole",
    what: `${path} holds more than the patch that deletes it shows; no file was changed.`,
    why: "Lines would be lost that the patch does not know of.",
    next: "Read the file; delete it with a patch of all of it, or with a command.",
  });

export const changesNothing = (): Diagnostic =>
  diagnostic({
    code: "fs.patch-no-change",
    what: "The patch comes to nothing; no file was changed.",
    why: "All its files are already as it would make them.",
    next: "Read the files if that is unexpected.",
  });

export type FileState = "restored" | "changed" | "unchanged";

export interface BrokenPatch {
  readonly path: string;
  readonly cause: Diagnostic;
  readonly states: readonly { readonly path: string; readonly state: FileState }[];
}

/** One file could not be written after others were. */
export function patchBroken({ path, cause, states }: BrokenPatch): Diagnostic {
  const of = (state: string): string => {
    const paths = states.filter((each) => each.state === state).map((each) => each.path);
    return paths.length === 0
      ? ""
      : ` ${state === "changed" ? "Still changed" : state === "restored" ? "Put back" : "Never changed"}: ${paths.join(", ")}.`;
  };
  const isWhole = !states.some(({ state }) => state === "changed");
  return diagnostic({
    code: "fs.patch-broken",
    what: `${path} could not be changed after other files of the patch were.${of("changed")}${of("restored")}${of("unchanged")}`,
    why: isWhole ? `All of them are as they were. ${cause.what}` : `Not all of them could be put back as they were. ${cause.what}`,
    next: isWhole ? cause.next : "Look at the files that are still changed before anything else is done with them.",
    causes: [cause],
  });
}
