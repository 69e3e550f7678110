import type { BytePath } from "../../paths/index.js";
import { bytesOf, fromBytes } from "../../paths/index.js";

/**
 * What the threads of a pool tell each other in shared memory, where it is seen also inside synchronous work. Thread 0 leads.
 */
export interface Board {
  /** A helper listens. */
  arrive(thread: number): void;
  isThere(thread: number): boolean;
  /** Batches given to a helper and not done yet. */
  pending(thread: number): number;
  given(thread: number): void;
  done(thread: number): void;
  /** The thread is about to run an expression on a file; undefined: no longer. */
  workOn(thread: number, path: BytePath | undefined): void;
  workedOn(thread: number): BytePath | undefined;
  /** Grows with every file, and every piece of a large one, that a thread begins. */
  ticks(thread: number): number;
}

/** No path that can be opened is longer. */
const PATH_BYTES = 4096;
const CELLS = 4;
const THREAD_BYTES = CELLS * 4 + PATH_BYTES;

export const newBoard = (threads: number): SharedArrayBuffer => new SharedArrayBuffer(threads * THREAD_BYTES);

export function openBoard(memory: SharedArrayBuffer): Board {
  const cells = (thread: number): Int32Array => new Int32Array(memory, thread * THREAD_BYTES, CELLS);
  const text = (thread: number): Uint8Array => new Uint8Array(memory, thread * THREAD_BYTES + CELLS * 4, PATH_BYTES);
  const all = Array.from({ length: memory.byteLength / THREAD_BYTES }, (_, thread) => ({ cells: cells(thread), text: text(thread) }));
  const load = (thread: number, cell: number): number => {
    const place = all[thread];
    return place === undefined ? 0 : Atomics.load(place.cells, cell);
  };
  const add = (thread: number, cell: number, value: number): void => {
    const place = all[thread];
    if (place !== undefined) Atomics.add(place.cells, cell, value);
  };
  return {
    arrive: (thread) => {
      add(thread, 0, 1);
    },
    isThere: (thread) => load(thread, 0) > 0,
    pending: (thread) => load(thread, 1),
    given: (thread) => {
      add(thread, 1, 1);
    },
    done: (thread) => {
      add(thread, 1, -1);
    },
    workOn: (thread, path) => {
      const place = all[thread];
      if (place === undefined) return;
      const bytes = path === undefined ? undefined : bytesOf(path).subarray(0, PATH_BYTES);
      if (bytes !== undefined) place.text.set(bytes);
      Atomics.store(place.cells, 2, bytes?.length ?? 0);
      Atomics.add(place.cells, 3, 1);
    },
    ticks: (thread) => load(thread, 3),
    workedOn: (thread) => {
      const length = load(thread, 2);
      return length === 0 ? undefined : fromBytes(Buffer.from(all[thread]?.text.slice(0, length) ?? []));
    },
  };
}
