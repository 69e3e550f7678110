import { lstat, readlink, realpath } from "node:fs/promises";
import { dirname, resolve } from "node:path";

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

/** More links than this on the way to a file are a ring of them. */
const MAX_LINKS = 40;

/**
 * Where a file really is or would be made: a link is followed, also one to a file that is not there yet, so that it stays a link.
 * Rejects with the system's error.
 */
export async function realPlace(path: string): Promise<string> {
  let place = path;
  for (let links = 0; links < MAX_LINKS; links += 1) {
    try {
      return await realpath(place);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
    }
    if (!(await isLink(place))) return place;
    place = resolve(dirname(place), await readlink(place));
  }
  throw Object.assign(new Error(`ELOOP: too many links, ${path}`), { code: "ELOOP" });
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}
