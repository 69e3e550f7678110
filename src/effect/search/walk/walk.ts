import type { Dirent } from "node:fs";
import { lstatSync, readdirSync } from "node:fs";
import type { BytePath } from "../../paths/index.js";
import { bytesOf, errnoOf, fromBytes, isWithin } from "../../paths/index.js";
import type { IgnoreRules } from "../ignore/index.js";
import { enterFolder, NO_PLACES, NO_RULES, rulesAbove, rulesFor, standingOf } from "../ignore/index.js";
import type { SearchScope, StopFlag } from "../task.js";

export type EntryKind = "file" | "directory" | "link" | "other";

export interface WalkEntry {
  /** Real path. */
  readonly path: BytePath;
  readonly kind: EntryKind;
  /** Levels below the root; absent for a root that is a file. */
  readonly depth?: number;
}

/** Filled while walking. */
export interface WalkCounts {
  ignored: number;
  hidden: number;
  unreadable: number;
  isRootIgnored: boolean;
}

export interface WalkOptions {
  readonly scope: SearchScope;
  readonly includeIgnored: boolean;
  /** Names that begin with a dot, too. */
  readonly includeHidden: boolean;
  /** Levels below the root. */
  readonly maxDepth: number;
  /** Also yield `.git` (never entered). */
  readonly showGit: boolean;
  readonly stop: StopFlag;
}

export const newCounts = (): WalkCounts => ({ ignored: 0, hidden: 0, unreadable: 0, isRootIgnored: false });

const kindOf = (entry: Dirent | Dirent<Buffer>): EntryKind =>
  entry.isFile() ? "file" : entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "link" : "other";

export function pathExists(path: BytePath): boolean {
  try {
    lstatSync(bytesOf(path));
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

interface Folder {
  readonly path: BytePath;
  readonly depth: number;
  /** Rules in force in its parent. */
  readonly rules: IgnoreRules;
}

type Node = WalkEntry & Folder;

/**
 * Everything below a folder, sorted by path bytes, folders before what is in them. Links are yielded and never followed,
 * `.git` is never entered, denied places and what git ignores are left out. Ends early when `stop` says so.
 */
export function* walk(options: WalkOptions, counts: WalkCounts): Generator<WalkEntry> {
  const { scope } = options;
  const above = options.includeIgnored ? undefined : rulesAround(scope, true);
  counts.isRootIgnored = above?.isRootIgnored ?? false;
  // Depth first with the siblings waiting on the stack, so that output is sorted and the stack never deep in calls.
  const stack: Node[] = [{ path: scope.root, kind: "directory", depth: 0, rules: above?.rules ?? NO_RULES }];
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    if (entry.depth > 0) yield entry;
    if (!isEntered(entry, options)) continue;
    if (options.stop() !== "none") return;
    const children = childrenOf(entry, options, counts);
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (child !== undefined) stack.push(child);
    }
  }
}

export const rulesAround = (scope: SearchScope, isFolder: boolean): ReturnType<typeof rulesAbove> =>
  rulesAbove(scope.root, isFolder, { cwd: scope.cwd, places: scope.git ?? NO_PLACES, exists: pathExists });

function isEntered({ path, kind, depth }: Node, { maxDepth }: WalkOptions): boolean {
  if (kind !== "directory" || depth >= maxDepth) return false;
  return depth === 0 || !path.endsWith("/.git");
}

function childrenOf(folder: Folder, options: WalkOptions, counts: WalkCounts): readonly Node[] {
  const entries = readFolder(folder.path);
  if (entries === undefined) {
    counts.unreadable += 1;
    return [];
  }
  const { scope } = options;
  const rules = options.includeIgnored ? NO_RULES : rulesInside(folder, entries, options);
  const denied = scope.denied.filter((place) => isWithin(folder.path, place) || isWithin(place, folder.path));
  const prefix = folder.path.endsWith("/") ? folder.path : `${folder.path}/`;
  const children: (Node & { readonly key: string })[] = [];
  for (const { name, kind } of entries) {
    const path = `${prefix}${name}` as BytePath;
    if (denied.some((place) => isWithin(place, path))) continue;
    const standing = standingIn(rules, { path, kind, name }, options);
    if (standing === "ignored" || standing === "hidden") {
      if (name !== ".git") counts[standing] += 1;
      continue;
    }
    // A folder sorts as its contents will, so that the whole walk is in the order of whole paths.
    const key = kind === "directory" ? `${name}/` : name;
    children.push({ path, kind, depth: folder.depth + 1, rules: rulesFor(rules, standing), key });
  }
  return children.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

function standingIn(
  rules: IgnoreRules,
  { path, kind, name }: WalkEntry & NamedEntry,
  { showGit, includeHidden }: WalkOptions,
): ReturnType<typeof standingOf> | "hidden" {
  if (name === ".git") return showGit ? "wanted" : "hidden";
  if (!includeHidden && name.startsWith(".")) return "hidden";
  return standingOf(rules, path, kind === "directory");
}

function rulesInside(folder: Folder, entries: readonly NamedEntry[], { scope }: WalkOptions): IgnoreRules {
  const signs = { isRepository: false, hasGitRules: false, hasOwnRules: false };
  for (const { name } of entries) {
    if (!name.startsWith(".")) continue;
    if (name === ".git") signs.isRepository = true;
    else if (name === ".gitignore") signs.hasGitRules = true;
    else if (name === ".ignore") signs.hasOwnRules = true;
  }
  return enterFolder(folder.rules, folder.path, signs, scope.git ?? NO_PLACES);
}

interface NamedEntry {
  /** One character a byte. */
  readonly name: string;
  readonly kind: EntryKind;
}

/** Names in a folder, in no order; undefined where it cannot be read. */
export function readFolder(path: BytePath): readonly NamedEntry[] | undefined {
  try {
    return readdirSync(bytesOf(path), { withFileTypes: true, encoding: "latin1" }).map((entry) => ({
      name: entry.name,
      kind: kindOf(entry),
    }));
  } catch (error) {
    // A file system that does not tell kinds has them looked up by name, which works with names as bytes alone.
    if (error instanceof TypeError) return readFolderAsBytes(path);
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

function readFolderAsBytes(path: BytePath): readonly NamedEntry[] | undefined {
  try {
    const entries = readdirSync(bytesOf(path), { withFileTypes: true, encoding: "buffer" });
    return entries.map((entry) => ({ name: fromBytes(entry.name), kind: kindOf(entry) }));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
