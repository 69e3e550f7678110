import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { isMissing } from "../tree.js";

/** A person has a few plugins; more folders than this are something else. */
const MAX_FOLDERS = 500;

/** Names of the folders in `dir` in order, but of hidden ones; none where there is no such folder. `links`: those that may lead to one, too. */
export async function foldersIn(dir: string, { links }: { readonly links: boolean }): Promise<readonly string[]> {
  let entries: readonly Dirent[];
  try {
    entries = await readdir(dir, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    // One that may not be read holds nothing for this user.
    if (error instanceof Error && "code" in error) return [];
    throw error;
  }
  const folders = entries.filter((entry) => !entry.name.startsWith(".") && (entry.isDirectory() || (links && entry.isSymbolicLink())));
  return folders
    .map(({ name }) => name)
    .sort()
    .slice(0, MAX_FOLDERS);
}
