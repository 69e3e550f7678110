import type { Dirent } from "node:fs";
import { lstatSync, readdirSync } from "node:fs";
import type { BytePath } from "../paths/index.js";
import { bytesOf, errnoOf, fromBytes, isWithin, joinPath } from "../paths/index.js";
import type { IgnoreRules } from "./ignore-rules.js";
import { enterFolder, isIgnored, NO_RULES, rulesAbove } from "./ignore-rules.js";
import type { SearchScope, StopFlag } from "./task.js";

export type EntryKind = "file" | "directory" | "link" | "other";

export interface WalkEntry {
  /** Real path. */
  readonly path: BytePath;
  readonly kind: EntryKind;
}

/** Filled while walking. */
export interface WalkCounts {
  ignored: number;
  unreadable: number;
  isRootIgnored: boolean;
}

export interface WalkOptions {
  readonly scope: SearchScope;
  readonly includeIgnored: boolean;
  /** Levels below the root. */
  readonly maxDepth: number;
  /** Also yield `.git` (never entered). */
  readonly showGit: boolean;
  readonly stop: StopFlag;
}

export const newCounts = (): WalkCounts => ({ ignored: 0, unreadable: 0, isRootIgnored: false });

const kindOf = (entry: Dirent<Buffer>): EntryKind =>
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

/**
 * Everything below a folder, sorted by path bytes, folders before what is in them. Links are yielded and never followed,
 * `.git` is never entered, denied places and what git ignores are left out. Ends early when `stop` says so.
 */
export function* walk(options: WalkOptions, counts: WalkCounts): Generator<WalkEntry> {
  const { scope } = options;
  const above = options.includeIgnored ? undefined : rulesAbove(scope.root, scope.cwd, pathExists);
  counts.isRootIgnored = above?.isRootIgnored ?? false;
  // Depth first with the siblings waiting on the stack, so that output is sorted and the stack never deep in calls.
  const stack: (WalkEntry & Folder)[] = [{ path: scope.root, kind: "directory", depth: 0, rules: above?.rules ?? NO_RULES }];
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    if (options.stop() !== "none") return;
    if (entry.depth > 0) yield { path: entry.path, kind: entry.kind };
    if (!isEntered(entry, options)) continue;
    for (const child of childrenOf(entry, options, counts).toReversed()) stack.push(child);
  }
}

function isEntered({ path, kind, depth }: WalkEntry & Folder, { maxDepth }: WalkOptions): boolean {
  if (kind !== "directory" || depth >= maxDepth) return false;
  return depth === 0 || !path.endsWith("/.git");
}

function childrenOf(folder: Folder, options: WalkOptions, counts: WalkCounts): readonly (WalkEntry & Folder)[] {
  const entries = readFolder(folder.path);
  if (entries === undefined) {
    counts.unreadable += 1;
    return [];
  }
  const isRepository = entries.some((entry) => entry.name.equals(DOT_GIT));
  const rules = options.includeIgnored ? NO_RULES : enterFolder(folder.rules, folder.path, isRepository);
  const children: (WalkEntry & Folder & { readonly key: string })[] = [];
  for (const entry of entries) {
    const path = joinPath(folder.path, fromBytes(entry.name));
    const kind = kindOf(entry);
    if (options.scope.denied.some((denied) => isWithin(denied, path))) continue;
    if (entry.name.equals(DOT_GIT)) {
      if (!options.showGit) continue;
    } else if (isIgnored(rules, path, kind === "directory")) {
      counts.ignored += 1;
      continue;
    }
    // A folder sorts as its contents will, so that the whole walk is in the order of whole paths.
    children.push({ path, kind, depth: folder.depth + 1, rules, key: kind === "directory" ? `${path}/` : path });
  }
  return children.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

const DOT_GIT = Buffer.from(".git");

function readFolder(path: BytePath): Dirent<Buffer>[] | undefined {
  try {
    return readdirSync(bytesOf(path), { withFileTypes: true, encoding: "buffer" });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
