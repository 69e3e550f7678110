export type TextMatcher = (text: string) => boolean;

/** What stands between the `*` of a pattern: characters, of which an absent one is any. */
interface Chunk {
  readonly length: number;
  readonly characters: readonly (string | undefined)[];
  /** All of it, where none is any. */
  readonly literal: string | undefined;
}

/** A backslash takes the character after it as it is. */
function chunksOf(pattern: string): readonly Chunk[] {
  const chunks: (string | undefined)[][] = [[]];
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern.charAt(index);
    if (character === "*") {
      chunks.push([]);
      continue;
    }
    const isEscape = character === "\\" && index + 1 < pattern.length;
    if (isEscape) index += 1;
    chunks.at(-1)?.push(character === "?" ? undefined : pattern.charAt(index));
  }
  return chunks.map((characters) => ({
    length: characters.length,
    characters,
    literal: characters.includes(undefined) ? undefined : characters.join(""),
  }));
}

const isAt = ({ literal, characters }: Chunk, text: string, at: number): boolean =>
  literal === undefined
    ? at + characters.length <= text.length && characters.every((one, index) => one === undefined || one === text.charAt(at + index))
    : text.startsWith(literal, at);

function find(chunk: Chunk, text: string, from: number): number {
  if (chunk.literal !== undefined) return text.indexOf(chunk.literal, from);
  for (let at = from; at + chunk.length <= text.length; at += 1) if (isAt(chunk, text, at)) return at;
  return -1;
}

/**
 * Whether a text is what a pattern describes as a whole: `*` any run of characters, `?` any one. Time grows with the product of both
 * lengths at worst, never faster.
 */
export function textMatcher(pattern: string): TextMatcher {
  const chunks = chunksOf(pattern);
  const [first, ...rest] = chunks;
  const last = rest.pop();
  if (first === undefined) return (text) => text === "";
  if (last === undefined) return (text) => text.length === first.length && isAt(first, text, 0);
  return (text) => {
    if (!isAt(first, text, 0)) return false;
    let at = first.length;
    for (const chunk of rest) {
      const found = find(chunk, text, at);
      if (found < 0) return false;
      at = found + chunk.length;
    }
    return text.length - last.length >= at && isAt(last, text, text.length - last.length);
  };
}

/** The same for paths: `*` and `?` stay within a segment, `**` as a whole segment is any number of them, none included. */
export function segmentsMatcher(pattern: string): TextMatcher {
  const parts = pattern.split("/").map((part) => (part === "**" ? part : textMatcher(part)));
  return (path) => matchSegments(parts, path.split("/"));
}

function matchSegments(parts: readonly ("**" | TextMatcher)[], segments: readonly string[]): boolean {
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
    } else if (piece?.(segments[at] ?? "") === true) {
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
