import { err, ok } from "../../base/index.js";
import type { Clock } from "../../base/index.js";
import { displayPath } from "../paths/index.js";
import { searchFailed, searchStopped, searchTooSlow } from "./failures.js";
import type { GrepEnd, GrepMerge } from "./grep/index.js";
import { createGrepMerge } from "./grep/index.js";
import { linkNotes, rootNotes, slowNotes, spanNotes, unseenNotes } from "./notes.js";
import type { ThreadMessage, Threads } from "./pool/index.js";
import type { SearchResult, SearchTask, TaskOf } from "./task.js";
import { writeStop } from "./task.js";

export interface RunTimes {
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly graceMs: number;
}

/** How a search ended, and whether its threads can be used again. */
export interface Ran {
  readonly result: SearchResult;
  readonly isReusable: boolean;
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
    const late = waitForStop({ ...times, signal, cell, begun: begun.signal, settled: settled.signal, full: full.signal });
    const first = await Promise.race([answered, late]);
    if (first !== "stuck") return first;
    if (signal.aborted) return { result: err(searchStopped()), isReusable: false };
    if (answer !== undefined) return { result: answer.finishStuck(full.signal.aborted, filesWorkedOn(threads, task)), isReusable: false };
    return { result: err(searchTooSlow(patternOf(task), times.deadlineMs + times.graceMs)), isReusable: false };
  } finally {
    settled.abort();
  }
}

const patternOf = (task: SearchTask): string => (task.op === "list" ? (task.input.path ?? ".") : task.input.pattern);

const filesWorkedOn = (threads: Threads, { scope }: SearchTask): readonly string[] =>
  Array.from({ length: threads.count }, (_, thread) => threads.board.workedOn(thread)).flatMap((path) =>
    path === undefined ? [] : [displayPath(path, scope.cwd)],
  );

interface GrepAnswer {
  /** True when no more is needed. */
  add(message: Extract<ThreadMessage, { type: "batch" | "walked" }>): boolean;
  isComplete(): boolean;
  finish(): SearchResult;
  finishStuck(isFull: boolean, files: readonly string[]): SearchResult;
}

function createGrepAnswer({ input, scope }: TaskOf<"grep">): GrepAnswer {
  const merge: GrepMerge = createGrepMerge(input);
  let walked: Extract<ThreadMessage, { type: "walked" }> | undefined;
  let received = 0;
  let isFull = false;
  let isWhole = true;
  const finishAs = (end: GrepEnd, stuckOn: readonly string[]): SearchResult => {
    const counts = walked?.counts;
    const isSpanning = walked?.spansLines === true && input.multiline !== true;
    const root = counts === undefined ? [] : rootNotes(end === "all" ? counts : { ...counts, unreadable: 0 }, scope);
    const slow = end === "late" ? slowNotes(stuckOn) : [];
    const output = merge.finish(end, [...slow, ...root]);
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

interface StopWait extends RunTimes {
  readonly signal: AbortSignal;
  readonly cell: Int32Array;
  /** Aborted when the leader has taken the search up. */
  readonly begun: AbortSignal;
  readonly settled: AbortSignal;
  readonly full: AbortSignal;
}

/**
 * Asks a search to stop at its deadline or on abort, and says so when it still has not answered after the grace. Starting
 * the threads does not count, within reason.
 */
async function waitForStop({ clock, deadlineMs, graceMs, signal, cell, begun, settled, full }: StopWait): Promise<"stuck"> {
  await clock.sleep(START_MS, AbortSignal.any([begun, signal, settled]));
  await clock.sleep(deadlineMs, AbortSignal.any([signal, settled, full]));
  writeStop(cell, signal.aborted ? "aborted" : "late");
  await clock.sleep(graceMs, settled);
  return "stuck";
}
