/** Edits (insert, delete, replace, swap of neighbours) between two words; cheap for words, not meant for texts. */
export function editDistance(left: string, right: string): number {
  const rows = [Array.from({ length: right.length + 1 }, (_, index) => index)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= left.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = at(i - 1, j - 1) + (left[i - 1] === right[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, isSwap ? at(i - 2, j - 2) + 1 : replaced));
    }
  }
  return at(left.length, right.length);
}

/** Longest word that is compared: nobody mistypes one longer than this, and the comparison is quadratic. */
const MAX_WORD = 64;

/**
 * The candidate a person most likely meant by `word`, or undefined when none is near (a third of the letters may differ).
 * Of two equally near ones it is the one of the more similar length, as letters are swapped more often than forgotten.
 */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > MAX_WORD) return undefined;
  const near = candidates
    .map((name) => ({ name, distance: editDistance(word.toLowerCase(), name.toLowerCase()), longer: Math.abs(name.length - word.length) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(Math.max(word.length, name.length) / 3)))
    .sort((left, right) => left.distance - right.distance || left.longer - right.longer);
  return near[0]?.name;
}
