import type { SessionStore } from "../../../src/session/index.js";
import type { FileOperations } from "../../../src/session/log/index.js";
import { nodeFileOperations } from "../../../src/session/log/index.js";
import { createStoreOn } from "../../../src/session/store.js";
import { depsFor } from "./store.js";

/** Read-only: anything that would change a file fails the test. Counts bytes. */
export function countingStore(
  dir: string,
  inner: FileOperations = nodeFileOperations,
): { readonly store: SessionStore; readonly bytesRead: () => number } {
  let bytes = 0;
  const refuse = (): never => {
    throw new Error("a read-only operation tried to change a file");
  };
  const ops: FileOperations = {
    ...inner,
    open: (path, flags) => (flags === "r" ? inner.open(path, flags) : refuse()),
    read: async (fd, into, position) => {
      const got = await inner.read(fd, into, position);
      bytes += got;
      return got;
    },
    write: refuse,
    truncate: refuse,
    link: refuse,
    unlink: refuse,
    mkdir: refuse,
    writeText: refuse,
    fsync: refuse,
    fdatasync: refuse,
  };
  return { store: createStoreOn(depsFor(dir), ops, { prepare: refuse, tryLock: refuse }), bytesRead: () => bytes };
}
