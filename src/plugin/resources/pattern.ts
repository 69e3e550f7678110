import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Folders that are listed at each step of a pattern, and paths that come out of it. */
const MAX_LISTINGS = 256;
const MAX_PATHS = 5_000;

/**
 * Paths below `base` that fit the pattern, in order. Only folders that a `*` stands for are listed; whether a path without one is there
 * is not looked at. Patterns that lead out of `base` fit nothing.
 */
export async function expandPattern(base: string, pattern: string): Promise<readonly string[]> {
  const segments = pattern.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.length === 0 || segments.includes("..")) return [];
  let paths: readonly string[] = [base];
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    if (!segment.includes("*")) paths = paths.map((path) => join(path, segment));
    else
      paths = (await Promise.all(paths.slice(0, MAX_LISTINGS).map((path) => listFitting(path, segment, isLast))))
        .flat()
        .slice(0, MAX_PATHS);
  }
  return paths;
}

async function listFitting(folder: string, segment: string, isLast: boolean): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => (isLast || entry.isDirectory() || entry.isSymbolicLink()) && fits(entry.name, segment))
      .map(({ name }) => name)
      .sort()
      .slice(0, MAX_PATHS)
      .map((name) => join(folder, name));
  } catch {
    // Not there, or not for us to see: then there is nothing to collect.
    return [];
  }
}

/** Whether a name fits a segment, `*` standing for any part of it. Hidden names fit only segments that begin with a dot. Linear. */
export function fits(name: string, segment: string): boolean {
  if (name.startsWith(".") && !segment.startsWith(".")) return false;
  const [first = "", ...rest] = segment.split("*");
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
