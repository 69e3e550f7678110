import { createHash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { err, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { notAFile, notText, packageTooLarge, unreadable } from "./diagnostics.js";
import { MAX_PROBLEMS, MAX_TOTAL_BYTES } from "./limits.js";
import { type FileStamp, type PackageFile, type PackageTree, reasonOf } from "./walk.js";

/** Every file of a package as it was read. */
export interface PackageContent {
  readonly root: string;
  readonly files: ReadonlyMap<string, Buffer>;
  /** Of the files when they were opened, by name. */
  readonly stamps: readonly FileStamp[];
  readonly treeHash: string;
}

// Links were resolved by the walk, so what is a link now was swapped in; and no pipe is waited for. Windows has neither flag.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Files that are read at once. */
const CONCURRENCY = 8;

/** Reads and hashes a package. What is hashed is what was read, whatever happens on disk meanwhile. */
export async function readPackage(tree: PackageTree): Promise<Result<PackageContent, readonly Diagnostic[]>> {
  const read: (ReadFile | Diagnostic)[] = [];
  for (let index = 0; index < tree.files.length; index += CONCURRENCY) {
    read.push(...(await Promise.all(tree.files.slice(index, index + CONCURRENCY).map(readOne))));
  }
  const problems = read.filter((item) => "code" in item);
  if (problems.length > 0) return err(problems.slice(0, MAX_PROBLEMS));
  const found = read.filter((item) => "bytes" in item);
  if (found.reduce((total, { bytes }) => total + bytes.length, 0) > MAX_TOTAL_BYTES) {
    return err([packageTooLarge(tree.root, { unit: "bytes" })]);
  }
  const files = new Map(found.map(({ stamp, bytes }) => [stamp.name, bytes]));
  return ok({ root: tree.root, files, stamps: found.map(({ stamp }) => stamp), treeHash: hashTree(files) });
}

interface ReadFile {
  readonly stamp: FileStamp;
  readonly bytes: Buffer;
}

async function readOne(file: PackageFile): Promise<ReadFile | Diagnostic> {
  let handle;
  try {
    handle = await open(file.path, FLAGS);
    const stats = await handle.stat();
    if (!stats.isFile()) return notAFile(file.path, file.name);
    const bytes = await readAtMost(handle, stats.size);
    if (bytes === undefined) return unreadable(file.path, file.name, "It was written to while it was read.");
    return { stamp: stampOf(file.name, stats), bytes };
  } catch (error) {
    return unreadable(file.path, file.name, reasonOf(error));
  } finally {
    await handle?.close();
  }
}

/** All of an open file that has at most `size` bytes; undefined when it has more, as a log that grows. */
async function readAtMost(handle: FileHandle, size: number): Promise<Buffer | undefined> {
  if (size > MAX_TOTAL_BYTES) return undefined;
  const buffer = Buffer.alloc(size + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
  }
  return undefined;
}

const stampOf = (name: string, stats: Stats): FileStamp => ({
  name,
  size: stats.size,
  modified: stats.mtimeMs,
  changed: stats.ctimeMs,
  inode: stats.ino,
});

/** SHA-256 over name, size and content hash of each file, ordered by name. The names hold no NUL and no line break. */
function hashTree(files: ReadonlyMap<string, Buffer>): string {
  const tree = createHash("sha256").update("smith package 1\n");
  for (const [name, bytes] of [...files].sort(([left], [right]) => (left < right ? -1 : 1))) {
    tree.update(`${name}\0${String(bytes.length)}\0${createHash("sha256").update(bytes).digest("hex")}\n`);
  }
  return tree.digest("hex");
}

/** Text of a file of the package, without a byte order mark; undefined when there is no such file. */
export function textOf(content: PackageContent, name: string): Result<string | undefined, Diagnostic> {
  const bytes = content.files.get(name);
  if (bytes === undefined) return ok(undefined);
  try {
    return ok(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return err(notText(join(content.root, name), name));
  }
}
