import type { Clock } from "../../base/index.js";
import type { FileOperations } from "./file-operations.js";

/** What comes from memory takes a small part of this. */
const QUICK_MS = 1;
/** Time beyond that, in all, after which waiting is left to other threads. More than one turn of another program, on a busy machine. */
const PATIENCE_MS = 20;

/**
 * The same operations, but files are opened and read on this thread until that has taken long: what the system holds in memory
 * is there sooner than another thread could be asked for it, and what it does not hold is then waited for elsewhere.
 * For many short reads of which nobody waits for a single one; whoever uses it lets others have their turn in between.
 */
export function quickOperations(ops: FileOperations, clock: Clock): FileOperations {
  let waitedMs = 0;
  const timed = <Value>(run: (where: "here" | "pool") => Promise<Value>): Promise<Value> => {
    if (waitedMs > PATIENCE_MS) return run("pool");
    const started = clock.monotonic();
    const running = run("here");
    waitedMs += Math.max(0, clock.monotonic() - started - QUICK_MS);
    return running;
  };
  return {
    ...ops,
    open: (path, flags) => timed((where) => ops.open(path, flags, where)),
    read: (fd, into, position) => timed((where) => ops.read(fd, into, position, where)),
  };
}
