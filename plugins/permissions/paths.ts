import { segmentsMatcher } from "./glob.js";

/** A path as a call names it, in the forms rules can speak of. */
export interface NamedPath {
  readonly absolute: string;
  /** From the workspace; absent when it is outside. `.` for the workspace itself. */
  readonly relative?: string;
}

const ESCAPE = /\\(?:([\\nrt])|x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]{1,6})\})/gu;
const NAMED: Readonly<Record<string, string>> = { "\\": "\\", n: "\n", r: "\r", t: "\t" };

/**
 * File tools read names in the form they show them, in which a name that cannot be printed is escaped. `\x2eenv` is `.env` to them,
 * and so it has to be here.
 */
function unescaped(text: string): string {
  let encoded = "";
  let from = 0;
  const plain = (part: string): string => part.replace(/%/gu, "%25");
  for (const match of text.matchAll(ESCAPE)) {
    const [whole, named, byte, point] = match;
    const code = point === undefined ? 0 : Number.parseInt(point, 16);
    encoded += plain(text.slice(from, match.index));
    if (named !== undefined) encoded += NAMED[named] ?? "";
    else if (byte !== undefined) encoded += `%${byte}`;
    else encoded += code > 0x10ffff ? whole : plain(String.fromCodePoint(code));
    from = match.index + whole.length;
  }
  encoded += plain(text.slice(from));
  try {
    return decodeURIComponent(encoded);
  } catch {
    // Bytes that are no UTF-8: no rule can spell them, so the rest of the name has to do.
    return encoded.replace(/%([0-9a-fA-F]{2})/gu, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
}

/** UTF-16 units of a path that can be one: longer ones no system opens. */
const MAX_PATH = 8_192;

/** Resolves `.`, `..` and repeated slashes by spelling, as the file tools do. */
export function resolvePath(cwd: string, path: string): string {
  const segments: string[] = [];
  for (const segment of (path.startsWith("/") ? path : `${cwd}/${path}`).split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}

/** Every reading of a path in a call's arguments: as it is, and as the file tools read it. */
export function readings(cwd: string, given: string): readonly NamedPath[] {
  const bare = given.replace(/^file:\/\//u, "");
  return [...new Set([bare, unescaped(bare)])].map((text) => namedPath(cwd, text));
}

export function namedPath(cwd: string, given: string): NamedPath {
  const absolute = resolvePath(cwd, given).normalize("NFC");
  const root = resolvePath("/", cwd).normalize("NFC");
  if (absolute === root) return { absolute, relative: "." };
  const prefix = root === "/" ? "/" : `${root}/`;
  return absolute.startsWith(prefix) ? { absolute, relative: absolute.slice(prefix.length) } : { absolute };
}

/**
 * Patterns are relative to the workspace unless they begin with `/`. One without a slash is a name in any folder; `./name` is the one
 * in the workspace itself; one that ends with a slash is all that is in a folder.
 */
function anchored(pattern: string): { readonly pattern: string; readonly isAnywhere: boolean } {
  const open = pattern.endsWith("/") ? `${pattern}**` : pattern;
  if (open.startsWith("./")) return { pattern: open.slice(2), isAnywhere: false };
  if (open.startsWith("**/")) return { pattern: open, isAnywhere: true };
  return open.includes("/") ? { pattern: open, isAnywhere: false } : { pattern: `**/${open}`, isAnywhere: true };
}

export type PathMatcher = (path: NamedPath) => boolean;

/** Whether a rule that allows is about a path: exactly as it is spelled, and outside of the workspace only by an absolute pattern. */
export function allowedPath(given: string): PathMatcher {
  const { pattern } = anchored(given.normalize("NFC"));
  const matches = segmentsMatcher(pattern);
  if (pattern.startsWith("/")) return ({ absolute }) => matches(absolute);
  return ({ relative }) => relative !== undefined && matches(relative);
}

/**
 * Whether a rule that denies or asks is about a path: also in other capitals, as some file systems take them for the same, and also
 * for what is in a folder it is about.
 */
export function heldPath(given: string): PathMatcher {
  const { pattern, isAnywhere } = anchored(given.normalize("NFC").toLowerCase());
  const common = commonPart(pattern);
  let made: ((path: string) => boolean) | undefined;
  const matches = (path: string): boolean => (made ??= segmentsMatcher(pattern))(path);
  const isAbsolute = pattern.startsWith("/");
  return ({ absolute, relative }) => {
    const named = isAbsolute ? absolute : (relative ?? (isAnywhere ? absolute.slice(1) : undefined));
    const small = named?.toLowerCase() ?? "";
    return named !== undefined && named.length <= MAX_PATH && small.includes(common) && foldersAndSelf(small).some(matches);
  };
}

/** A text that every path a pattern is about has in it, in small letters; empty when there is none. */
export const commonPart = (given: string): string =>
  given
    .toLowerCase()
    .split(/[/*?\\]+/u)
    .reduce((longest, part) => (part.length > longest.length ? part : longest), "");

/** `a/b/c`, `a/b`, `a`. */
function foldersAndSelf(path: string): readonly string[] {
  const found = [path];
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) found.push(path.slice(0, at));
  return found;
}
