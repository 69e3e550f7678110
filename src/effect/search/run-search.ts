import { err, ok } from "../../base/index.js";
import type { Clock } from "../../base/index.js";
import type { GrepOutput } from "../../schema/index.js";
import type { BytePath } from "../paths/index.js";
import { displayPath } from "../paths/index.js";
import { searchFailed, searchStopped, searchTooSlow } from "./failures.js";
import type { GrepEnd, GrepMerge } from "./grep/index.js";
import { createGrepMerge } from "./grep/index.js";
import { endlessNotes, LATE_NOTE, linkNotes, rootNotes, spanNotes, unseenNotes } from "./notes.js";
import type { ThreadMessage, Threads } from "./pool/index.js";
import type { SearchResult, SearchTask, TaskOf } from "./task.js";
import { writeStop } from "./task.js";

export interface RunTimes {
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly graceMs: number;
  /** One piece of one file that takes longer is taken for endless. */
  readonly pieceMs: number;
}

/** How a search ended, and whether its threads can be used again. */
export interface Ran {
  readonly result: SearchResult;
  readonly isReusable: boolean;
  /** Files the threads did not get out of: without them the search may end well. */
  readonly stuckIn?: readonly BytePath[];
}

/** Starting threads on a busy machine. */
const START_MS = 5000;

/** One search over the threads. Past its deadline it is asked to stop, past the grace it is left with what it has found. */
export async function runSearch(
  task: SearchTask,
  threads: Threads,
  id: number,
  { times, signal }: { readonly times: RunTimes; readonly signal: AbortSignal },
): Promise<Ran> {
  const stop = new SharedArrayBuffer(4);
  const cell = new Int32Array(stop);
  const settled = new AbortController();
  const begun = new AbortController();
  /** The answer is full: the threads are stopped and have the grace to say so. */
  const full = new AbortController();
  const answer = task.op === "grep" ? createGrepAnswer(task) : undefined;
  const answered = new Promise<Ran>((resolve) => {
    const heard = (message: ThreadMessage): void => {
      if (message.id !== id) return;
      if (message.type === "begun") begun.abort();
      else if (message.type === "wide") threads.widen();
      else if (message.type === "done")
        resolve({ result: message.result, isReusable: message.result.ok || message.result.error.code !== "search.failed" });
      else if (answer !== undefined && answer.add(message)) {
        writeStop(cell, "enough");
        full.abort();
      }
      if (answer?.isComplete() === true) resolve({ result: signal.aborted ? err(searchStopped()) : answer.finish(), isReusable: true });
    };
    const failed = (problem: string): void => {
      resolve({ result: err(searchFailed(problem)), isReusable: false });
    };
    threads.listen({ message: heard, failed }, settled.signal);
  });
  threads.post({ id, task, stop });
  try {
    const late = waitForStop({ ...times, threads, signal, cell, begun: begun.signal, settled: settled.signal, full: full.signal });
    const first = await Promise.race([answered, late]);
    if (!("isStuck" in first)) return first;
    if (signal.aborted) return { result: err(searchStopped()), isReusable: false };
    if (answer !== undefined) {
      const result = answer.finishStuck(full.signal.aborted, first.files);
      return { result, isReusable: false, ...(full.signal.aborted ? {} : { stuckIn: first.files }) };
    }
    return { result: err(searchTooSlow(patternOf(task), times.deadlineMs + times.graceMs)), isReusable: false };
  } finally {
    settled.abort();
  }
}

const patternOf = (task: SearchTask): string => (task.op === "list" ? (task.input.path ?? ".") : task.input.pattern);

interface GrepAnswer {
  /** True when no more is needed. */
  add(message: Extract<ThreadMessage, { type: "batch" | "walked" }>): boolean;
  isComplete(): boolean;
  finish(): SearchResult;
  finishStuck(isFull: boolean, files: readonly BytePath[]): SearchResult;
}

function createGrepAnswer({ input, scope }: TaskOf<"grep">): GrepAnswer {
  const merge: GrepMerge = createGrepMerge(input);
  let walked: Extract<ThreadMessage, { type: "walked" }> | undefined;
  let received = 0;
  let isFull = false;
  let isWhole = true;
  const passedOver = scope.passedOver ?? [];
  const finishAs = (end: GrepEnd, stuckIn: readonly BytePath[]): SearchResult => {
    const counts = walked?.counts;
    const isSpanning = walked?.spansLines === true && input.multiline !== true;
    const root = counts === undefined ? [] : rootNotes(end === "all" ? counts : { ...counts, unreadable: 0 }, scope);
    const endless = [...passedOver, ...(end === "late" ? stuckIn : [])].map((path) => displayPath(path, scope.cwd));
    const merged = merge.finish(end, [...(end === "late" ? [LATE_NOTE] : []), ...endlessNotes(endless), ...root]);
    const output = passedOver.length === 0 ? merged : asPart(merged);
    if (end !== "all" || counts === undefined) return ok(output);
    const nothing = output.matchCount > 0 ? [] : [...spanNotes(isSpanning), ...unseenNotes(counts)];
    return ok({ ...output, notes: [...output.notes, ...linkNotes(counts.links), ...nothing] });
  };
  return {
    add(message) {
      if (message.type === "walked") {
        walked = message;
        isWhole &&= message.isWhole;
      } else {
        received += 1;
        isWhole &&= message.result.isWhole;
        isFull ||= merge.add(message.index, message.result);
      }
      return isFull;
    },
    isComplete: () => walked !== undefined && received === walked.batches,
    finish: () => finishAs(isFull ? "early" : isWhole ? "all" : "late", []),
    finishStuck: (isEnough, files) => finishAs(isEnough ? "early" : "late", files),
  };
}

/** Not everything was looked at. */
const asPart = (output: GrepOutput): GrepOutput => ({
  ...output,
  truncated: true,
  ...(output.total === undefined ? {} : { total: { ...output.total, isExact: false } }),
});

interface StopWait extends RunTimes {
  readonly threads: Threads;
  readonly signal: AbortSignal;
  readonly cell: Int32Array;
  /** Aborted when the leader has taken the search up. */
  readonly begun: AbortSignal;
  readonly settled: AbortSignal;
  readonly full: AbortSignal;
}

/** Threads that do not answer, and the files they are in. */
interface Stuck {
  readonly isStuck: true;
  readonly files: readonly BytePath[];
}

/**
 * Asks a search to stop at its deadline or on abort, and says so when it still has not answered after the grace; or at once when a thread
 * is in the same piece of a file from one look to the next. Starting the threads does not count, within reason.
 */
async function waitForStop(wait: StopWait): Promise<Stuck> {
  const { clock, threads, signal, cell, settled } = wait;
  await clock.sleep(START_MS, AbortSignal.any([wait.begun, signal, settled]));
  const ended = AbortSignal.any([signal, settled, wait.full]);
  const until = clock.monotonic() + wait.deadlineMs;
  let before = workOf(threads);
  for (let left = wait.deadlineMs; left > 0 && !ended.aborted; left = until - clock.monotonic()) {
    await clock.sleep(Math.min(wait.pieceMs, left), ended);
    const now = workOf(threads);
    const files = now.flatMap(({ path, ticks }, thread) => (path !== undefined && ticks === before[thread]?.ticks ? [path] : []));
    if (files.length > 0 && left > wait.pieceMs && !ended.aborted) return { isStuck: true, files };
    before = now;
  }
  writeStop(cell, signal.aborted ? "aborted" : "late");
  await clock.sleep(wait.graceMs, settled);
  return { isStuck: true, files: workOf(threads).flatMap(({ path }) => path ?? []) };
}

const workOf = ({ board, count }: Threads): readonly { readonly path: BytePath | undefined; readonly ticks: number }[] =>
  Array.from({ length: count }, (_, thread) => ({ path: board.workedOn(thread), ticks: board.ticks(thread) }));
