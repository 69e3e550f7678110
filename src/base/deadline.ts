import { createContext, Script } from "node:vm";

/** Runs synchronous work for at most some time. */
export interface Deadline {
  /** Undefined when the time was over: the work was stopped in the middle of whatever it did. What it throws is thrown. */
  run<T>(work: () => T, ms: number): { readonly value: T } | undefined;
}

/**
 * A parser or a pattern that backtracks can take years for one line, and nothing in this thread could stop it. The engine can: it ends what a
 * script calls when the script's time is over. The work runs in this realm, with everything it can reach.
 */
export function createDeadline(): Deadline {
  const global: { work?: () => void } = {};
  const context = createContext(global);
  const script = new Script("work()");
  return {
    run<T>(work: () => T, ms: number) {
      let result: { readonly value: T } | undefined;
      global.work = () => {
        result = { value: work() };
      };
      try {
        script.runInContext(context, { timeout: ms });
      } catch (error) {
        if (!isLate(error)) throw error;
        return undefined;
      } finally {
        delete global.work;
      }
      return result;
    },
  };
}

// An error of the other realm: no instance of this one's Error.
const isLate = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
