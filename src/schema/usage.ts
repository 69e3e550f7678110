/** Token counts of one response. A missing field is unknown, never 0. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

/** Sum that keeps unknown unknown: a field is present only when every observation that should have it does. */
export function addUsage(left: Usage | undefined, right: Usage | undefined): Usage | undefined {
  if (left === undefined) return right;
  if (right === undefined) return left;
  const sum: { -readonly [Key in keyof Usage]: Usage[Key] } = {};
  for (const key of ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"] as const) {
    const a = left[key];
    const b = right[key];
    if (a !== undefined || b !== undefined) sum[key] = (a ?? 0) + (b ?? 0);
  }
  return sum;
}
