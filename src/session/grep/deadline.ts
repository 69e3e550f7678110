import { type Context, createContext, Script } from "node:vm";

/** Runs a task to its end, or not longer than a time: `false` when it was stopped, wherever it was, or ran out of stack. */
export type Deadline = (task: () => void) => boolean;

/**
 * A pattern can take longer than anyone waits, and nothing on this thread can stop it but the engine itself. Costs about
 * 0.1 ms a run; signals are heard between runs.
 */
export function createDeadline(ms: number): Deadline {
  const scope = { task: (): void => undefined };
  const script = new Script("task()");
  let context: Context | undefined;
  return (task) => {
    context ??= createContext(scope);
    scope.task = task;
    try {
      script.runInContext(context, { timeout: ms });
      return true;
    } catch (error) {
      if (isTimeout(error) || error instanceof RangeError) return false;
      throw error;
    }
  };
}

/** The engine makes this error in the context it runs in, so it is no instance of the `Error` here. */
const isTimeout = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
