/** Whether lists and objects are nested in each other in more levels than these. Takes no stack. */
export function isDeeper(value: unknown, levels: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((one): readonly unknown[] => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return false;
}
