import { lstat, readdir, unlink } from "node:fs/promises";
import type { BytePath } from "../paths/index.js";
import { bytesOf, errnoOf, joinPath } from "../paths/index.js";

/** Name of a temporary file: whose it is, so that what a killed process left can be told from what a living one works on. */
export const tempName = (unique: string): string => `.smith-${process.pid}-${unique}.tmp`;

const TEMP_NAME = /^\.smith-(\d{1,10})-[0-9a-z-]+\.tmp$/u;

/** Folders with more names are looked through once only. */
const MANY_NAMES = 5000;

/** Removes temporary files of processes that are gone. */
export interface Leftovers {
  /** `base`: where the folder is reached; `real`: which folder it is. Failures are nobody's concern: the file is then left. */
  sweep(base: BytePath, real: BytePath): Promise<void>;
}

export function createLeftovers(): Leftovers {
  const crowded = new Set<BytePath>();
  return {
    async sweep(base, real) {
      if (crowded.has(real)) return;
      try {
        const names = await readdir(bytesOf(base), { encoding: "latin1" });
        if (names.length > MANY_NAMES) crowded.add(real);
        const left = names.filter((name) => TEMP_NAME.test(name));
        await Promise.all(left.map((name) => removeDead(joinPath(base, name), name)));
      } catch (error) {
        if (errnoOf(error) === undefined) throw error;
      }
    },
  };
}

async function removeDead(path: BytePath, name: string): Promise<void> {
  const pid = Number(TEMP_NAME.exec(name)?.[1]);
  // A process of the same number may have been here before, in a container always.
  const isDead = pid === process.pid ? (await lstat(bytesOf(path))).mtimeMs < performance.timeOrigin : !isAlive(pid);
  if (isDead) await unlink(bytesOf(path));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errnoOf(error) !== "ESRCH";
  }
}
