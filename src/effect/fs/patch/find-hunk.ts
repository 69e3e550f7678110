import type { Hunk, HunkLine } from "./file-patch.js";
import type { LineIndex } from "./line-index.js";

/**
 * How lines are compared: `bytes` with all line ends, the patch's own `\r` with them; `meaning` without line ends, which then stay the
 * file's. What a line says is never compared otherwise than exactly.
 */
export type Likeness = "bytes" | "meaning";

export interface FoundHunk {
  /** First line in the file, from 0. */
  readonly line: number;
  readonly as: Likeness;
}

export type HunkSearch =
  | ({ readonly type: "found" } & FoundHunk)
  | { readonly type: "ambiguous"; readonly lines: readonly number[]; readonly total: number }
  | { readonly type: "missed"; readonly reason?: string };

export interface SearchPlace {
  /** First line that the hunk before it left. */
  readonly from: number;
  /** By how much the hunks before it were found further down than they said. */
  readonly offset: number;
}

const MAX_LISTED = 10;

export const barely = (text: string): string => (text.endsWith("\r") ? text.slice(0, -1) : text);

/** The old side of a hunk. */
export const oldLines = ({ lines }: Hunk): readonly HunkLine[] => lines.filter(({ sign }) => sign !== "+");

/** Where a hunk goes: on the line it names if it fits there, else in the only place where it fits. */
export function findHunk(file: LineIndex, hunk: Hunk, place: SearchPlace): HunkSearch {
  const old = oldLines(hunk);
  const anchored = pastAnchors(file, hunk, place.from);
  if (typeof anchored !== "number") return anchored;
  if (old.length === 0) return placeOfAdded(file, hunk, anchored);
  for (const as of ["bytes", "meaning"] as const) {
    const found = search(file, { ...hunk, old, as }, { ...place, from: anchored });
    if (found.type !== "missed") return found;
  }
  return { type: "missed" };
}

/** The line after the last anchor; an anchor is a whole line, its indentation aside. */
function pastAnchors(file: LineIndex, { anchors }: Hunk, from: number): number | HunkSearch {
  let next = from;
  for (const anchor of anchors) {
    const wanted = anchor.trim();
    let at = next;
    while (at < file.count && file.textOf(at).trim() !== wanted) at += 1;
    if (at === file.count)
      return { type: "missed", reason: `The line ${JSON.stringify(wanted)} after @@ is not in the file below line ${next}.` };
    next = at + 1;
  }
  return next;
}

/** Lines that are only added say nothing about their place but a number or an anchor. */
function placeOfAdded(file: LineIndex, hunk: Hunk, from: number): HunkSearch {
  if (hunk.at === undefined) return { type: "found", line: hunk.anchors.length > 0 && !hunk.isEnd ? from : file.count, as: "meaning" };
  if (file.count === 0) return { type: "found", line: 0, as: "bytes" };
  return {
    type: "missed",
    reason: "It shows no line of the file, so only a line number says where it goes, and that may be of another state of the file.",
  };
}

interface Wanted extends Hunk {
  readonly old: readonly HunkLine[];
  readonly as: Likeness;
}

function search(file: LineIndex, wanted: Wanted, { from, offset }: SearchPlace): HunkSearch {
  const { old, as, at, isEnd, anchors } = wanted;
  const last = file.count - old.length;
  if (at !== undefined) {
    for (const line of [at - 1 + offset, at - 1])
      if (line >= from && line <= last && fits(file, line, wanted)) return { type: "found", line, as };
  }
  const places: number[] = [];
  for (let line = isEnd ? Math.max(from, last) : from; line <= last; line += 1) if (fits(file, line, wanted)) places.push(line);
  const [first] = places;
  if (first === undefined) return { type: "missed" };
  // An anchor says where to begin, so the first place below it is meant.
  if (anchors.length > 0 || places.length === 1) return { type: "found", line: first, as };
  return { type: "ambiguous", lines: places.slice(0, MAX_LISTED).map((line) => line + 1), total: places.length };
}

function fits(file: LineIndex, start: number, { old, as }: Wanted): boolean {
  return old.every((line, index) => {
    const at = start + index;
    const text = file.textOf(at);
    if (as === "bytes") return text === line.text && file.hasEnd(at) === line.hasEnd;
    return barely(text) === barely(line.text) && (line.hasEnd || at === file.count - 1);
  });
}
