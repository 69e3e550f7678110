import { realpathSync, statSync } from "node:fs";
import { err, ok, utf8Length } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic, FindInput, FindOutput } from "../../schema/index.js";
import type { BytePath } from "../paths/index.js";
import { bytesOf, displayPath, errnoOf, fromBytes, parentOf } from "../paths/index.js";
import { searchStopped } from "./failures.js";
import { LATE_NOTE, rootNotes, unseenNotes } from "./notes.js";
import type { FilePattern } from "./pattern/index.js";
import { compilePattern } from "./pattern/index.js";
import type { SearchScope, StopFlag } from "./task.js";
import { limitOf, SEARCH_BOUNDS } from "./task.js";
import type { WalkEntry } from "./walk/index.js";
import { newCounts, rootKind, walk } from "./walk/index.js";

/** Paths within their bounds. */
interface Hits {
  readonly paths: { readonly path: BytePath; readonly shown: string }[];
  bytes: number;
  count: number;
  isCut: boolean;
}

const newHits = (): Hits => ({ paths: [], bytes: 0, count: 0, isCut: false });

/** Paths that match, sorted; folders only when they are asked for, or the pattern ends in a slash or names one exactly. */
export function find(input: FindInput, scope: SearchScope, stop: StopFlag): Result<FindOutput, Diagnostic> {
  const compiled = compilePattern(input.pattern, scope);
  if (!compiled.ok) return compiled;
  const root = rootKind(scope);
  if (!root.ok) return root;
  const counts = newCounts();
  const options = {
    scope,
    includeIgnored: input.includeIgnored === true,
    includeHidden: input.includeHidden !== false,
    maxDepth: Infinity,
    showGit: false,
    stop,
  };
  const entries: Iterable<WalkEntry> = root.value === "file" ? [{ path: scope.root, kind: "file" }] : walk(options, counts);
  const limit = limitOf(input.limit, SEARCH_BOUNDS.matches, SEARCH_BOUNDS.mostMatches);
  const { hits, isWhole } = collect(entries, { pattern: compiled.value, kind: input.kind, limit, cwd: scope.cwd });
  if (stop() === "aborted") return err(searchStopped());
  const isLate = stop() === "late";
  const paths = inPlace(hits.paths).map(({ shown }) => shown);
  return ok({
    paths,
    truncated: hits.isCut || isLate,
    total: { paths: hits.count, isExact: isWhole && !isLate },
    notes: [...(isLate ? [LATE_NOTE] : []), ...rootNotes(counts, scope), ...(paths.length === 0 ? unseenNotes(counts) : [])],
  });
}

interface Wanted {
  readonly pattern: FilePattern;
  readonly kind: FindInput["kind"];
  readonly limit: number;
  readonly cwd: BytePath;
}

/** What fits by name, or else what fits by glob. Goes on counting behind the limit, within a bound. */
function collect(entries: Iterable<WalkEntry>, wanted: Wanted): { readonly hits: Hits; readonly isWhole: boolean } {
  const { pattern } = wanted;
  const names = newHits();
  const globs = newHits();
  const chosen = (): Hits => (names.count > 0 ? names : globs);
  let seen = 0;
  for (const { path, kind } of entries) {
    seen += 1;
    if (seen > SEARCH_BOUNDS.countedPaths && chosen().isCut && (names.isCut || !pattern.mayBeName))
      return { hits: chosen(), isWhole: false };
    const fit = pattern.fit(path);
    if (fit === "none" || !isListed({ path, kind }, fit === "name", wanted)) continue;
    addHit(fit === "name" ? names : globs, { path, kind }, wanted);
  }
  return { hits: chosen(), isWhole: true };
}

function addHit(hits: Hits, { path, kind }: WalkEntry, { cwd, limit }: Wanted): void {
  hits.count += 1;
  if (hits.isCut) return;
  const shown = `${displayPath(path, cwd)}${kind === "directory" ? "/" : ""}`;
  hits.bytes += utf8Length(shown) + 1;
  hits.isCut = hits.paths.length >= limit || hits.bytes > SEARCH_BOUNDS.bytes;
  if (!hits.isCut) hits.paths.push({ path, shown });
}

/** Pipes, sockets and devices are no files; a link is one when it leads to a file, or nowhere. */
function isListed({ path, kind }: WalkEntry, isNamed: boolean, { pattern, kind: asked }: Wanted): boolean {
  if (pattern.wantsFolders) return kind === "directory";
  switch (asked) {
    case "any":
      return kind !== "other";
    case "directory":
      return kind === "directory";
    case "file":
    case undefined:
      if (kind === "directory") return asked === undefined && isNamed;
      return kind === "link" ? isLinkToFile(path) : kind === "file";
  }
}

function isLinkToFile(path: BytePath): boolean {
  try {
    return statSync(bytesOf(path)).isFile();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return true;
  }
}

/** Without what lies behind a folder that was exchanged for a link while the walk was in it. */
function inPlace<Path extends { readonly path: BytePath }>(paths: readonly Path[]): readonly Path[] {
  const folders = new Map<BytePath, boolean>();
  return paths.filter(({ path }) => {
    const folder = parentOf(path);
    const known = folders.get(folder) ?? isReal(folder);
    folders.set(folder, known);
    return known;
  });
}

function isReal(folder: BytePath): boolean {
  try {
    return fromBytes(realpathSync.native(bytesOf(folder), { encoding: "buffer" })) === folder;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
