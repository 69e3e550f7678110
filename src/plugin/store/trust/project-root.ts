import { lstatSync, type Stats } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Real path of the project a folder is in: the nearest folder upwards with `.smith` or `.git`, else the folder itself. Undefined where
 * there is no such folder. Looks at names only, and synchronously: it is on the way to every prompt.
 */
export async function findProjectRoot(cwd: string): Promise<string | undefined> {
  let real: string;
  try {
    real = await realpath(cwd);
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
  for (let folder = real; ; folder = dirname(folder)) {
    if (isThere(join(folder, ".smith")) || isThere(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return real;
  }
}

const isThere = (path: string): boolean => look(path) !== undefined;

/** What a name is, no link followed; undefined where there is nothing, or nothing that can be looked at. */
export function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}
