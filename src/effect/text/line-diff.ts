/** A run of lines that became another: indices into the two lists, ends exclusive. */
export interface LineChange {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** Lines gone and come in one stretch that are compared in the shortest way; more are first parted at lines found once in each. */
const MAX_DISTANCE = 256;
/** Steps of all comparisons of one call; what is left then counts as replaced as a whole. By count, not time, so that it comes out the same again. */
const MAX_STEPS = 4_000_000;
/** Lines of a side beyond which nothing is compared. */
const MAX_LINES = 400_000;

interface Work {
  readonly a: Int32Array;
  readonly b: Int32Array;
  steps: number;
}

/**
 * What changed between two lists of lines, in order and never touching each other. The shortest change where that is near; where it
 * is far, lines that both have exactly once hold it together, and a stretch without any is replaced whole. Always right, not always
 * the shortest; time and memory are bounded.
 */
export function lineChanges(before: readonly string[], after: readonly string[]): readonly LineChange[] {
  const whole: LineChange = { oldStart: 0, oldEnd: before.length, newStart: 0, newEnd: after.length };
  if (before.length + after.length > MAX_LINES) return isEmpty(whole) ? [] : [whole];
  const numbers = new Map<string, number>();
  const numbered = (lines: readonly string[]): Int32Array =>
    Int32Array.from(lines, (line) => {
      const known = numbers.get(line) ?? numbers.size;
      numbers.set(line, known);
      return known;
    });
  const work: Work = { a: numbered(before), b: numbered(after), steps: MAX_STEPS };
  const changes: LineChange[] = [];
  // A stack in place of recursion: the last one is the first in the text.
  const open: LineChange[] = [whole];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const stretch = trimmed(next, work);
    if (isEmpty(stretch)) continue;
    const near = isOneSided(stretch) ? [stretch] : shortest(stretch, work);
    if (near !== undefined) {
      for (const change of near) push(changes, change);
      continue;
    }
    const parts = partedAtAnchors(stretch, work);
    if (parts.length === 0) push(changes, stretch);
    else open.push(...parts.toReversed());
  }
  return changes;
}

const isEmpty = ({ oldStart, oldEnd, newStart, newEnd }: LineChange): boolean => oldStart === oldEnd && newStart === newEnd;
const isOneSided = ({ oldStart, oldEnd, newStart, newEnd }: LineChange): boolean => oldStart === oldEnd || newStart === newEnd;

/** Adds a change; one that begins where the last ended is the same change. */
function push(changes: LineChange[], change: LineChange): void {
  const last = changes.at(-1);
  if (last?.oldEnd !== change.oldStart || last.newEnd !== change.newStart) {
    changes.push(change);
    return;
  }
  changes[changes.length - 1] = { ...last, oldEnd: change.oldEnd, newEnd: change.newEnd };
}

function trimmed({ oldStart, oldEnd, newStart, newEnd }: LineChange, { a, b }: Work): LineChange {
  let head = 0;
  const most = Math.min(oldEnd - oldStart, newEnd - newStart);
  while (head < most && a[oldStart + head] === b[newStart + head]) head += 1;
  let tail = 0;
  while (tail < most - head && a[oldEnd - 1 - tail] === b[newEnd - 1 - tail]) tail += 1;
  return { oldStart: oldStart + head, oldEnd: oldEnd - tail, newStart: newStart + head, newEnd: newEnd - tail };
}

/** The shortest change of a stretch by Myers' greedy search; undefined when it is longer than the bounds. */
function shortest(stretch: LineChange, work: Work): readonly LineChange[] | undefined {
  const n = stretch.oldEnd - stretch.oldStart;
  const m = stretch.newEnd - stretch.newStart;
  const bound = Math.min(n + m, MAX_DISTANCE);
  const reach = new Int32Array(2 * bound + 3);
  const trail: Int32Array[] = [];
  for (let distance = 0; distance <= bound; distance += 1) {
    if (work.steps <= 0) return undefined;
    trail.push(reach.slice(bound - distance, bound + distance + 3));
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      const x = advance(stretch, work, { from: startOn(reach, bound + 1, diagonal, distance), diagonal });
      reach[bound + 1 + diagonal] = x;
      if (x >= n && x - diagonal >= m) return traced(stretch, trail, distance);
    }
  }
  return undefined;
}

/** Where the path on a diagonal begins: one down from the diagonal above, or one right from the one below, whichever is further. */
function startOn(reach: Int32Array, zero: number, diagonal: number, distance: number): number {
  if (distance === 0) return 0;
  const down = reach[zero + diagonal + 1] ?? 0;
  const right = (reach[zero + diagonal - 1] ?? 0) + 1;
  const isDown = diagonal === -distance || (diagonal !== distance && right - 1 < down);
  return isDown ? down : right;
}

function advance(stretch: LineChange, work: Work, { from, diagonal }: { readonly from: number; readonly diagonal: number }): number {
  const n = stretch.oldEnd - stretch.oldStart;
  const m = stretch.newEnd - stretch.newStart;
  let x = from;
  let y = x - diagonal;
  while (x < n && y < m && work.a[stretch.oldStart + x] === work.b[stretch.newStart + y]) {
    x += 1;
    y += 1;
  }
  work.steps -= x - from + 1;
  return x;
}

/** Walks the trail of the search back from its end. */
function traced({ oldStart, newStart, oldEnd, newEnd }: LineChange, trail: readonly Int32Array[], distance: number): LineChange[] {
  const steps: LineChange[] = [];
  let x = oldEnd - oldStart;
  let y = newEnd - newStart;
  for (let d = distance; d > 0; d -= 1) {
    // Diagonal k of the round before lies at k + d + 1 of its window.
    const former = trail[d] ?? new Int32Array(0);
    const diagonal = x - y;
    const down = former[diagonal + 1 + d + 1] ?? 0;
    const right = former[diagonal - 1 + d + 1] ?? 0;
    const isDown = diagonal === -d || (diagonal !== d && right < down);
    const fromX = isDown ? down : right;
    const fromY = fromX - (isDown ? diagonal + 1 : diagonal - 1);
    const atX = oldStart + fromX;
    const atY = newStart + fromY;
    steps.push({ oldStart: atX, oldEnd: isDown ? atX : atX + 1, newStart: atY, newEnd: isDown ? atY + 1 : atY });
    x = fromX;
    y = fromY;
  }
  const changes: LineChange[] = [];
  for (const step of steps.toReversed()) push(changes, step);
  return changes;
}

/** The stretches between lines that both sides have once, in the longest order they share; empty when there is no such line. */
function partedAtAnchors(stretch: LineChange, work: Work): readonly LineChange[] {
  const size = stretch.oldEnd - stretch.oldStart + stretch.newEnd - stretch.newStart;
  if (work.steps <= size) return [];
  work.steps -= size;
  const anchors = longestRising(uniquePairs(stretch, work));
  const parts: LineChange[] = [];
  let { oldStart, newStart } = stretch;
  for (const { x, y } of anchors) {
    parts.push({ oldStart, oldEnd: x, newStart, newEnd: y });
    oldStart = x + 1;
    newStart = y + 1;
  }
  return anchors.length === 0 ? [] : [...parts, { ...stretch, oldStart, newStart }];
}

interface Pair {
  readonly x: number;
  readonly y: number;
}

/** Lines found once on either side, by their place on the old one. */
function uniquePairs({ oldStart, oldEnd, newStart, newEnd }: LineChange, { a, b }: Work): readonly Pair[] {
  const onceIn = (lines: Int32Array, start: number, end: number): ReadonlyMap<number, number> => {
    const places = new Map<number, number>();
    for (let at = start; at < end; at += 1) {
      const line = lines[at] ?? -1;
      places.set(line, places.has(line) ? -1 : at);
    }
    return places;
  };
  const old = onceIn(a, oldStart, oldEnd);
  const fresh = onceIn(b, newStart, newEnd);
  const pairs: Pair[] = [];
  for (const [line, x] of old) {
    const y = fresh.get(line) ?? -1;
    if (x >= 0 && y >= 0) pairs.push({ x, y });
  }
  return pairs.toSorted((left, right) => left.x - right.x);
}

/** The longest run of pairs whose second number rises. */
function longestRising(pairs: readonly Pair[]): readonly Pair[] {
  const ends: number[] = [];
  const before: number[] = [];
  for (const [index, { y }] of pairs.entries()) {
    const low = firstNotBelow(ends, pairs, y);
    before.push(low === 0 ? -1 : (ends[low - 1] ?? -1));
    ends[low] = index;
  }
  const run: Pair[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) {
    const pair = pairs[at];
    if (pair !== undefined) run.push(pair);
  }
  return run.toReversed();
}

function firstNotBelow(ends: readonly number[], pairs: readonly Pair[], y: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pairs[ends[middle] ?? 0]?.y ?? 0) < y) low = middle + 1;
    else high = middle;
  }
  return low;
}
