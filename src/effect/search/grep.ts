import { err, ok, plural, utf8Length } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic, GrepInput, GrepOutput } from "../../schema/index.js";
import type { BytePath } from "../paths/index.js";
import { displayPath } from "../paths/index.js";
import { searchStopped } from "./failures.js";
import type { FilePattern } from "./file-pattern.js";
import { createContextLines } from "./context-lines.js";
import { compilePattern } from "./file-pattern.js";
import { rootNotes } from "./find.js";
import type { LinePattern } from "./line-pattern.js";
import { compileLinePattern } from "./line-pattern.js";
import { rootKind } from "./root.js";
import { readSearchable } from "./searchable.js";
import type { SearchScope, StopFlag } from "./task.js";
import { limitOf, SEARCH_BOUNDS } from "./task.js";
import type { WalkCounts, WalkEntry } from "./walk.js";
import { newCounts, walk } from "./walk.js";

type FileMatches = GrepOutput["files"][number];

/** What was passed over, to be told. */
interface Skipped {
  binary: number;
  tooLarge: number;
  unreadable: number;
  links: number;
}

interface Search {
  readonly pattern: LinePattern;
  readonly files: FilePattern | undefined;
  readonly scope: SearchScope;
  readonly limit: number;
  readonly context: number;
  readonly stop: StopFlag;
  readonly found: FileMatches[];
  readonly skipped: Skipped;
  matchCount: number;
  bytes: number;
  isCut: boolean;
}

/** Lines that match, by file, sorted by path. Files that are binary, too large or no regular files are passed over and told. */
export function grep(input: GrepInput, scope: SearchScope, stop: StopFlag): Result<GrepOutput, Diagnostic> {
  const prepared = prepare(input, scope, stop);
  if (!prepared.ok) return prepared;
  const search = prepared.value;
  const root = rootKind(scope);
  if (!root.ok) return root;
  const counts = newCounts();
  const entries: Iterable<WalkEntry> =
    root.value === "file"
      ? [{ path: scope.root, kind: "file" }]
      : walk({ scope, includeIgnored: input.includeIgnored === true, maxDepth: Infinity, showGit: false, stop }, counts);
  for (const entry of entries) {
    searchEntry(entry, search);
    if (search.isCut || stop() !== "none") break;
  }
  if (stop() === "aborted") return err(searchStopped());
  const truncated = search.isCut || stop() === "late";
  return ok({ files: search.found, matchCount: search.matchCount, truncated, notes: notesOf(search, counts) });
}

function prepare(input: GrepInput, scope: SearchScope, stop: StopFlag): Result<Search, Diagnostic> {
  const pattern = compileLinePattern(input);
  if (!pattern.ok) return pattern;
  const files = input.glob === undefined ? undefined : compilePattern(input.glob, scope);
  if (files?.ok === false) return files;
  return ok({
    pattern: pattern.value,
    files: files?.value,
    scope,
    limit: limitOf(input.limit, SEARCH_BOUNDS.matches, SEARCH_BOUNDS.mostMatches),
    context: Math.min(Math.max(0, Math.trunc(input.context ?? 0)), SEARCH_BOUNDS.context),
    stop,
    found: [],
    skipped: { binary: 0, tooLarge: 0, unreadable: 0, links: 0 },
    matchCount: 0,
    bytes: 0,
    isCut: false,
  });
}

function searchEntry({ path, kind }: WalkEntry, search: Search): void {
  if (kind === "directory" || kind === "other") return;
  if (search.files !== undefined && search.files.fit(path) === "none") return;
  if (kind === "link") {
    search.skipped.links += 1;
    return;
  }
  const content = readSearchable(path, search.pattern.needle);
  if (content.type === "text") searchText(path, content.text, search);
  else if (content.type !== "without") search.skipped[content.type] += 1;
}

function searchText(path: BytePath, text: string, search: Search): void {
  const lines = createContextLines(search.context);
  let number = 0;
  for (let from = 0; from < text.length && !search.isCut;) {
    const feed = text.indexOf("\n", from);
    const end = feed < 0 ? text.length : feed;
    const line = text.slice(from, end > from && text[end - 1] === "\r" ? end - 1 : end);
    from = end + 1;
    number += 1;
    const at = search.pattern.search(line);
    if (at < 0) lines.pass(number, line);
    else if (search.matchCount >= search.limit || search.bytes + lines.bytes > SEARCH_BOUNDS.bytes) search.isCut = true;
    else {
      search.matchCount += 1;
      lines.match(number, line, at);
    }
    // One look in a while: a file of a million lines must not outlive its deadline.
    if (number % 4096 === 0 && search.stop() !== "none") break;
  }
  if (lines.shown.length === 0) return;
  const shown = displayPath(path, search.scope.cwd);
  search.bytes += lines.bytes + utf8Length(shown);
  search.found.push({ path: shown, lines: lines.shown });
}

function notesOf(search: Search, counts: WalkCounts): readonly string[] {
  const { skipped, scope } = search;
  const notes = [...rootNotes(counts, scope)];
  if (search.isCut && search.matchCount < search.limit) notes.push(`cut at ${SEARCH_BOUNDS.bytes} bytes of matches`);
  if (search.stop() === "late") notes.push("the search took too long and was ended; not everything was looked at");
  if (skipped.binary > 0) notes.push(`${plural(skipped.binary, "binary file")} passed over`);
  if (skipped.tooLarge > 0) notes.push(`${plural(skipped.tooLarge, "file")} over ${SEARCH_BOUNDS.fileBytes} bytes passed over`);
  if (skipped.unreadable > 0) notes.push(`${plural(skipped.unreadable, "file")} could not be read`);
  if (skipped.links > 0) notes.push(`${plural(skipped.links, "link")} not followed`);
  if (search.matchCount > 0) return notes;
  if (search.pattern.spansLines) notes.push("patterns are matched line by line; this one holds a line end");
  if (counts.ignored > 0) notes.push(`${plural(counts.ignored, "ignored path")} not looked into; name the folder to search it`);
  return notes;
}
