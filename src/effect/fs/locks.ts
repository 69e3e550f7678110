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
