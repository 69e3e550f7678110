import { plural } from "../../base/index.js";
import { displayPath } from "../paths/index.js";
import type { SearchScope } from "./task.js";
import type { WalkCounts } from "./walk/index.js";

/** What a reader of any search must know about its root and the folders it could not enter. */
export function rootNotes(counts: WalkCounts, scope: SearchScope): readonly string[] {
  return [
    ...(counts.isRootIgnored ? [`${displayPath(scope.root, scope.cwd)} is ignored by git; it was searched since it was named`] : []),
    ...(counts.unreadable > 0 ? [`${plural(counts.unreadable, "folder")} could not be read`] : []),
  ];
}

/** What was not looked into, for an answer with nothing in it. */
export function unseenNotes(counts: WalkCounts): readonly string[] {
  return [
    ...(counts.ignored > 0 ? [`${plural(counts.ignored, "ignored path")} not looked into; name the folder to search it`] : []),
    ...(counts.hidden > 0 ? [`${plural(counts.hidden, "hidden path")} not looked into`] : []),
  ];
}

export const linkNotes = (links: number): readonly string[] => (links > 0 ? [`${plural(links, "link")} not followed`] : []);

export const spanNotes = (isSpanning: boolean): readonly string[] =>
  isSpanning ? ["patterns are matched line by line and this one holds a line end; set multiline"] : [];

export const LATE_NOTE = "the search took too long and was ended; not everything was looked at";

/** `files`: where threads were when they had to be ended. */
export const endlessNotes = (files: readonly string[]): readonly string[] =>
  files.map((file) => `the expression did not come to an end in ${file}; use a simpler one, without nested repetition`);
