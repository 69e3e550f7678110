import { open } from "node:fs/promises";
import { join } from "node:path";
import { isOurs, packagesFolder, replaceFile, sha256, stampOfMaker } from "./cache.js";
import type { PackageDeps } from "./types.js";
import type { FileStamp, PackageTree } from "./walk.js";

/**
 * A file this young when its signature was written may have been changed again within what the file system's clock can tell
 * apart (two seconds on FAT): its stamp proves nothing.
 */
const RACY_MS = 2_000;

type Row = readonly [name: string, size: number, modified: number, changed: number, inode: number];

const rowOf = ({ name, size, modified, changed, inode }: FileStamp): Row => [name, size, modified, changed, inode];

/** Compared as text: a row is nothing but a name and four numbers. */
const rowsOf = (stamps: readonly FileStamp[]): string => JSON.stringify(stamps.map(rowOf));

/** One for each folder, by its real path. */
const pathOf = (deps: PackageDeps, root: string): string => join(packagesFolder(deps), "folders", `${sha256(root)}.json`);

/** A folder's signature as it was last written, and when, by the clock of the file system. */
export interface Signature {
  readonly treeHash: string;
  readonly rows: string;
  readonly writtenAt: number;
}

export async function loadSignature(deps: PackageDeps, root: string): Promise<Signature | undefined> {
  let handle;
  try {
    handle = await open(pathOf(deps, root), "r");
    const [text, stats] = await Promise.all([handle.readFile("utf8"), handle.stat()]);
    const found: unknown = JSON.parse(text);
    if (!isOurs(found, deps) || found["root"] !== root || typeof found["tree"] !== "string") return undefined;
    return { treeHash: found["tree"], rows: JSON.stringify(found["files"]), writtenAt: stats.mtimeMs };
  } catch {
    return undefined;
  } finally {
    await handle?.close();
  }
}

/** The hash of a tree that was not touched since its signature was written; undefined where only reading it can tell. */
export function hashBySignature(tree: PackageTree, signature: Signature | undefined): string | undefined {
  if (signature === undefined || signature.rows !== rowsOf(tree.files)) return undefined;
  const youngest = Math.max(...tree.files.map(({ modified, changed }) => Math.max(modified, changed)));
  return signature.writtenAt - youngest >= RACY_MS ? signature.treeHash : undefined;
}

/** Nothing but speed depends on it, so a failure is nobody's concern. */
export async function storeSignature(
  deps: PackageDeps,
  root: string,
  read: { readonly stamps: readonly FileStamp[]; readonly treeHash: string },
): Promise<void> {
  const signature = { ...stampOfMaker(deps), root, tree: read.treeHash, files: read.stamps.map(rowOf) };
  await replaceFile(pathOf(deps, root), JSON.stringify(signature)).catch(() => undefined);
}
