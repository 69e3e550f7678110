/** One character of a pattern: itself, `?` for any one, `*` for any run. */
type Piece = { readonly type: "one"; readonly character: string } | { readonly type: "any-one" } | { readonly type: "any-run" };

/** A backslash takes the character after it as it is. */
function pieces(pattern: string): readonly Piece[] {
  const found: Piece[] = [];
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern.charAt(index);
    if (character === "*") {
      if (found.at(-1)?.type !== "any-run") found.push({ type: "any-run" });
    } else if (character === "?") found.push({ type: "any-one" });
    else if (character === "\\" && index + 1 < pattern.length) {
      index += 1;
      found.push({ type: "one", character: pattern.charAt(index) });
    } else found.push({ type: "one", character });
  }
  return found;
}

/** Whether a pattern describes the whole text. Time grows with the product of both lengths at worst, never faster. */
export function matchesText(pattern: string, text: string): boolean {
  const parts = pieces(pattern);
  let part = 0;
  let at = 0;
  let retryPart = -1;
  let retryAt = 0;
  while (at < text.length) {
    const piece = parts[part];
    if (piece?.type === "any-run") {
      retryPart = part;
      retryAt = at;
      part += 1;
    } else if (piece !== undefined && (piece.type === "any-one" || piece.character === text.charAt(at))) {
      part += 1;
      at += 1;
    } else if (retryPart >= 0) {
      retryAt += 1;
      at = retryAt;
      part = retryPart + 1;
    } else return false;
  }
  while (parts[part]?.type === "any-run") part += 1;
  return part === parts.length;
}

/** The same for paths: `*` and `?` stay within a segment, `**` as a whole segment is any number of them, none included. */
export function matchesSegments(pattern: string, path: string): boolean {
  const parts = pattern.split("/");
  const segments = path.split("/");
  let part = 0;
  let at = 0;
  let retryPart = -1;
  let retryAt = 0;
  while (at < segments.length) {
    const piece = parts[part];
    if (piece === "**") {
      retryPart = part;
      retryAt = at;
      part += 1;
    } else if (piece !== undefined && matchesText(piece, segments[at] ?? "")) {
      part += 1;
      at += 1;
    } else if (retryPart >= 0) {
      retryAt += 1;
      at = retryAt;
      part = retryPart + 1;
    } else return false;
  }
  while (parts[part] === "**") part += 1;
  return part === parts.length;
}

/** The pattern that describes exactly this text. */
export const literally = (text: string): string => text.replace(/[\\*?]/gu, "\\$&");
