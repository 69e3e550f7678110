import * as fs from "node:fs";

/** Size, identity and age of a file. */
export interface FileFacts {
  readonly size: number;
  readonly inode: number;
  readonly modifiedMs: number;
}

/** On the calling thread, for what goes to or comes from memory (docs/decisions/0007), or in the thread pool. */
export type Where = "here" | "pool";

/**
 * Every call the session store makes to the file system; whatever may wait runs in the thread pool unless told otherwise; all
 * reject with the system's error. A port, so that tests can fail the n-th call.
 */
export interface FileOperations {
  open(path: string, flags: "r" | "r+" | "wx+", where?: Where): Promise<number>;
  close(fd: number): Promise<void>;
  /** Bytes read: less than `into` holds only at the end of the file. */
  read(fd: number, into: Uint8Array, position: number, where?: Where): Promise<number>;
  /** Bytes written by one call of the system, which may be fewer than given. */
  write(fd: number, bytes: Uint8Array, position: number, where?: Where): Promise<number>;
  fdatasync(fd: number): Promise<void>;
  fsync(fd: number): Promise<void>;
  truncate(fd: number, size: number): Promise<void>;
  facts(fd: number): Promise<FileFacts>;
  stat(path: string): Promise<FileFacts>;
  link(from: string, to: string): Promise<void>;
  /** Puts `from` in the place of `to` at once. */
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  mkdir(path: string): Promise<void>;
  readdir(path: string): Promise<readonly string[]>;
  readText(path: string): Promise<string>;
  writeText(path: string, text: string): Promise<void>;
}

/** The system's code of an error it gave, e.g. `ENOENT`; `undefined` for anything else. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

const OWNER_ONLY_DIR = 0o700;
const OWNER_ONLY_FILE = 0o600;

type Callback<Value> = (error: NodeJS.ErrnoException | null, value: Value) => void;

/** Callback functions of `node:fs` on plain descriptors: cheaper per call than FileHandle objects. */
const call = <Value>(start: (done: Callback<Value>) => void): Promise<Value> =>
  new Promise((resolve, reject) => {
    start((error, value) => {
      if (error === null || error === undefined) resolve(value);
      else reject(error);
    });
  });

const run = (start: (done: (error: NodeJS.ErrnoException | null) => void) => void): Promise<void> =>
  call<undefined>((done) => {
    start((error) => {
      done(error, undefined);
    });
  });

const factsOf = (stats: fs.Stats): FileFacts => ({ size: stats.size, inode: stats.ino, modifiedMs: stats.mtimeMs });

async function readFully(fd: number, into: Uint8Array, position: number, where?: Where): Promise<number> {
  let total = 0;
  while (total < into.length) {
    const rest = into.length - total;
    const got =
      where === "here"
        ? fs.readSync(fd, into, total, rest, position + total)
        : await call<number>((done) => {
            fs.read(fd, into, total, rest, position + total, done);
          });
    if (got === 0) break;
    total += got;
  }
  return total;
}

/** Does not wait for the other end of a pipe, and takes nothing but a file: a folder of sessions may hold anything. */
async function openRegular(path: string, flags: "r" | "r+" | "wx+", where?: Where): Promise<number> {
  const mode = flags === "r" ? fs.constants.O_RDONLY | NO_WAIT : flags === "r+" ? fs.constants.O_RDWR | NO_WAIT : flags;
  const fd =
    where === "here"
      ? fs.openSync(path, mode, OWNER_ONLY_FILE)
      : await call<number>((done) => {
          fs.open(path, mode, OWNER_ONLY_FILE, done);
        });
  // Of an open descriptor this waits for nothing, and the pool's turn would cost more than it.
  const stats = fs.fstatSync(fd);
  // Folders are opened only to make the names in them durable.
  if (stats.isFile() || stats.isDirectory()) return fd;
  await run((done) => {
    fs.close(fd, done);
  });
  throw Object.assign(new Error(`${path} is not a regular file`), { code: "EINVAL" });
}

/** Absent on Windows, where opening a pipe does not wait. */
const NO_WAIT = fs.constants.O_NONBLOCK ?? 0;

export const nodeFileOperations: FileOperations = {
  open: openRegular,
  // Waits for nothing: what had to be on the disk was synced before, and a turn in the pool costs many times as much.
  close: async (fd) => {
    fs.closeSync(fd);
  },
  read: readFully,
  write: async (fd, bytes, position, where) =>
    where === "here"
      ? fs.writeSync(fd, bytes, 0, bytes.length, position)
      : call<number>((done) => {
          fs.write(fd, bytes, 0, bytes.length, position, done);
        }),
  fdatasync: (fd) =>
    run((done) => {
      fs.fdatasync(fd, done);
    }),
  fsync: (fd) =>
    run((done) => {
      fs.fsync(fd, done);
    }),
  truncate: (fd, size) =>
    run((done) => {
      fs.ftruncate(fd, size, done);
    }),
  facts: async (fd) =>
    factsOf(
      await call<fs.Stats>((done) => {
        fs.fstat(fd, done);
      }),
    ),
  stat: async (path) =>
    factsOf(
      await call<fs.Stats>((done) => {
        fs.stat(path, done);
      }),
    ),
  link: (from, to) =>
    run((done) => {
      fs.link(from, to, done);
    }),
  rename: (from, to) =>
    run((done) => {
      fs.rename(from, to, done);
    }),
  unlink: (path) =>
    run((done) => {
      fs.unlink(path, done);
    }),
  mkdir: async (path) => {
    await fs.promises.mkdir(path, { recursive: true, mode: OWNER_ONLY_DIR });
  },
  readdir: (path) =>
    call<string[]>((done) => {
      fs.readdir(path, done);
    }),
  readText: (path) => fs.promises.readFile(path, "utf8"),
  writeText: (path, text) => fs.promises.writeFile(path, text, { mode: OWNER_ONLY_FILE }),
};

/** Makes the names in a folder durable. */
export async function syncDirectory(ops: Pick<FileOperations, "open" | "fsync" | "close">, dir: string): Promise<void> {
  // Windows cannot open directories; its file systems order metadata themselves.
  if (process.platform === "win32") return;
  const fd = await ops.open(dir, "r");
  try {
    await ops.fsync(fd);
  } finally {
    await ops.close(fd);
  }
}
