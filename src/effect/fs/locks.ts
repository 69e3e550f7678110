import type { BytePath } from "../paths/index.js";

/** Work on one real path runs one after the other, in the order it was asked for. */
export interface PathLocks {
  run<T>(real: BytePath, work: () => Promise<T>): Promise<T>;
}

/** One for all sessions of a process: they may share files. */
export function createPathLocks(): PathLocks {
  const tails = new Map<BytePath, Promise<unknown>>();
  return {
    async run(real, work) {
      const before = tails.get(real);
      const mine = before === undefined ? work() : before.then(work, work);
      tails.set(real, mine);
      try {
        return await mine;
      } finally {
        if (tails.get(real) === mine) tails.delete(real);
      }
    },
  };
}

/** Work on several paths at once: all are held before it begins, in an order that is the same for all, so nobody waits for ever. */
export function runOnAll<T>(locks: PathLocks, paths: readonly BytePath[], work: () => Promise<T>): Promise<T> {
  const [first, ...others] = [...new Set(paths)].toSorted();
  return first === undefined ? work() : locks.run(first, () => runOnAll(locks, others, work));
}
