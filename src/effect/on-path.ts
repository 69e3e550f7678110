import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";

/** Whether a program of a name is on a PATH. Each name is looked for once: what comes later is found by the next process. */
export function createProgramLookup(path: string | undefined): (name: string) => boolean {
  const known = new Map<string, boolean>();
  const folders = (path ?? "").split(":").filter((folder) => folder.startsWith("/"));
  return (name) => {
    const answer = known.get(name) ?? folders.some((folder) => canRun(join(folder, name)));
    known.set(name, answer);
    return answer;
  };
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
