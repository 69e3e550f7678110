import type { Stats } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { err, ok, type Result } from "../../../base/index.js";
import type { Diagnostic, FsReadOutput } from "../../../schema/index.js";
import type { Place } from "../../paths/index.js";
import { bytesOf, errnoOf, fromBytes, showName, systemFailure } from "../../paths/index.js";

type DirectoryOutput = Extract<FsReadOutput, { readonly type: "directory" }>;

const SHOWN = 40;
/** Names looked at; a folder may hold millions. */
const MOST = 20_000;

export async function statsAt({ real }: Pick<Place, "real">): Promise<Stats | undefined> {
  try {
    return await lstat(bytesOf(real));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

/** A folder is read as what it holds: how many names, the first of them, folders with a slash behind. */
export async function readDirectory({ real, shown }: Place, signal: AbortSignal): Promise<Result<DirectoryOutput, Diagnostic>> {
  const names: string[] = [];
  let isWhole = true;
  try {
    // Names are bytes; the type of opendir knows only texts of them.
    const folder = await opendir(bytesOf(real), { encoding: "buffer" as "latin1", bufferSize: 256 });
    for await (const entry of folder) {
      if (signal.aborted || names.length >= MOST) {
        isWhole = false;
        break;
      }
      const name = entry.name as unknown as Buffer;
      names.push(`${showName(fromBytes(name))}${entry.isDirectory() ? "/" : ""}`);
    }
  } catch (error) {
    return err(systemFailure(error, shown, "read"));
  }
  // By code units, as list has it: the same everywhere.
  names.sort((left, right) => (left < right ? -1 : left > right ? 1 : 0));
  return ok({
    type: "directory",
    path: shown,
    entries: names.length,
    names: names.slice(0, SHOWN),
    ...(isWhole ? {} : { isCounted: false }),
  });
}
