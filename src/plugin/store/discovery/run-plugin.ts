import { basename } from "node:path";
import { describeReach } from "../../grants/index.js";
import type { LoadPackage } from "../approval.js";
import { plainWords } from "../names.js";
import { usedForRun } from "./diagnostics.js";
import { broken, type Found, usable } from "./found.js";

/** A folder that was named for this run, which is its approval. */
export async function findRunPlugin({ loadPackage }: { readonly loadPackage: LoadPackage }, dir: string): Promise<Found> {
  const loaded = await loadPackage(dir);
  if (!loaded.ok) {
    const found = broken({ id: plainWords(basename(dir)), origin: "run", dir }, loaded.error);
    // Somebody asked for exactly this one.
    return { ...found, diagnostics: loaded.error };
  }
  const { compiled, dir: real } = loaded.value;
  const { id } = compiled;
  return usable(loaded.value, { id, origin: "run" }, [usedForRun(id, real, describeReach(compiled))]);
}
