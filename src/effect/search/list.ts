import { lstatSync } from "node:fs";
import { err, ok, utf8Length } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic, FsListInput, FsListOutput } from "../../schema/index.js";
import type { BytePath } from "../paths/index.js";
import { bytesOf, displayPath, errnoOf, notFolder, relativeTo, showName } from "../paths/index.js";
import { searchStopped } from "./failures.js";
import { rootKind } from "./root.js";
import type { SearchScope, StopFlag } from "./task.js";
import { limitOf, SEARCH_BOUNDS } from "./task.js";
import { newCounts, walk } from "./walk.js";

type Item = FsListOutput["items"][number];

/** What is in a folder, `depth` levels down, sorted by path; names are relative to the folder. */
export function list(input: FsListInput, scope: SearchScope, stop: StopFlag): Result<FsListOutput, Diagnostic> {
  const root = rootKind(scope);
  if (!root.ok) return root;
  const path = displayPath(scope.root, scope.cwd);
  if (root.value === "file") return err(notFolder(path));
  const counts = newCounts();
  const limit = limitOf(input.limit, SEARCH_BOUNDS.items, SEARCH_BOUNDS.mostMatches);
  const maxDepth = limitOf(input.depth, 1, SEARCH_BOUNDS.depth);
  const items: Item[] = [];
  let bytes = 0;
  let truncated = false;
  for (const entry of walk({ scope, includeIgnored: input.includeIgnored === true, maxDepth, showGit: true, stop }, counts)) {
    const name = showName(relativeTo(scope.root, entry.path));
    bytes += utf8Length(name) + 1;
    truncated = items.length >= limit || bytes > SEARCH_BOUNDS.bytes;
    if (truncated) break;
    const size = entry.kind === "file" ? sizeOf(entry.path) : undefined;
    items.push({ name, kind: entry.kind, ...(size === undefined ? {} : { bytes: size }) });
  }
  if (stop() === "aborted") return err(searchStopped());
  return ok({ path, items, truncated: truncated || stop() === "late", ignoredCount: counts.ignored });
}

/** The file may be gone by now. */
function sizeOf(path: BytePath): number | undefined {
  try {
    return lstatSync(bytesOf(path)).size;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
