import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { err, ok } from "../../../base/index.js";
import type { Result } from "../../../base/index.js";
import type { Diagnostic, FsStatOutput } from "../../../schema/index.js";
import type { EffectContext } from "../../types.js";
import { bytesOf, confirmPlace, errnoOf, systemFailure } from "../../paths/index.js";

/** What is at a path whose links were followed. That nothing is there is an answer, not a failure. */
export async function statFile(recorded: string, context: EffectContext): Promise<Result<FsStatOutput, Diagnostic>> {
  const place = await confirmPlace(recorded, context);
  if (!place.ok) return place;
  const { real, shown } = place.value;
  try {
    const stats = await lstat(bytesOf(real));
    return ok({ path: shown, kind: kindOf(stats), bytes: stats.size, modified: Math.round(stats.mtimeMs) });
  } catch (error) {
    return errnoOf(error) === "ENOENT" ? ok({ path: shown, kind: "missing" }) : err(systemFailure(error, shown, "looked at"));
  }
}

const kindOf = (stats: Stats): FsStatOutput["kind"] => (stats.isFile() ? "file" : stats.isDirectory() ? "directory" : "other");
