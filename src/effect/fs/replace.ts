import { err, ok } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic, FsEditInput } from "../../schema/index.js";
import { emptyOld, noChange, textAmbiguous, textMissing } from "./failures.js";
import { nearestLine } from "./nearest-line.js";
import type { TextFile } from "./text-file.js";
import { fromUnits, toUnits } from "./text-file.js";

type Edit = FsEditInput["edits"][number];

/** Line numbers named in the error about an ambiguous text. */
const MAX_LISTED = 10;

export interface Replaced {
  readonly units: string;
  readonly replacements: number;
}

/**
 * All edits in order, each on the outcome of the one before, or the first problem and no change. A text must match exactly;
 * only line ends are compared by meaning, since they belong to the file: `\n` and `\r\n` match each other, and new lines get
 * the line end that most lines of the file have. Everything that old and new share keeps its bytes.
 */
export function replaceAll(file: TextFile, path: string, edits: readonly Edit[]): Result<Replaced, Diagnostic> {
  let units = file.units;
  let replacements = 0;
  for (const [index, edit] of edits.entries()) {
    const done = replaceOne({ ...file, units }, edit, { path, edit: index + 1, edits: edits.length });
    if (!done.ok) return done;
    units = done.value.units;
    replacements += done.value.replacements;
  }
  return ok({ units, replacements });
}

interface Place {
  readonly path: string;
  readonly edit: number;
  readonly edits: number;
}

function replaceOne(file: TextFile, edit: Edit, place: Place): Result<Replaced, Diagnostic> {
  const view = createLineView(file.units);
  const old = toUnits(edit.old, file.encoding).replaceAll("\r\n", "\n");
  const fresh = toUnits(edit.new, file.encoding).replaceAll("\r\n", "\n");
  if (old === "") return err(emptyOld(place.edit));
  if (old === fresh) return err(noChange(place.edit));
  const starts = edit.all === true ? findApart(view.text, old) : findEach(view.text, old);
  if (starts.length === 0) {
    const nearest = nearestLine(fromUnits(view.text, file.encoding), edit.old.replaceAll("\r\n", "\n"));
    return err(textMissing({ ...place, ...(nearest === undefined ? {} : { nearest }) }));
  }
  if (edit.all !== true && starts.length > 1) {
    const lines = starts.slice(0, MAX_LISTED).map((at) => lineAt(view.text, at));
    return err(textAmbiguous(place.path, place.edit, lines, starts.length));
  }
  const { head, tail } = sharedEnds(old, fresh);
  const middle = fresh.slice(head, fresh.length - tail);
  const insert = view.lineEnd === "\n" ? middle : middle.replaceAll("\n", "\r\n");
  let result = "";
  let from = 0;
  for (const start of starts) {
    result += file.units.slice(from, view.unitAt(start + head)) + insert;
    from = view.unitAt(start + old.length - tail);
  }
  return ok({ units: result + file.units.slice(from), replacements: starts.length });
}

/** Every place, overlapping ones too: a text that could be meant in two ways is ambiguous. */
function findEach(text: string, old: string): readonly number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + 1)) starts.push(at);
  return starts;
}

function findApart(text: string, old: string): readonly number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + old.length)) starts.push(at);
  return starts;
}

/** Units that old and new have in common at either end, without overlap. */
function sharedEnds(old: string, fresh: string): { readonly head: number; readonly tail: number } {
  const most = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < most && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail += 1;
  return { head, tail };
}

function lineAt(text: string, at: number): number {
  let line = 1;
  for (let end = text.indexOf("\n"); end >= 0 && end < at; end = text.indexOf("\n", end + 1)) line += 1;
  return line;
}

interface LineView {
  /** The text with every `\r\n` as `\n`. */
  readonly text: string;
  readonly lineEnd: "\n" | "\r\n";
  /** Index in the file of an index in `text`; before the `\r` when it points at a line end. */
  unitAt(index: number): number;
}

function createLineView(units: string): LineView {
  const text = units.replaceAll("\r\n", "\n");
  const pairs = units.length - text.length;
  if (pairs === 0) return { text, lineEnd: "\n", unitAt: (index) => index };
  const ends: number[] = [];
  for (let at = units.indexOf("\r\n"); at >= 0; at = units.indexOf("\r\n", at + 2)) ends.push(at - ends.length);
  let lineFeeds = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lineFeeds += 1;
  return { text, lineEnd: pairs * 2 > lineFeeds ? "\r\n" : "\n", unitAt: (index) => index + countBelow(ends, index) };
}

/** How many of the ascending numbers are smaller than `bound`. */
function countBelow(ascending: readonly number[], bound: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
