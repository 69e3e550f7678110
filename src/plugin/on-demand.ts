import type { Evaluator, EvaluatorOptions } from "./evaluate/index.js";
import type { loadPackage as load, watchPackage } from "./package/index.js";

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
