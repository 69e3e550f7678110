/** The first `units` UTF-16 units, never half a character, with `mark` for the rest. */
export function clip(text: string, units: number, mark = "…"): string {
  if (text.length <= units) return text;
  return `${text.slice(0, Math.max(0, units - mark.length)).replace(/[\uD800-\uDBFF]$/u, "")}${mark}`;
}

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** On one line, however it was written. */
export const oneLine = (text: string): string => text.replace(/\s+/gu, " ").trim();

export function byteWords(bytes: number): string {
  if (bytes < 1024) return plural(bytes, "byte");
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / (1024 * 1024)).toFixed(1)} MiB`;
}

/** A few names, and how many there are beside them. */
export function someNames(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most).join(", ");
  return names.length <= most ? shown : `${shown} and ${names.length - most} more`;
}
