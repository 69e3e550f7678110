import { constants } from "node:fs";
import { type FileHandle, link, lstat, open, realpath, rename, statfs, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { CliHost } from "../src/cli/index.js";

type FileOutput = Awaited<ReturnType<CliHost["createFile"]>>;

const CHUNK_BYTES = 262_144;

/** A file from its beginning to its end. Closed when the reader stops. */
export async function* fileChunks(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  const file = await open(path, "r");
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code });

/** Where a file that is there really is; undefined when none is there. A link is followed, so that it stays one. */
async function existing(path: string): Promise<string | undefined> {
  try {
    await lstat(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  return await realpath(path);
}

/** Undefined where nothing is there, or nothing can be found out. */
export async function realPath(path: string): Promise<string | undefined> {
  return await realpath(path).catch(() => undefined);
}

/** Types of `statfs` on which no folder is ever made: proc, sysfs, autofs. */
const NO_FOLDERS: ReadonlySet<number> = new Set([0x9fa0, 0x62656572, 0x0187]);

/** By the file system of the nearest folder that is there. True where nothing can be found out. */
export async function canHold(path: string): Promise<boolean> {
  if ((await realPath(path)) !== undefined) return true;
  const above = dirname(path);
  if (above !== path && (await realPath(above)) === undefined) return await canHold(above);
  return await statfs(above).then(
    ({ type }) => !NO_FOLDERS.has(type),
    () => true,
  );
}

/** Written beside its place under a name of its own, then moved there. */
export async function createFile(path: string, replace: boolean): Promise<FileOutput> {
  const there = await existing(path);
  if (there !== undefined && !(await lstat(there)).isFile()) throw failure("ERR_NO_FILE", `${path} is there and is no file`);
  if (there !== undefined && !replace) throw failure("EEXIST", `${path} is there`);
  const target = there ?? path;
  const temporary = join(dirname(target), `.${basename(target)}.${String(process.pid)}.tmp`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  const file = await open(temporary, flags, there === undefined ? 0o666 : (await lstat(there)).mode & 0o777);
  let isOpen = true;
  const end = async (): Promise<void> => {
    if (isOpen) await file.close();
    isOpen = false;
  };
  return {
    async write(text) {
      await file.writeFile(text);
    },
    async publish() {
      await file.sync();
      await end();
      await (replace ? rename(temporary, target) : moveToFree(temporary, target));
      await syncFolder(dirname(target));
    },
    async discard() {
      // Whatever fails here, the file was not to be kept and nobody is told of it.
      await end().catch(() => undefined);
      await unlink(temporary).catch(() => undefined);
    },
  };
}

/** Two that write the same name at once: one of them gets it. */
async function moveToFree(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw error;
    // No hard links on this file system: the best that is left.
    if ((await existing(to)) !== undefined) throw failure("EEXIST", `${to} is there`);
    await rename(from, to);
    return;
  }
  await unlink(from);
}

/** Makes the name as durable as the content. Some file systems cannot; the file is complete all the same. */
async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder, "r");
    await handle.sync();
  } catch {
    return;
  } finally {
    await handle?.close();
  }
}
