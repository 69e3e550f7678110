import { constants, type Dirent } from "node:fs";
import { lstat, open, opendir, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { err, ok, type Result } from "../../base/index.js";
import { nameProblem, plainWords } from "./names.js";

export interface TreeBounds {
  readonly maxFiles: number;
  readonly maxBytes: number;
  /** Whether files and folders of this name, anywhere in the tree, are not looked at. */
  readonly skips: (name: string) => boolean;
  /** Whether a link of this relative name counts as what it leads to, inside of the root. Left out: no link does. */
  readonly follows?: (name: string) => boolean;
}

/** Why a tree cannot be taken: the entry, relative to where the walk began, and the reason as a clause. */
export interface TreeProblem {
  readonly path: string;
  readonly reason: string;
}

export interface TreeFile {
  /** Relative, `/` between its parts. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** No link is followed and nothing waited for: what is no regular file when it is open is not read. */
const OPEN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

interface Walk {
  readonly root: string;
  readonly bounds: TreeBounds;
  readonly files: TreeFile[];
  /** The first file ends it, unread. */
  readonly isGlance: boolean;
  /** Files and folders seen. */
  entries: number;
  bytesLeft: number;
}

/**
 * Every file below the given places of `root` (relative; one that is not there is left out), ordered by name. Links, devices, pipes,
 * odd names and anything over the bounds refuse the whole of it.
 */
export async function readTree(
  root: string,
  places: readonly string[],
  bounds: TreeBounds,
): Promise<Result<readonly TreeFile[], TreeProblem>> {
  const walk = begin(root, bounds, false);
  for (const place of places) {
    const problem = await readPlace(walk, place);
    if (problem !== undefined) return err(problem);
  }
  return ok(walk.files.sort((left, right) => (left.name < right.name ? -1 : 1)));
}

/** Whether `readTree` of the same would be anything but nothing: a file, or what refuses the whole. Ends with the first, reads none. */
export async function holdsAny(root: string, places: readonly string[], bounds: TreeBounds): Promise<boolean> {
  const walk = begin(root, bounds, true);
  for (const place of places) if ((await readPlace(walk, place)) !== undefined) return true;
  return false;
}

const begin = (root: string, bounds: TreeBounds, isGlance: boolean): Walk => ({
  ...{ root, bounds, isGlance },
  files: [],
  entries: 0,
  bytesLeft: bounds.maxBytes,
});

async function readPlace(walk: Walk, place: string): Promise<TreeProblem | undefined> {
  try {
    const facts = await lstat(join(walk.root, place));
    return await readEntry(walk, place, facts);
  } catch (error) {
    return isMissing(error) ? undefined : { path: place, reason: systemWords(error) };
  }
}

type Kind = Pick<Dirent, "isFile" | "isDirectory" | "isSymbolicLink">;

async function readEntry(walk: Walk, name: string, kind: Kind): Promise<TreeProblem | undefined> {
  walk.entries += 1;
  if (walk.entries > 2 * walk.bounds.maxFiles) return tooMany(walk, name);
  if (kind.isSymbolicLink()) return await readLink(walk, name);
  if (kind.isDirectory()) return await readFolder(walk, name);
  if (!kind.isFile()) return { path: name, reason: "it is neither a file nor a folder" };
  return await readFile(walk, name, join(walk.root, name));
}

async function readFile(walk: Walk, name: string, path: string): Promise<TreeProblem | undefined> {
  if (walk.isGlance) return { path: name, reason: "it is there" };
  if (walk.files.length >= walk.bounds.maxFiles) return tooMany(walk, name);
  const bytes = await readBounded(path, walk.bytesLeft);
  if (!bytes.ok) return { path: name, reason: bytes.error.reason };
  walk.bytesLeft -= bytes.value.length;
  walk.files.push({ name, bytes: bytes.value });
  return undefined;
}

/** What a link leads to is read under the name of the link; one that leads in a circle ends at the bound of depth. */
async function readLink(walk: Walk, name: string): Promise<TreeProblem | undefined> {
  const refusal = { path: name, reason: "it is a link, and what links lead to is no part of a folder" };
  if (walk.bounds.follows?.(name) !== true) return refusal;
  try {
    const [root, real] = await Promise.all([realpath(walk.root), realpath(join(walk.root, name))]);
    if (!real.startsWith(root + sep)) return { path: name, reason: "it is a link that leads out" };
    const facts = await lstat(real);
    return facts.isDirectory() ? await readFolder(walk, name) : facts.isFile() ? await readFile(walk, name, real) : refusal;
  } catch (error) {
    // A link to nothing brings nothing.
    return isMissing(error) ? undefined : { path: name, reason: systemWords(error) };
  }
}

const tooMany = ({ bounds }: Walk, path: string): TreeProblem => ({
  path,
  reason: `there are more than ${String(bounds.maxFiles)} files`,
});

async function readFolder(walk: Walk, name: string): Promise<TreeProblem | undefined> {
  let folder;
  try {
    folder = await opendir(join(walk.root, name));
  } catch (error) {
    return { path: name, reason: systemWords(error) };
  }
  // Leaving the loop closes the folder.
  for await (const entry of folder) {
    if (walk.bounds.skips(entry.name)) continue;
    const below = name === "" ? entry.name : `${name}/${entry.name}`;
    const problem = nameProblem(below);
    const found =
      problem === undefined ? await readEntry(walk, below, entry) : { path: plainWords(below), reason: `of its name: ${problem}` };
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Why a file could not be read, as a clause. */
export interface ReadProblem {
  readonly reason: string;
  readonly isMissing: boolean;
}

const refused = (reason: string): Result<never, ReadProblem> => err({ reason, isMissing: false });

/** A regular file of at most `maxBytes`, all of it. */
export async function readBounded(path: string, maxBytes: number): Promise<Result<Uint8Array, ReadProblem>> {
  let handle;
  try {
    handle = await open(path, OPEN);
    const facts = await handle.stat();
    if (!facts.isFile()) return refused("it is no regular file");
    if (facts.size > maxBytes) return refused("there is more in it than allowed");
    // One byte more tells a file that grows.
    const buffer = Buffer.alloc(facts.size + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) return ok(buffer.subarray(0, length));
      length += bytesRead;
    }
    return refused("it was written to while it was read");
  } catch (error) {
    return err({ reason: systemWords(error), isMissing: isMissing(error) });
  } finally {
    await handle?.close();
  }
}

export const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);

export const isMissing = (error: unknown): boolean => codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";

/** Words of the system for what it refused. A bug of ours is not among them. */
export function systemWords(error: unknown): string {
  if (!(error instanceof Error) || typeof codeOf(error) !== "string") throw error;
  return codeOf(error) === "ELOOP" ? "it is a link" : `the system says: ${error.message}`;
}
