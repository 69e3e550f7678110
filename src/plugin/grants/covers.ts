import type { GrantRoot, NetGrant } from "../../effect/index.js";

/** Methods of a grant that names none. */
export const READING_METHODS: readonly string[] = ["GET", "HEAD"];

export const methodsOf = ({ methods }: NetGrant): readonly string[] => (methods.length === 0 ? READING_METHODS : methods);

/**
 * Whether every word that fits `narrow` fits `wide`, where `*` stands for any text. A `*` in `narrow` can be anything, so only one of
 * `wide` covers it. Linear in the product of both lengths whatever they are.
 */
export function patternCovers(wide: string, narrow: string): boolean {
  let [at, from] = [0, 0];
  let [star, taken] = [-1, 0];
  while (from < narrow.length) {
    if (wide[at] === "*") {
      [star, taken] = [at, from];
      at += 1;
    } else if (wide[at] === narrow[from]) {
      at += 1;
      from += 1;
    } else if (star >= 0) {
      taken += 1;
      [at, from] = [star + 1, taken];
    } else return false;
  }
  while (wide[at] === "*") at += 1;
  return at === wide.length;
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
