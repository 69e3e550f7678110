import { lstatSync } from "node:fs";
import { err, ok, utf8Length } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic, FsListInput, FsListOutput } from "../../schema/index.js";
import type { BytePath } from "../paths/index.js";
import { bytesOf, displayPath, errnoOf, notFolder, relativeTo, showName } from "../paths/index.js";
import { searchStopped } from "./failures.js";
import type { SearchScope, StopFlag } from "./task.js";
import { limitOf, SEARCH_BOUNDS } from "./task.js";
import type { WalkEntry } from "./walk/index.js";
import { newCounts, readFolder, rootKind, walk } from "./walk/index.js";

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
  const options = { scope, includeIgnored: input.includeIgnored === true, includeHidden: true, maxDepth, showGit: true, stop };
  const items: Item[] = [];
  let bytes = 0;
  let seen = 0;
  let isWhole = true;
  for (const entry of walk(options, counts)) {
    seen += 1;
    if (seen > SEARCH_BOUNDS.countedPaths) {
      isWhole = false;
      break;
    }
    // Once one is left out all that follow are, so that what is shown has no gaps.
    if (items.length < seen - 1 || items.length >= limit) continue;
    const name = showName(relativeTo(scope.root, entry.path));
    bytes += utf8Length(name) + 1;
    if (bytes <= SEARCH_BOUNDS.bytes) items.push(itemOf(name, entry, (entry.depth ?? 0) >= maxDepth));
  }
  if (stop() === "aborted") return err(searchStopped());
  const isLate = stop() === "late";
  const total = { items: seen, isExact: isWhole && !isLate };
  return ok({ path, items, truncated: items.length < seen || isLate, ignoredCount: counts.ignored, total });
}

function itemOf(name: string, entry: WalkEntry, isDeepest: boolean): Item {
  if (entry.kind === "file") return { name, kind: "file", ...sizeOf(entry.path) };
  // What lies in a folder that is not entered is at least counted; the inside of a repository's own folder tells nobody anything.
  const isCounted = entry.kind === "directory" && isDeepest && !entry.path.endsWith("/.git");
  const entries = isCounted ? readFolder(entry.path)?.length : undefined;
  return { name, kind: entry.kind, ...(entries === undefined ? {} : { entries }) };
}

/** The file may be gone by now. */
function sizeOf(path: BytePath): { readonly bytes?: number } {
  try {
    return { bytes: lstatSync(bytesOf(path)).size };
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return {};
  }
}
