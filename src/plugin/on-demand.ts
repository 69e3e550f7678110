import type { Evaluator, EvaluatorOptions } from "./evaluate/index.js";
import { handlersOf, listens } from "./lifecycle/handlers.js";
import type { judgeCommand as judge } from "./lifecycle/index.js";
import type { loadPackage as load, watchPackage } from "./package/index.js";
import type { Lifecycle, LifecycleDeps } from "./types.js";

/** What most runs never need, loaded by who asks for it. What each does is told where it is made. */
export const loadPackage: typeof load = async (dir, deps) => await (await import("./package/load.js")).loadPackage(dir, deps);

export const loadWatch = async (): Promise<typeof watchPackage> => (await import("./package/watch.js")).watchPackage;

/** Runs sources in fresh sandboxes. Nothing is loaded or started before the first. */
export function createEvaluator(options: EvaluatorOptions): Evaluator {
  let evaluator: Evaluator | undefined;
  const ready = async (): Promise<Evaluator> => {
    const { createEvaluator: create } = await import("./evaluate/evaluator.js");
    return (evaluator ??= create(options));
  };
  return {
    run: async (input, signal) => await (await ready()).run(input, signal),
    close: async () => {
      await evaluator?.close();
    },
  };
}

/** Runs handlers of events. Most sessions have none for most events. */
export function createLifecycle(deps: LifecycleDeps): Lifecycle {
  let made: Promise<Lifecycle> | undefined;
  return {
    listens,
    async run(lease, event, options) {
      if (handlersOf(lease.generation, event, options.only).length === 0) return { accepted: [], refused: [] };
      made ??= import("./lifecycle/lifecycle.js").then(({ createLifecycle: create }) => create(deps));
      return await (await made).run(lease, event, options);
    },
  };
}

export const judgeCommand = async (...given: Parameters<typeof judge>): Promise<ReturnType<typeof judge>> =>
  (await import("./lifecycle/lifecycle.js")).judgeCommand(...given);
