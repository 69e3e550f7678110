import { statSync } from "node:fs";
import { err, ok, plural, utf8Length } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic, FindInput, FindOutput } from "../../schema/index.js";
import type { BytePath } from "../paths/index.js";
import { bytesOf, displayPath, errnoOf } from "../paths/index.js";
import { searchStopped } from "./failures.js";
import type { FilePattern } from "./file-pattern.js";
import { compilePattern } from "./file-pattern.js";
import { rootKind } from "./root.js";
import type { SearchScope, StopFlag } from "./task.js";
import { limitOf, SEARCH_BOUNDS } from "./task.js";
import type { WalkCounts, WalkEntry } from "./walk.js";
import { newCounts, walk } from "./walk.js";

/** Paths within their bounds. */
interface Hits {
  readonly paths: string[];
  bytes: number;
  isCut: boolean;
}

const newHits = (): Hits => ({ paths: [], bytes: 0, isCut: false });

/** Paths that match, sorted; folders only when the pattern ends in a slash or names one exactly. */
export function find(input: FindInput, scope: SearchScope, stop: StopFlag): Result<FindOutput, Diagnostic> {
  const compiled = compilePattern(input.pattern, scope);
  if (!compiled.ok) return compiled;
  const root = rootKind(scope);
  if (!root.ok) return root;
  const counts = newCounts();
  const limit = limitOf(input.limit, SEARCH_BOUNDS.matches, SEARCH_BOUNDS.mostMatches);
  const entries: Iterable<WalkEntry> =
    root.value === "file"
      ? [{ path: scope.root, kind: "file" }]
      : walk({ scope, includeIgnored: input.includeIgnored === true, maxDepth: Infinity, showGit: false, stop }, counts);
  const hits = collect(entries, { pattern: compiled.value, limit, cwd: scope.cwd });
  if (stop() === "aborted") return err(searchStopped());
  const isLate = stop() === "late";
  return ok({
    paths: hits.paths,
    truncated: hits.isCut || isLate,
    notes: notesOf({ counts, input, scope, found: hits.paths.length, isLate }),
  });
}

interface Wanted {
  readonly pattern: FilePattern;
  readonly limit: number;
  readonly cwd: BytePath;
}

/** What fits by name, or else what fits by glob. */
function collect(entries: Iterable<WalkEntry>, wanted: Wanted): Hits {
  const { pattern } = wanted;
  const names = newHits();
  const globs = newHits();
  for (const { path, kind } of entries) {
    const fit = pattern.fit(path);
    if (fit === "none" || !isListed(path, kind, fit === "name", pattern.wantsFolders)) continue;
    const hits = fit === "name" ? names : globs;
    addHit(hits, `${displayPath(path, wanted.cwd)}${kind === "directory" ? "/" : ""}`, wanted.limit);
    if (hits.isCut && (hits === names || !pattern.mayBeName)) break;
  }
  return names.paths.length > 0 ? names : globs;
}

function addHit(hits: Hits, shown: string, limit: number): void {
  hits.bytes += utf8Length(shown) + 1;
  hits.isCut ||= hits.paths.length >= limit || hits.bytes > SEARCH_BOUNDS.bytes;
  if (!hits.isCut) hits.paths.push(shown);
}

/** Pipes, sockets and devices are no files; a link is one when it leads to a file, or nowhere. */
function isListed(path: BytePath, kind: WalkEntry["kind"], isNamed: boolean, wantsFolders: boolean): boolean {
  if (kind === "directory") return wantsFolders || isNamed;
  if (wantsFolders) return false;
  if (kind !== "link") return kind === "file";
  try {
    return statSync(bytesOf(path)).isFile();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return true;
  }
}

interface NoteFacts {
  readonly counts: WalkCounts;
  readonly input: FindInput;
  readonly scope: SearchScope;
  readonly found: number;
  readonly isLate: boolean;
}

function notesOf({ counts, input, scope, found, isLate }: NoteFacts): readonly string[] {
  return [
    ...(isLate ? ["the search took too long and was ended; not everything was looked at"] : []),
    ...rootNotes(counts, scope),
    ...(found === 0 && counts.ignored > 0 && input.includeIgnored !== true
      ? [`${plural(counts.ignored, "ignored path")} not looked into; name the folder to search it`]
      : []),
  ];
}

/** What a reader of any search must know about its root and the folders it could not enter. */
export function rootNotes(counts: WalkCounts, scope: SearchScope): readonly string[] {
  return [
    ...(counts.isRootIgnored ? [`${displayPath(scope.root, scope.cwd)} is ignored by git; it was searched since it was named`] : []),
    ...(counts.unreadable > 0 ? [`${plural(counts.unreadable, "folder")} could not be read`] : []),
  ];
}
