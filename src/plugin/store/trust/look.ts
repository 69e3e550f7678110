import { lstatSync, type Stats } from "node:fs";

/** What a name is, no link followed; undefined where there is nothing, or nothing that can be looked at. */
export function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}
