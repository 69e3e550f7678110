import type { FileOperations } from "../../../src/session/log/index.js";
import { nodeFileOperations } from "../../../src/session/log/index.js";

export type CallName = keyof FileOperations;

export interface Call {
  readonly name: CallName;
  readonly index: number;
}

/** What an interceptor wants instead of the call: an error code, or a write of fewer bytes. */
export type Fault = { readonly error: string } | { readonly short: number } | undefined;

const fail = (code: string): Error => Object.assign(new Error(`${code}: injected`), { code });

/** File operations whose every call can be made to fail. Counts calls from 0. */
export function faultyOperations(decide: (call: Call) => Fault): FileOperations & { readonly calls: () => number } {
  let count = 0;
  const enter = (name: CallName): Fault => {
    const fault = decide({ name, index: count });
    count += 1;
    if (fault !== undefined && "error" in fault) throw fail(fault.error);
    return fault;
  };
  const through =
    <Args extends readonly unknown[], Value>(name: CallName, run: (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> => {
      enter(name);
      return run(...args);
    };
  const inner = nodeFileOperations;
  return {
    calls: () => count,
    open: through("open", inner.open),
    // Descriptors are closed in any case, or the test itself would leak them.
    close: inner.close,
    read: through("read", inner.read),
    write: async (fd, bytes, position) => {
      const fault = enter("write");
      return inner.write(fd, fault !== undefined && "short" in fault ? bytes.subarray(0, fault.short) : bytes, position);
    },
    fdatasync: through("fdatasync", inner.fdatasync),
    fsync: through("fsync", inner.fsync),
    truncate: through("truncate", inner.truncate),
    facts: through("facts", inner.facts),
    stat: through("stat", inner.stat),
    link: through("link", inner.link),
    rename: through("rename", inner.rename),
    unlink: through("unlink", inner.unlink),
    mkdir: through("mkdir", inner.mkdir),
    readdir: through("readdir", inner.readdir),
    readText: through("readText", inner.readText),
    writeText: through("writeText", inner.writeText),
  };
}

export type Logged = { readonly type: "write"; readonly position: number; readonly bytes: Buffer } | { readonly type: "sync" };

/** Real operations that also keep a log of every write and completed sync. */
export function loggingOperations(): FileOperations & { readonly log: Logged[] } {
  const log: Logged[] = [];
  return {
    ...nodeFileOperations,
    log,
    write: async (fd, bytes, position) => {
      log.push({ type: "write", position, bytes: Buffer.from(bytes) });
      return nodeFileOperations.write(fd, bytes, position);
    },
    fdatasync: async (fd) => {
      await nodeFileOperations.fdatasync(fd);
      log.push({ type: "sync" });
    },
  };
}
