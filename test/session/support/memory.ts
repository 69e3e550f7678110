import type { SessionStore } from "../../../src/session/index.js";
import type { FileOperations } from "../../../src/session/log/index.js";
import { createStoreOn } from "../../../src/session/store.js";
import { depsFor } from "./store.js";

const missing = (): Error => Object.assign(new Error("ENOENT: no such file"), { code: "ENOENT" });

interface MemoryFile {
  bytes: Buffer;
  readonly inode: number;
}

/** Opened only to be synced. */
const FOLDER: MemoryFile = { bytes: Buffer.alloc(0), inode: 0 };

/** A directory in memory, for tests that open thousands of images. Syncs do nothing; locks are always free. */
export class MemoryDirectory {
  readonly files = new Map<string, MemoryFile>();
  readonly #open = new Map<number, MemoryFile>();
  #count = 0;

  put(path: string, bytes: Uint8Array): void {
    this.#count += 1;
    this.files.set(path, { bytes: Buffer.from(bytes), inode: this.#count });
  }

  get(path: string): Buffer {
    const file = this.files.get(path);
    if (file === undefined) throw missing();
    return file.bytes;
  }

  store(): SessionStore {
    return createStoreOn(depsFor("/memory"), this.operations(), { prepare: () => undefined, tryLock: () => true });
  }

  operations(): FileOperations {
    const at = (fd: number): MemoryFile => {
      const file = this.#open.get(fd);
      if (file === undefined) throw Object.assign(new Error("EBADF"), { code: "EBADF" });
      return file;
    };
    const facts = (file: MemoryFile) => ({ size: file.bytes.length, inode: file.inode, modifiedMs: 0 });
    return {
      open: async (path, flags) => {
        if (flags === "wx+") this.put(path, Buffer.alloc(0));
        const file = path === "/memory" ? FOLDER : this.files.get(path);
        if (file === undefined) throw missing();
        this.#count += 1;
        this.#open.set(this.#count, file);
        return this.#count;
      },
      close: async (fd) => {
        this.#open.delete(fd);
      },
      read: async (fd, into, position) => at(fd).bytes.copy(into, 0, position, position + into.length),
      write: async (fd, bytes, position) => {
        const file = at(fd);
        const size = Math.max(file.bytes.length, position + bytes.length);
        if (size > file.bytes.length) file.bytes = Buffer.concat([file.bytes, Buffer.alloc(size - file.bytes.length)]);
        file.bytes.set(bytes, position);
        return bytes.length;
      },
      fdatasync: async () => undefined,
      fsync: async () => undefined,
      truncate: async (fd, size) => {
        at(fd).bytes = Buffer.from(at(fd).bytes.subarray(0, size));
      },
      facts: async (fd) => facts(at(fd)),
      stat: async (path) => {
        this.get(path);
        return facts(this.files.get(path) as MemoryFile);
      },
      link: async (from, to) => {
        this.files.set(to, this.files.get(from) as MemoryFile);
      },
      rename: async (from, to) => {
        this.get(from);
        this.files.set(to, this.files.get(from) as MemoryFile);
        this.files.delete(from);
      },
      unlink: async (path) => {
        if (!this.files.delete(path)) throw missing();
      },
      mkdir: async () => undefined,
      readdir: async () => [...this.files.keys()].map((path) => path.slice("/memory/".length)),
      readText: async (path) => this.get(path).toString("utf8"),
      writeText: async (path, text) => {
        this.put(path, Buffer.from(text));
      },
    };
  }
}
