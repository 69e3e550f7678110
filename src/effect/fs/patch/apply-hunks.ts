import { err, ok } from "../../../base/index.js";
import type { Result } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import type { Span } from "../../text/index.js";
import { whyMissing } from "../edit/index.js";
import { fromUnits, type TextEncodingName, toUnits } from "../text-file.js";
import { hunkAmbiguous, hunkMissed } from "./failures.js";
import type { Hunk } from "./file-patch.js";
import { barely, findHunk, type FoundHunk, oldLines } from "./find-hunk.js";
import { indexLines, type LineIndex } from "./line-index.js";

export interface Patched {
  readonly units: string;
  readonly spans: readonly Span[];
}

export interface HunkTarget {
  /** Shown name. */
  readonly path: string;
  readonly units: string;
  readonly encoding: TextEncodingName;
}

/** All hunks in order, each below the one before, or the first that has no place. Lines that stay keep their bytes. */
export function applyHunks({ path, units, encoding }: HunkTarget, hunks: readonly Hunk[]): Result<Patched, Diagnostic> {
  const file = indexLines(units);
  const parts: string[] = [];
  const spans: Span[] = [];
  let place = { from: 0, offset: 0 };
  let length = 0;
  for (const given of hunks) {
    const hunk = { ...given, lines: given.lines.map((line) => ({ ...line, text: toUnits(line.text, encoding) })) };
    const search = findHunk(file, hunk, place);
    const named = { path, hunk: hunk.number, patchLine: hunk.patchLine };
    if (search.type === "ambiguous") return err(hunkAmbiguous({ ...named, lines: search.lines, total: search.total }));
    if (search.type === "missed")
      return err(hunkMissed({ ...named, reason: search.reason ?? reasonFor(fromUnits(units, encoding), given) }));
    const end = search.line + oldLines(hunk).length;
    const kept = units.slice(file.startOf(place.from), file.startOf(search.line));
    const fresh = rewritten(file, hunk, search);
    const newStart = length + kept.length;
    parts.push(kept, fresh);
    length = newStart + fresh.length;
    spans.push({ oldStart: file.startOf(search.line), oldEnd: file.startOf(end), newStart, newEnd: length });
    place = { from: end, offset: hunk.at === undefined ? place.offset : search.line - (hunk.at - 1) };
  }
  return ok({ units: parts.join("") + units.slice(file.startOf(place.from)), spans });
}

interface NewLine {
  /** With its `\r`, where it has one. */
  readonly text: string;
  /** No line end follows. */
  readonly isBare: boolean;
}

/** The new lines of a hunk in place of its old ones. */
function rewritten(file: LineIndex, hunk: Hunk, found: FoundHunk): string {
  const { line, as } = found;
  const old = oldLines(hunk);
  const isLast = line + old.length === file.count;
  const endsBare = file.count > 0 && !file.hasEnd(file.count - 1);
  const { lines, isReturned } = newLines(file, hunk, found);
  const lineEnd = isReturned ? "\r\n" : "\n";
  const texts = lines.map(({ text, isBare }, index) => {
    if (index < lines.length - 1 || !isLast) return isBare && as === "meaning" ? barely(text) + lineEnd : `${text}\n`;
    // Whether the file ends with a line end is its own business, unless the patch speaks of it.
    const isSaid = as === "bytes" || hunk.lines.some(({ hasEnd }) => !hasEnd);
    if (isSaid ? !isBare : !endsBare) return isBare ? barely(text) + lineEnd : `${text}\n`;
    return as === "meaning" && !isBare ? barely(text) : text;
  });
  // Lines put below a last line that has no end need one before them.
  const needsEnd = old.length === 0 && isLast && endsBare && texts.length > 0;
  return (needsEnd ? lineEnd : "") + texts.join("");
}

function newLines(
  file: LineIndex,
  hunk: Hunk,
  { line, as }: FoundHunk,
): { readonly lines: readonly NewLine[]; readonly isReturned: boolean } {
  const last = Math.min(line, file.count - 1);
  const near = last >= 0 && !file.hasEnd(last) ? last - 1 : last;
  let isReturned = near >= 0 && file.textOf(near).endsWith("\r");
  let at = line;
  const lines: NewLine[] = [];
  for (const { sign, text, hasEnd } of hunk.lines) {
    if (sign === "+") {
      lines.push({ text: as === "bytes" ? text : barely(text) + (isReturned ? "\r" : ""), isBare: !hasEnd });
      continue;
    }
    const own = file.textOf(at);
    if (file.hasEnd(at)) isReturned = own.endsWith("\r");
    if (sign === " ") lines.push({ text: own, isBare: !file.hasEnd(at) });
    at += 1;
  }
  return { lines, isReturned };
}

/** Why the old lines are not there: the nearest places. */
function reasonFor(text: string, hunk: Hunk): string {
  const side = (kept: "-" | "+"): string =>
    hunk.lines
      .filter(({ sign }) => sign === " " || sign === kept)
      .map((line) => barely(line.text))
      .join("\n");
  return whyMissing({ text: text.replaceAll("\r\n", "\n"), old: side("-"), fresh: side("+"), wasThere: false });
}
