const MAX_NAME_LENGTH = 512;
const MAX_SEGMENT_LENGTH = 200;
const MAX_DEPTH = 16;

/** What two names have in common where a file system does not tell case, or the composition of letters, apart. */
export const foldName = (name: string): string => name.normalize("NFC").toLowerCase();

/**
 * Why a file of a package cannot have this name, which is relative with `/` between its parts; undefined when it can. What passes
 * stays below the folder it is written into, on every system, and is one line of text.
 */
export function nameProblem(name: string): string | undefined {
  if (name === "") return "it is empty";
  if (name.length > MAX_NAME_LENGTH) return `it is longer than ${String(MAX_NAME_LENGTH)} characters`;
  if (name.startsWith("/")) return "it is absolute";
  // A colon makes a drive or a stream of a file on Windows, a backslash separates folders there.
  if (/[\\:]/u.test(name)) return "it holds a backslash or a colon";
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\ufffd]/u.test(name)) return "it holds invisible characters or is not UTF-8";
  const parts = name.split("/");
  if (parts.length > MAX_DEPTH) return `it is more than ${String(MAX_DEPTH)} folders deep`;
  return parts.map(partProblem).find((problem) => problem !== undefined);
}

function partProblem(part: string): string | undefined {
  if (part === "" || part === "." || part === "..") return 'it has an empty part, "." or ".."';
  if (part.length > MAX_SEGMENT_LENGTH) return `a part of it is longer than ${String(MAX_SEGMENT_LENGTH)} characters`;
  return /[ .]$/u.test(part) ? "a part of it ends in a space or a dot" : undefined;
}

/**
 * Text of a stranger as a part of a sentence: one line, at most `max` characters, everything that could hide or move text spelled
 * out as `\u{…}`.
 */
export function plainWords(text: string, max = 120): string {
  const shown = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
  return shown.length <= max ? shown : `${shown.slice(0, max - 1)}…`;
}
