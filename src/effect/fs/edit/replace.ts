import { err, ok } from "../../../base/index.js";
import type { Result } from "../../../base/index.js";
import type { Diagnostic, FsEditInput } from "../../../schema/index.js";
import { composeSpans, type Span } from "../../text/index.js";
import type { TextFile } from "../text-file.js";
import { fromUnits, toUnits } from "../text-file.js";
import { emptyOld, noChange, noChangeTogether, textAmbiguous, textMissing } from "./failures.js";
import { withLineEndsOf } from "./line-ends.js";
import { createLineView, type LineView } from "./line-view.js";
import { whyMissing } from "./missing.js";

type Edit = FsEditInput["edits"][number];

/** Places named in the error about an ambiguous text. */
const MAX_LISTED = 10;

export interface Replaced {
  readonly units: string;
  readonly replacements: number;
  /** Where the units before and after differ. */
  readonly spans: readonly Span[];
}

/**
 * All edits in order, each on the outcome of the one before, or the first problem and no change. A text must match exactly;
 * only line ends are compared by meaning, since they belong to the file: `\n` and `\r\n` match each other, and new lines get
 * the line end of the lines about them. Everything that old and new share keeps its bytes. Edits that come to nothing are refused.
 */
export function replaceAll(file: TextFile, path: string, edits: readonly Edit[]): Result<Replaced, Diagnostic> {
  let done: Replaced = { units: file.units, replacements: 0, spans: [] };
  for (const [index, edit] of edits.entries()) {
    const next = replaceOne({ ...file, units: done.units }, edit, { path, edit: index + 1, edits: edits.length, original: file.units });
    if (!next.ok) return next;
    const { units, replacements, spans } = next.value;
    done = { units, replacements: done.replacements + replacements, spans: composeSpans(done.spans, spans) };
  }
  return done.units === file.units ? err(noChangeTogether(path)) : ok(done);
}

interface Place {
  readonly path: string;
  readonly edit: number;
  readonly edits: number;
  /** The file before the first edit. */
  readonly original: string;
}

function replaceOne(file: TextFile, edit: Edit, place: Place): Result<Replaced, Diagnostic> {
  const view = createLineView(file.units);
  const old = view.plain(toUnits(edit.old, file.encoding));
  const fresh = view.plain(toUnits(edit.new, file.encoding));
  if (old === "") return err(emptyOld(place.edit));
  if (old === fresh) return err(noChange(place.edit));
  const first = view.text.indexOf(old);
  if (first < 0) return err(textMissing(missing(file, view, edit, place)));
  if (edit.all !== true && view.text.includes(old, first + 1)) {
    const { starts, total } = everyPlace(view.text, old);
    const shown = (units: string): string => fromUnits(units, file.encoding);
    const places = starts.map((at) => ({ line: lineAt(view.text, at), above: shown(lineAbove(view.text, at)) }));
    return err(textAmbiguous({ ...place, places, total }));
  }
  return ok(rewritten(file.units, view, { first, old, fresh }));
}

interface Found {
  readonly first: number;
  readonly old: string;
  readonly fresh: string;
}

/** Places told apart; of more, only the first and the last are remembered. */
const MAX_SPANS = 50_000;
/** Pieces put together at once: adding them to a long text one by one costs memory for each. */
const PIECES = 4096;

/** The text with each place replaced, but for what old and new have in common at either end. */
function rewritten(units: string, view: LineView, { first, old, fresh }: Found): Replaced {
  const { head, tail } = sharedEnds(old, fresh);
  const middle = fresh.slice(head, fresh.length - tail);
  const even = view.lineEnd === "\n" ? middle : middle.replaceAll("\n", view.lineEnd);
  const isEven = !view.isMixed || !middle.includes("\n");
  const spans: Span[] = [];
  const parts: string[] = [];
  let pieces: string[] = [];
  let length = 0;
  let from = 0;
  let replacements = 0;
  for (let start = first; start >= 0; start = view.text.indexOf(old, start + old.length)) {
    const oldStart = view.unitAt(start + head);
    const oldEnd = view.unitAt(start + old.length - tail);
    const insert = isEven ? even : withLineEndsOf(mixedPart(units, view, { oldStart, oldEnd }), middle);
    const newStart = length + oldStart - from;
    pieces.push(units.slice(from, oldStart), insert);
    length = newStart + insert.length;
    spans.push({ oldStart, oldEnd, newStart, newEnd: length });
    from = oldEnd;
    replacements += 1;
    if (pieces.length >= PIECES) {
      parts.push(pieces.join(""));
      pieces = [];
    }
    if (spans.length > MAX_SPANS) spans.splice(0, spans.length, hullOf(spans));
  }
  return { units: [...parts, ...pieces, units.slice(from)].join(""), replacements, spans };
}

function hullOf(spans: readonly Span[]): Span {
  const [first] = spans;
  const last = spans.at(-1);
  return { oldStart: first?.oldStart ?? 0, newStart: first?.newStart ?? 0, oldEnd: last?.oldEnd ?? 0, newEnd: last?.newEnd ?? 0 };
}

const mixedPart = (units: string, view: LineView, { oldStart, oldEnd }: Pick<Span, "oldStart" | "oldEnd">) => ({
  found: units.slice(oldStart, oldEnd),
  before: lineEndBefore(units, oldStart) ?? view.lineEnd,
});

/** Line end of the line before the one that holds `at`. */
function lineEndBefore(units: string, at: number): string | undefined {
  const end = at === 0 ? -1 : units.lastIndexOf("\n", at - 1);
  if (end < 0) return undefined;
  return units[end - 1] === "\r" ? "\r\n" : "\n";
}

/** Every place, overlapping ones too: a text that could be meant in two ways is ambiguous. The first ones, and how many there are. */
function everyPlace(text: string, old: string): { readonly starts: readonly number[]; readonly total: number } {
  const starts: number[] = [];
  let total = 0;
  for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + 1)) {
    if (total < MAX_LISTED) starts.push(at);
    total += 1;
  }
  return { starts, total };
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

/** The nearest line above `at` that says something. */
function lineAbove(text: string, at: number): string {
  let end = at === 0 ? -1 : text.lastIndexOf("\n", at - 1);
  while (end > 0) {
    const start = text.lastIndexOf("\n", end - 1) + 1;
    const line = text.slice(start, end);
    if (line.trim() !== "") return line;
    end = start - 1;
  }
  return "";
}

function missing(file: TextFile, view: LineView, edit: Edit, place: Place) {
  const plainOf = (units: string): string => fromUnits(view.plain(units), file.encoding);
  const old = plainOf(toUnits(edit.old, file.encoding));
  return {
    ...place,
    reason: whyMissing({
      text: fromUnits(view.text, file.encoding),
      old,
      fresh: plainOf(toUnits(edit.new, file.encoding)),
      wasThere: place.edit > 1 && plainOf(place.original).includes(old),
    }),
  };
}
