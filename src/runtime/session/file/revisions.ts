import type { EntryId } from "../../../base/index.js";
import type { Position } from "../../../schema/index.js";

/** A committed state of a session: its newest change and the leaf that change left selected. */
export interface Revision {
  readonly position: Position;
  readonly leaf: EntryId | undefined;
}

/** The acknowledged revisions of a file that this process writes, and who waits for one. */
export interface Revisions {
  newest(): Revision | undefined;
  /** The file is there, or there again. */
  open(at: Revision): void;
  advance(to: Revision): void;
  /** Resolves once there is a file, at abort and at close. */
  opened(signal: AbortSignal): Promise<void>;
  /** True once that change is acknowledged; false at abort and at close. */
  reached(seq: number, signal: AbortSignal): Promise<boolean>;
  isClosed(): boolean;
  close(): void;
}

export function createRevisions(): Revisions {
  let newest: Revision | undefined;
  let isClosed = false;
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const look of [...waiting]) look();
  };
  const until = async (isMet: () => boolean, signal: AbortSignal): Promise<void> => {
    if (isMet() || isClosed || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!isMet() && !isClosed && !signal.aborted) return;
        waiting.delete(look);
        signal.removeEventListener("abort", look);
        resolve();
      };
      waiting.add(look);
      signal.addEventListener("abort", look);
    });
  };
  const isReached = (seq: number): boolean => newest !== undefined && newest.position.seq >= seq;
  return {
    newest: () => newest,
    open(at) {
      newest = at;
      wake();
    },
    advance(to) {
      if (isReached(to.position.seq)) return;
      newest = to;
      wake();
    },
    async opened(signal) {
      await until(() => newest !== undefined, signal);
    },
    async reached(seq, signal) {
      await until(() => isReached(seq), signal);
      return isReached(seq) && !signal.aborted;
    },
    isClosed: () => isClosed,
    close() {
      isClosed = true;
      wake();
    },
  };
}
