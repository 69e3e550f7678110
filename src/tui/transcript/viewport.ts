import type { Row } from "../text/index.js";

/** Rows by item number. `rows` may be costly the first time and is cheap afterwards. */
export interface RowSource {
  readonly first: number;
  /** One past the newest item. */
  readonly end: number;
  readonly width: number;
  rows(seq: number): readonly Row[];
}

/** The top row of the window by content, never by a number of rows from the start: nothing above or below can move it. */
export interface Anchor {
  readonly seq: number;
  /** Row within its item at `width`. */
  readonly row: number;
  readonly width: number;
  /** The same place independent of the width, where the rows know it. */
  readonly block?: number;
  readonly at?: number;
}

export type Viewport = { readonly follow: true } | { readonly follow: false; readonly anchor: Anchor; readonly seen: Seen };

/** The newest content when following ended, to count what came since. */
interface Seen {
  readonly seq: number;
  readonly rows: number;
  readonly width: number;
}

/** Counting stops here: nobody reads further digits. */
export const MAX_COUNTED = 999;

export const FOLLOW: Viewport = { follow: true };

export interface Window {
  readonly rows: readonly Row[];
  readonly viewport: Viewport;
  /** Rows that came since following ended; 0 while following. */
  readonly newRows: number;
  /** The oldest known row is in the window. */
  readonly atTop: boolean;
  /** Items before the one at its top. */
  readonly above: number;
}

function anchorAt(source: RowSource, seq: number, row: number): Anchor {
  const line = source.rows(seq)[row];
  return {
    seq,
    row,
    width: source.width,
    ...(line?.block === undefined ? {} : { block: line.block }),
    ...(line?.at === undefined ? {} : { at: line.at }),
  };
}

/** The anchor's row in a source whose width or folding changed. */
function relocate(source: RowSource, anchor: Anchor): Anchor {
  const seq = Math.min(Math.max(anchor.seq, source.first), Math.max(source.first, source.end - 1));
  const rows = source.rows(seq);
  if (seq !== anchor.seq) return anchorAt(source, seq, 0);
  const { block, at, row, width } = anchor;
  const here = rows[row];
  if (here !== undefined && here.block === block && here.at === at)
    return width === source.width ? anchor : { ...anchor, width: source.width };
  if (block === undefined || at === undefined) return anchorAt(source, seq, Math.min(row, Math.max(0, rows.length - 1)));
  const found = Math.max(
    0,
    rows.findLastIndex((line) => isUpTo(line, block, at)),
  );
  // Keep the place itself, not the row it fell into, so that going back to the old width goes back to the old row.
  return { ...anchor, row: found, width: source.width };
}

const isUpTo = (line: Row, block: number, at: number): boolean =>
  line.block !== undefined && line.at !== undefined && (line.block < block || (line.block === block && line.at <= at));

/** The place `by` rows away (negative: up), stopping at the ends. */
function walk(source: RowSource, from: Anchor, by: number): Anchor {
  let { seq, row } = from;
  row += by;
  while (row < 0 && seq > source.first) {
    seq -= 1;
    row += source.rows(seq).length;
  }
  if (row < 0) row = 0;
  while (seq < source.end - 1 && row >= source.rows(seq).length) {
    row -= source.rows(seq).length;
    seq += 1;
  }
  return anchorAt(source, seq, Math.min(row, Math.max(0, source.rows(seq).length - 1)));
}

/** Top of the window that shows the newest rows. */
function bottomAnchor(source: RowSource, height: number): Anchor {
  let seq = source.end;
  let missing = height;
  while (seq > source.first && missing > 0) {
    seq -= 1;
    missing -= source.rows(seq).length;
  }
  return anchorAt(source, seq, Math.max(0, -missing));
}

function collect(source: RowSource, anchor: Anchor, height: number): Row[] {
  const out: Row[] = [];
  for (let seq = anchor.seq; seq < source.end && out.length < height; seq += 1) {
    const rows = source.rows(seq);
    const from = seq === anchor.seq ? anchor.row : 0;
    for (let index = from; index < rows.length && out.length < height; index += 1) {
      const line = rows[index];
      if (line !== undefined) out.push(line);
    }
  }
  return out;
}

const isBefore = (left: Anchor, right: Anchor): boolean => left.seq < right.seq || (left.seq === right.seq && left.row < right.row);

/** The rows to show. Costs the visible rows, whatever the length of the transcript. */
export function look(source: RowSource, viewport: Viewport, height: number): Window {
  const bottom = bottomAnchor(source, height);
  if (viewport.follow) return windowAt(source, bottom, height, FOLLOW);
  const anchor = relocate(source, viewport.anchor);
  const seen =
    viewport.seen.width === source.width
      ? viewport.seen
      : { ...viewport.seen, width: source.width, rows: source.rows(viewport.seen.seq).length };
  // A taller window or folded output may leave fewer rows than fit: show the newest then, but go on holding the place.
  const top = isBefore(bottom, anchor) ? bottom : anchor;
  return windowAt(source, top, height, { follow: false, anchor, seen });
}

function windowAt(source: RowSource, top: Anchor, height: number, viewport: Viewport): Window {
  return {
    rows: collect(source, top, height),
    viewport,
    newRows: viewport.follow ? 0 : countNew(source, viewport.seen),
    atTop: top.seq <= source.first && top.row === 0,
    above: Math.max(0, top.seq - source.first),
  };
}

function countNew(source: RowSource, seen: Seen): number {
  let count = Math.max(0, source.rows(seen.seq).length - seen.rows);
  for (let seq = seen.seq + 1; seq < source.end && count <= MAX_COUNTED; seq += 1) count += source.rows(seq).length;
  return count;
}

function hold(source: RowSource, viewport: Viewport, anchor: Anchor): Viewport {
  if (!viewport.follow) return { ...viewport, anchor };
  const seq = Math.max(source.first, source.end - 1);
  return { follow: false, anchor, seen: { seq, rows: source.rows(seq).length, width: source.width } };
}

/** Scrolls by rows (negative: up). Reaching the newest row follows it again. */
export function scroll(source: RowSource, viewport: Viewport, height: number, by: number): Viewport {
  if (source.end === source.first || by === 0) return viewport;
  const bottom = bottomAnchor(source, height);
  const held = viewport.follow ? bottom : relocate(source, viewport.anchor);
  const from = isBefore(bottom, held) ? bottom : held;
  const to = walk(source, from, by);
  if (!isBefore(to, bottom)) return by > 0 ? FOLLOW : viewport;
  return hold(source, viewport, to);
}

/** Puts the first row of an item at the top of the window. */
export function scrollTo(source: RowSource, viewport: Viewport, height: number, seq: number): Viewport {
  const rows = source.rows(seq);
  const lead = rows[0]?.spans.length === 0 && rows.length > 1 ? 1 : 0;
  const to = anchorAt(source, seq, lead);
  return isBefore(to, bottomAnchor(source, height)) ? hold(source, viewport, to) : FOLLOW;
}

/** The number of the item at the top of the window. */
export function topSeq(source: RowSource, viewport: Viewport, height: number): number {
  return viewport.follow ? bottomAnchor(source, height).seq : relocate(source, viewport.anchor).seq;
}
