import { availableParallelism } from "node:os";
import { err } from "../../base/index.js";
import type { Clock, Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { searchStopped } from "./failures.js";
import type { Threads } from "./pool/index.js";
import type { Ran } from "./run-search.js";
import type { SearchOperation, SearchOperations, SearchResult, SearchTask, TaskOf } from "./task.js";

export interface SearchDeps {
  /** The built `src/effect/search/worker.ts`. */
  readonly workerUrl: URL;
  readonly clock: Clock;
  /** After this a search answers with what it has. Default 10 s. */
  readonly deadlineMs?: number;
  /** How long after deadline or abort a search that does not answer is ended with its threads. Default 1 s. */
  readonly graceMs?: number;
  /** One piece of one file that takes longer is given up, and the search repeated without the file. Default 2 s. */
  readonly pieceMs?: number;
  /** Default: as many as the machine runs at once, at most 4. */
  readonly threads?: number;
}

/** Searches in threads of their own, started at the first search, more of them when there is much to read. */
export interface Search {
  run<Op extends SearchOperation>(task: TaskOf<Op>, signal: AbortSignal): Promise<Result<SearchOperations[Op]["output"], Diagnostic>>;
  close(): Promise<void>;
}

const MAX_THREADS = 4;
const MAX_REPEATS = 3;

/**
 * One search at a time, each with all threads, the others wait in order; so a thread that is stuck in one line is stuck for exactly one
 * search, and ending it takes no other search with it.
 */
export function createSearch(deps: SearchDeps): Search {
  const count = Math.max(1, deps.threads ?? Math.min(MAX_THREADS, availableParallelism()));
  const times = { clock: deps.clock, deadlineMs: deps.deadlineMs ?? 10_000, graceMs: deps.graceMs ?? 1000, pieceMs: deps.pieceMs ?? 2000 };
  let threads: Threads | undefined;
  let tail: Promise<unknown> = Promise.resolve();
  let nextId = 0;
  let isClosed = false;

  const drop = async (): Promise<void> => {
    const dropped = threads;
    threads = undefined;
    await dropped?.terminate();
  };
  const attempt = async (task: SearchTask, signal: AbortSignal, deadlineMs: number): Promise<Ran> => {
    const [{ startThreads }, { runSearch }] = await Promise.all([import("./pool/index.js"), import("./run-search.js")]);
    if (signal.aborted || isClosed) return { result: err(searchStopped()), isReusable: true };
    if (threads === undefined) {
      const started = startThreads(deps.workerUrl, count, () => {
        // All are replaced when one is gone: they know each other.
        if (threads === started) threads = undefined;
        started.terminate().catch(() => undefined);
      });
      threads = started;
    }
    nextId += 1;
    const ran = await runSearch(task, threads, nextId, { times: { ...times, deadlineMs }, signal });
    if (!ran.isReusable) await drop();
    return isClosed && !ran.isReusable ? { result: err(searchStopped()), isReusable: false } : ran;
  };
  /** Files in which an expression does not end are passed over, a few of them, as long as there is time. */
  const perform = async (given: SearchTask, signal: AbortSignal): Promise<SearchResult> => {
    const until = deps.clock.monotonic() + times.deadlineMs;
    let task = given;
    let ran = await attempt(task, signal, times.deadlineMs);
    for (let repeats = 0; repeats < MAX_REPEATS && ran.stuckIn !== undefined; repeats += 1) {
      const left = until - deps.clock.monotonic();
      if (left < times.pieceMs) break;
      const passedOver = [...(task.scope.passedOver ?? []), ...ran.stuckIn];
      task = { ...task, scope: { ...task.scope, passedOver } };
      ran = await attempt(task, signal, left);
    }
    return ran.result;
  };
  return {
    run<Op extends SearchOperation>(task: TaskOf<Op>, signal: AbortSignal) {
      const mine = tail.then(() => perform(task, signal));
      tail = mine.catch(() => undefined);
      return mine;
    },
    async close() {
      isClosed = true;
      await drop();
    },
  };
}
