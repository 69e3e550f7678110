import { lstatSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Real path of the project a folder is in: inside a repository (a folder with `.git`) the nearest folder upwards with `.smith`, else the
 * repository's root; outside of one the folder itself, since a `.smith` further up may be anybody's. What a project says counts from
 * there alone, so that what is trusted is what is used. Undefined where there is no such folder. Looks at names only, and
 * synchronously: it is on the way to every prompt.
 */
export async function findProjectRoot(cwd: string): Promise<string | undefined> {
  let real: string;
  try {
    real = await realpath(cwd);
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
  let nearest: string | undefined;
  for (let folder = real; ; folder = dirname(folder)) {
    if (isThere(join(folder, ".smith"))) nearest ??= folder;
    if (isThere(join(folder, ".git"))) return nearest ?? folder;
    if (dirname(folder) === folder) return real;
  }
}

/** Of a name that cannot be looked at nothing is known, so it counts as not there. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}
