import type { FsPatchInput } from "../../../schema/index.js";

export type PatchForm = Exclude<NonNullable<FsPatchInput["form"]>, "auto">;

/** What a patch says about one file. Names as the patch spells them, without the prefixes of git. */
export interface FilePatch {
  readonly action: "create" | "change" | "delete" | "move" | "copy";
  /** The file it leads to; of one that goes, the file itself. */
  readonly name: string;
  /** Other file to begin from: of a move or copy, or where a plain diff names two, the one to take when `name` is not there. */
  readonly from?: string;
  /** Mode of a new file. */
  readonly mode?: number;
  readonly hunks: readonly Hunk[];
  /** Whether a deletion shows what the file held, which then must be all of it. */
  readonly isWhole?: boolean;
}

export interface Hunk {
  /** From 1, within its file. */
  readonly number: number;
  /** Line of the patch where it begins, from 1. */
  readonly patchLine: number;
  readonly lines: readonly HunkLine[];
  /** First line of the old file as the header says, from 1; for lines that are only added, the line they follow. */
  readonly at?: number;
  /** Lines to go past first, in order. */
  readonly anchors: readonly string[];
  /** It must be at the end of the file. */
  readonly isEnd: boolean;
}

export interface HunkLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
  /** Whether a line end follows. */
  readonly hasEnd: boolean;
}

/** All names a patch uses, each once. */
export const namesOf = (patches: readonly FilePatch[]): readonly string[] => [
  ...new Set(patches.flatMap(({ name, from }) => (from === undefined ? [name] : [name, from]))),
];

/** Line ends of the patch itself are not the files': a patch whose headings end in `\r` was rewritten as a whole. */
export function patchLines(patch: string, isHeading: (line: string) => boolean): readonly string[] {
  const lines = patch.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const isReturned = lines.find(isHeading)?.endsWith("\r") === true;
  return isReturned ? lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line)) : lines;
}

const SIGNS: ReadonlySet<string> = new Set([" ", "-", "+"]);

/** A line of a hunk; an empty one is an empty line of context whose blank got lost. */
export function hunkLine(line: string): HunkLine | undefined {
  if (line === "") return { sign: " ", text: "", hasEnd: true };
  const sign = line[0] ?? "";
  return isSign(sign) ? { sign, text: line.slice(1), hasEnd: true } : undefined;
}

const isSign = (sign: string): sign is HunkLine["sign"] => SIGNS.has(sign);
