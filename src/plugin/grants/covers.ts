import { fitsPattern } from "../../base/index.js";
import type { GrantRoot, NetGrant } from "../../effect/index.js";

/** Methods of a grant that names none. */
export const READING_METHODS: readonly string[] = ["GET", "HEAD"];

export const methodsOf = ({ methods }: NetGrant): readonly string[] => (methods.length === 0 ? READING_METHODS : methods);

/** Whether every text that fits `narrow` fits `wide`. A `*` in `narrow` can be anything, so only one of `wide` covers it. */
export const patternCovers = (wide: string, narrow: string): boolean => fitsPattern(wide, narrow);

/**
 * The same of programs. `*` alone is any command line; a program that is granted without words may be followed by any; a name without
 * a slash is none of a file.
 */
export function programCovers(wide: string, narrow: string): boolean {
  if (wide === "*") return true;
  const [program, words] = split(wide);
  const [narrowProgram, narrowWords] = split(narrow);
  if (program.includes("/") !== narrowProgram.includes("/") || !patternCovers(program, narrowProgram)) return false;
  return words === "" || (narrowWords !== "" && patternCovers(words, narrowWords));
}

function split(pattern: string): readonly [program: string, words: string] {
  const [program = "", ...words] = pattern.split(" ");
  return [program, words.join(" ")];
}

/** Absolute paths are compared as they are written; a manifest's have no dots in them. */
export function rootCovers(wide: GrantRoot, narrow: GrantRoot): boolean {
  if (wide === "anywhere") return true;
  if (typeof wide === "string" || typeof narrow === "string") return wide === narrow;
  return narrow.path === wide.path || narrow.path.startsWith(`${wide.path}/`);
}

const HOST_PATTERN = /^(https?:\/\/)(\*\.)?(.+)$/u;

/** `https://*.example.com` covers every name below the host, at any depth, and not the host itself. */
export function originCovers(wide: string, narrow: string): boolean {
  if (wide === "*" || wide === narrow) return true;
  const [, scheme, anyHost, rest = ""] = HOST_PATTERN.exec(wide) ?? [];
  return scheme !== undefined && anyHost !== undefined && narrow.startsWith(scheme) && narrow.slice(scheme.length).endsWith(`.${rest}`);
}

/** Whether one grant lets this method through to this origin. */
export const netCovers = (wide: NetGrant, narrow: NetGrant, method: string): boolean =>
  originCovers(wide.origin, narrow.origin) && methodsOf(wide).includes(method) && (wide.private || !narrow.private);
