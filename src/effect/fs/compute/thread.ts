import { Worker } from "node:worker_threads";
import { err } from "../../../base/index.js";
import type { Result } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { computeFailed, stopped } from "../failures.js";
import { type ChangeTask, type Computed, computeChange } from "./task.js";

/** Works out changes of files. */
export interface Computer {
  /** Ends at once on abort. What an edit or a write was given as `before` may be moved away: it is not to be used after. */
  compute(task: ChangeTask, signal: AbortSignal): Promise<Result<Computed, Diagnostic>>;
}

/** Below this a change takes less time than a thread to start, and less than anybody waiting for the screen can see. */
const INLINE_BYTES = 512 * 1024;

/**
 * Large changes run in a thread made for each and ended with it, one at a time: memory is bounded by the largest, and nothing else
 * waits meanwhile. Without `workerUrl` all run here.
 */
export function createComputer(workerUrl: URL | undefined): Computer {
  let tail: Promise<unknown> = Promise.resolve();
  return {
    compute(task, signal) {
      if (workerUrl === undefined || weightOf(task) < INLINE_BYTES) return Promise.resolve(computeChange(task));
      const mine = tail.then(() => computeInThread(workerUrl, task, signal));
      tail = mine;
      return mine;
    },
  };
}

function weightOf(task: ChangeTask): number {
  const before = task.before?.byteLength ?? 0;
  switch (task.type) {
    case "edit":
      return task.edits.reduce((sum, edit) => sum + edit.old.length + edit.new.length, before);
    case "patch":
      return before * 2;
    case "write":
      return before + task.content.length;
    case "diff":
      return before + (task.after?.byteLength ?? 0);
  }
}

/** Content that nobody needs after moves into the thread; a copy of it would hold everybody up. */
function movable(task: ChangeTask): ArrayBuffer[] {
  if (task.type !== "edit" && task.type !== "write") return [];
  const { buffer, byteLength } = task.before ?? {};
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

function computeInThread(workerUrl: URL, task: ChangeTask, signal: AbortSignal): Promise<Result<Computed, Diagnostic>> {
  if (signal.aborted) return Promise.resolve(err(stopped(task.path)));
  const worker = new Worker(workerUrl, { execArgv: [], workerData: task, transferList: movable(task) });
  return new Promise((resolve) => {
    let isSettled = false;
    const settle = (result: Result<Computed, Diagnostic>): void => {
      if (isSettled) return;
      isSettled = true;
      signal.removeEventListener("abort", onAbort);
      // Its memory is free before the next one begins.
      const over = (): void => {
        resolve(result);
      };
      worker.terminate().then(over, over);
    };
    const onAbort = (): void => {
      settle(err(stopped(task.path)));
    };
    signal.addEventListener("abort", onAbort);
    worker.once("message", (result: Result<Computed, Diagnostic>) => {
      settle(result);
    });
    worker.once("error", (error: unknown) => {
      settle(err(computeFailed(task.path, error instanceof Error ? error.message : String(error))));
    });
    worker.once("exit", (code) => {
      settle(err(computeFailed(task.path, `its thread ended with ${code}`)));
    });
  });
}
