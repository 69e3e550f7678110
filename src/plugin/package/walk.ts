import { type Dirent, lstatSync, readdirSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { join, sep } from "node:path";
import type { Diagnostic } from "../../schema/index.js";
import { linkBroken, linkOutside, notAFile, oddName, packageTooLarge, unreadable } from "./diagnostics.js";
import { MAX_DEPTH, MAX_FILES, MAX_FOLDERS, MAX_PROBLEMS, MAX_TOTAL_BYTES } from "./limits.js";

/** What tells a file from one that was changed, without reading it. Times in ms since the epoch. */
export interface FileStamp {
  /** Path in the package, with `/`. */
  readonly name: string;
  readonly size: number;
  readonly modified: number;
  readonly changed: number;
  readonly inode: number;
}

export interface PackageFile extends FileStamp {
  /** Real path, absolute. */
  readonly path: string;
}

export interface PackageTree {
  readonly root: string;
  /** Every file that counts, by name. */
  readonly files: readonly PackageFile[];
  /** Real paths of the folders, the root first. */
  readonly folders: readonly string[];
  /** Why this is no package; empty for a sound one. */
  readonly problems: readonly Diagnostic[];
}

interface Walk {
  readonly root: string;
  readonly files: PackageFile[];
  readonly folders: string[];
  readonly problems: Diagnostic[];
  /** Real paths of the folders that are being visited, to tell a link that leads back. */
  readonly trail: Set<string>;
  totalBytes: number;
  isOver: boolean;
}

interface Folder {
  readonly name: string;
  readonly path: string;
  readonly depth: number;
}

/**
 * Lists a package by names and stamps, reading no file. `root` is a real path. Left out: `node_modules`, and every file and folder whose
 * name begins with a dot. Synchronous, because a few dozen calls to the system are cheaper than their way through a thread; the
 * bounds of a package bound it.
 */
export function walkPackage(root: string): PackageTree {
  const walk: Walk = { root, files: [], folders: [], problems: [], trail: new Set(), totalBytes: 0, isOver: false };
  visitFolder(walk, { name: "", path: root, depth: 0 });
  const files = walk.files.sort((left, right) => (left.name < right.name ? -1 : 1));
  return { root, files, folders: walk.folders, problems: walk.problems };
}

function visitFolder(walk: Walk, folder: Folder): void {
  if (folder.depth > MAX_DEPTH) return stop(walk, packageTooLarge(walk.root, { unit: "levels" }));
  if (walk.folders.length >= MAX_FOLDERS) return stop(walk, packageTooLarge(walk.root, { unit: "folders" }));
  walk.folders.push(folder.path);
  let entries: readonly Dirent[];
  try {
    entries = readdirSync(folder.path, { withFileTypes: true });
  } catch (error) {
    return complain(walk, unreadable(folder.path, folder.name, reasonOf(error)));
  }
  walk.trail.add(folder.path);
  for (const entry of entries) {
    if (walk.isOver) break;
    if (!isIgnored(entry.name)) visitEntry(walk, folder, entry);
  }
  walk.trail.delete(folder.path);
}

function visitEntry(walk: Walk, folder: Folder, entry: Dirent): void {
  const name = folder.name === "" ? entry.name : `${folder.name}/${entry.name}`;
  const place = join(folder.path, entry.name);
  if (!isPlain(entry.name)) return complain(walk, oddName(place, name));
  const path = entry.isSymbolicLink() ? followLink(walk, place, name) : place;
  if (path === undefined) return;
  const stats = look(walk, path, name);
  if (stats === undefined) return;
  if (stats.isDirectory()) {
    if (walk.trail.has(path)) return complain(walk, linkBroken(place, name, "It leads to a folder that holds the link."));
    return visitFolder(walk, { name, path, depth: folder.depth + 1 });
  }
  if (!stats.isFile()) return complain(walk, notAFile(place, name));
  walk.files.push({ name, path, size: stats.size, modified: stats.mtimeMs, changed: stats.ctimeMs, inode: stats.ino });
  walk.totalBytes += stats.size;
  if (walk.files.length > MAX_FILES) return stop(walk, packageTooLarge(walk.root, { unit: "files" }));
  if (walk.totalBytes > MAX_TOTAL_BYTES) stop(walk, packageTooLarge(walk.root, { unit: "bytes" }));
}

/** Undefined where there is nothing any more, as when an editor saves, and for what cannot be looked at. */
function look(walk: Walk, path: string, name: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    complain(walk, unreadable(path, name, reasonOf(error)));
    return undefined;
  }
}

function followLink(walk: Walk, place: string, name: string): string | undefined {
  try {
    const target = realpathSync(place);
    if (target === walk.root || target.startsWith(walk.root + sep)) return target;
    complain(walk, linkOutside(place, name, readlinkSync(place)));
  } catch (error) {
    complain(walk, linkBroken(place, name, reasonOf(error)));
  }
  return undefined;
}

const isIgnored = (name: string): boolean => name.startsWith(".") || name === "node_modules";

/** Characters that are not the same name everywhere, or that show as something else: U+FFFD stands for bytes that are no UTF-8. */
const ODD = /[\p{Cc}\p{Zl}\p{Zp}\\\uFFFD\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;
const isPlain = (name: string): boolean => !ODD.test(name) && name.isWellFormed();

function complain(walk: Walk, problem: Diagnostic): void {
  walk.problems.push(problem);
  if (walk.problems.length >= MAX_PROBLEMS) walk.isOver = true;
}

function stop(walk: Walk, problem: Diagnostic): void {
  walk.problems.push(problem);
  walk.isOver = true;
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
