/** A part of one text that became a part of another; ends exclusive. Lists of spans are in order and do not touch. */
export interface Span {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** `first` leads from one text to a second, `then` from that to a third: the spans from the first text to the third. */
export function composeSpans(first: readonly Span[], then: readonly Span[]): readonly Span[] {
  if (first.length === 0) return then;
  const spans: Span[] = [];
  let at: Reach = { end: 0, i: 0, j: 0, grownFirst: 0, grownThen: 0 };
  while (at.i < first.length || at.j < then.length) {
    const start = Math.min(first[at.i]?.newStart ?? Number.POSITIVE_INFINITY, then[at.j]?.oldStart ?? Number.POSITIVE_INFINITY);
    const begin = { oldStart: start - at.grownFirst, newStart: start + at.grownThen };
    at = reachFrom({ ...at, end: start }, first, then);
    spans.push({ ...begin, oldEnd: at.end - at.grownFirst, newEnd: at.end + at.grownThen });
  }
  return spans;
}

interface Reach {
  /** In the second text. */
  readonly end: number;
  readonly i: number;
  readonly j: number;
  /** How much longer the second text is than the first up to here, and the third than the second. */
  readonly grownFirst: number;
  readonly grownThen: number;
}

/** Takes in all spans of either list that touch what was reached. */
function reachFrom(from: Reach, first: readonly Span[], then: readonly Span[]): Reach {
  let { end, i, j, grownFirst, grownThen } = from;
  for (;;) {
    const a = first[i];
    const b = then[j];
    if (a !== undefined && a.newStart <= end) {
      end = Math.max(end, a.newEnd);
      grownFirst += growth(a);
      i += 1;
    } else if (b !== undefined && b.oldStart <= end) {
      end = Math.max(end, b.oldEnd);
      grownThen += growth(b);
      j += 1;
    } else return { end, i, j, grownFirst, grownThen };
  }
}

const growth = ({ oldStart, oldEnd, newStart, newEnd }: Span): number => newEnd - newStart - (oldEnd - oldStart);

/** The one span outside of which two texts are the same; none when they are the same. */
export function spanBetween(before: string, after: string): readonly Span[] {
  if (before === after) return [];
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before.charCodeAt(head) === after.charCodeAt(head)) head += 1;
  let tail = 0;
  while (tail < most - head && before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)) tail += 1;
  return [{ oldStart: head, oldEnd: before.length - tail, newStart: head, newEnd: after.length - tail }];
}
