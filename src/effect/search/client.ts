import { Worker } from "node:worker_threads";
import { err } from "../../base/index.js";
import type { Clock, Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { searchFailed, searchStopped, searchTooSlow } from "./failures.js";
import type { SearchBegun, SearchOperation, SearchOperations, SearchRequest, SearchResponse, SearchTask } from "./task.js";
import { writeStop } from "./task.js";

export interface SearchDeps {
  /** The built `src/effect/search/worker.ts`. */
  readonly workerUrl: URL;
  readonly clock: Clock;
  /** After this a search answers with what it has. Default 10 s. */
  readonly deadlineMs?: number;
  /** How long after deadline or abort a search that does not answer is ended with its thread. Default 1 s. */
  readonly graceMs?: number;
}

export type TaskOf<Op extends SearchOperation> = Extract<SearchTask, { op: Op }>;

/** Searches in a thread of its own, started at the first search. */
export interface Search {
  run<Op extends SearchOperation>(task: TaskOf<Op>, signal: AbortSignal): Promise<Result<SearchOperations[Op]["output"], Diagnostic>>;
  close(): Promise<void>;
}

/** Starting a thread on a busy machine. */
const START_MS = 5000;

type Answer = SearchResponse["result"];

/**
 * One search at a time, the others wait in order; so a thread that is stuck in one line is stuck for exactly one search,
 * and ending it takes no other search with it.
 */
export function createSearch(deps: SearchDeps): Search {
  const deadlineMs = deps.deadlineMs ?? 10_000;
  const graceMs = deps.graceMs ?? 1000;
  let worker: Worker | undefined;
  let tail: Promise<unknown> = Promise.resolve();
  let nextId = 0;
  let isClosed = false;

  const start = (): Worker => {
    const started = new Worker(deps.workerUrl, { execArgv: [] });
    // A fault is told to the search that waits; one without a search must not count as uncaught.
    started.on("error", () => undefined);
    started.once("exit", () => {
      if (worker === started) worker = undefined;
    });
    started.unref();
    return started;
  };
  const drop = async (): Promise<void> => {
    const dropped = worker;
    worker = undefined;
    await dropped?.terminate();
  };
  const perform = async (task: SearchTask, signal: AbortSignal): Promise<Answer> => {
    if (signal.aborted || isClosed) return err(searchStopped());
    worker ??= start();
    nextId += 1;
    const stop = new SharedArrayBuffer(4);
    const cell = new Int32Array(stop);
    const request: SearchRequest = { id: nextId, task, stop };
    const settled = new AbortController();
    const begun = new AbortController();
    const answered = ask(worker, request, begun, settled.signal);
    const late = waitForStop({ clock: deps.clock, deadlineMs, graceMs, signal, cell, begun: begun.signal, settled: settled.signal });
    try {
      const first = await Promise.race([answered, late]);
      if (first !== "stuck") return first;
      await drop();
      return err(signal.aborted ? searchStopped() : searchTooSlow(patternOf(task), deadlineMs + graceMs));
    } catch (error) {
      await drop();
      return err(searchFailed(error instanceof Error ? error.message : String(error)));
    } finally {
      settled.abort();
    }
  };
  return {
    run<Op extends SearchOperation>(task: TaskOf<Op>, signal: AbortSignal) {
      const mine = tail.then(() => perform(task, signal));
      tail = mine;
      return mine;
    },
    async close() {
      isClosed = true;
      await drop();
    },
  };
}

const patternOf = (task: SearchTask): string => (task.op === "list" ? (task.input.path ?? ".") : task.input.pattern);

/** The answer to one request; rejects when the thread ends first. Keeps the process alive while it waits. */
function ask(worker: Worker, request: SearchRequest, begun: AbortController, settled: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onMessage = ({ id, result }: SearchResponse | SearchBegun): void => {
      if (id !== request.id) return;
      if (result === "begun") begun.abort();
      else resolve(result);
    };
    const onError = (error: unknown): void => {
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const onExit = (code: number): void => {
      reject(new Error(`its thread ended with ${code}`));
    };
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
    worker.ref();
    settled.addEventListener("abort", () => {
      worker.off("message", onMessage).off("error", onError).off("exit", onExit).unref();
    });
    worker.postMessage(request);
  });
}

interface StopWait {
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly graceMs: number;
  readonly signal: AbortSignal;
  readonly cell: Int32Array;
  /** Aborted when the thread has taken the search up. */
  readonly begun: AbortSignal;
  readonly settled: AbortSignal;
}

/**
 * Asks a search to stop at its deadline or on abort, and says so when it still has not answered after the grace. Starting
 * the thread does not count, within reason.
 */
async function waitForStop({ clock, deadlineMs, graceMs, signal, cell, begun, settled }: StopWait): Promise<"stuck"> {
  await clock.sleep(START_MS, AbortSignal.any([begun, signal, settled]));
  await clock.sleep(deadlineMs, AbortSignal.any([signal, settled]));
  writeStop(cell, signal.aborted ? "aborted" : "late");
  await clock.sleep(graceMs, settled);
  return "stuck";
}
