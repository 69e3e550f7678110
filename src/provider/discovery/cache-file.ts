import { lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Folders in which a file is made before it takes its place. */
const FRESH = ".models-";
/** One that is older was left by somebody who never came back. */
const ABANDONED_MS = 60 * 60 * 1000;

/** The text of a regular file of at most `maxBytes`; why there is none. A file that is not there is `absent`. */
export async function readBounded(path: string, maxBytes: number): Promise<{ readonly text: string } | { readonly problem: string }> {
  try {
    const found = await lstat(path);
    if (!found.isFile()) return { problem: "it is not a regular file" };
    if (found.size > maxBytes) return { problem: `it has ${String(found.size)} bytes, more than ${String(maxBytes)}` };
    return { text: await readFile(path, "utf8") };
  } catch (error) {
    return { problem: isAbsent(error) ? "absent" : reasonOf(error) };
  }
}

/**
 * Puts a file in its place whole, readable by its owner alone; whether it did: not when `signal` aborts before. Rejects with what the
 * file system says; nothing is left then.
 */
export async function writeWhole(dir: string, name: string, text: string, signal?: AbortSignal): Promise<boolean> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(dir, FRESH));
  try {
    await writeFile(join(folder, name), text, { mode: 0o600 });
    if (signal?.aborted === true) return false;
    await rename(join(folder, name), join(dir, name));
    return true;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Takes away what writers that were stopped left behind. Never rejects. */
export async function sweepAbandoned(dir: string, now: number): Promise<void> {
  try {
    for (const name of await readdir(dir)) {
      if (!name.startsWith(FRESH)) continue;
      const { mtimeMs } = await lstat(join(dir, name));
      if (mtimeMs < now - ABANDONED_MS) await rm(join(dir, name), { recursive: true, force: true });
    }
  } catch {
    // The next publication tries again; a folder too many costs nothing.
  }
}

export const isAbsent = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT";

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
