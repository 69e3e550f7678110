/** The lines of a text by number, without a copy of each. */
export interface LineIndex {
  readonly count: number;
  /** Where line `index` (from 0) begins; the length of the text for the one after the last. */
  startOf(index: number): number;
  /** Without its line feed. */
  textOf(index: number): string;
  /** Whether a line feed ends it; only the last may have none. */
  hasEnd(index: number): boolean;
}

export function indexLines(text: string): LineIndex {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  const isEnded = text === "" || text.endsWith("\n");
  const total = isEnded ? count : count + 1;
  const starts = new Float64Array(total + 1);
  for (let at = text.indexOf("\n"), index = 1; at >= 0; at = text.indexOf("\n", at + 1), index += 1) starts[index] = at + 1;
  starts[total] = text.length;
  const hasEnd = (index: number): boolean => isEnded || index < total - 1;
  const startOf = (index: number): number => starts[index] ?? text.length;
  return { count: total, startOf, hasEnd, textOf: (index) => text.slice(startOf(index), startOf(index + 1) - (hasEnd(index) ? 1 : 0)) };
}
