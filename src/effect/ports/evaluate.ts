import { err, ok, orAborted, utf8Length } from "../../base/index.js";
import type { EvaluatePort, Facility } from "../types.js";
import { badSource, evaluateDenied, portStopped } from "./failures.js";

const EVALUATE_BOUNDS = {
  /** UTF-8 bytes of source and input together. */
  bytes: 2 * 1024 * 1024,
  timeoutMs: 2000,
  mostTimeoutMs: 10_000,
} as const;

export function createEvaluateFacility(evaluate: EvaluatePort): Facility<"evaluate.run"> {
  return {
    authorize: async (input, { plugin, grants }) => {
      if (!grants.evaluate) return err(evaluateDenied(plugin));
      const bytes = utf8Length(input.source) + utf8Length(JSON.stringify(input.input ?? null));
      if (bytes > EVALUATE_BOUNDS.bytes) return err(badSource(bytes, EVALUATE_BOUNDS.bytes));
      const timeoutMs = Math.min(Math.max(1, Math.trunc(input.timeoutMs ?? EVALUATE_BOUNDS.timeoutMs)), EVALUATE_BOUNDS.mostTimeoutMs);
      return ok({ ...input, timeoutMs });
    },
    run: async (input, { signal }) => {
      const value = await orAborted(evaluate.run(input, signal), signal);
      if (value === "aborted") return { outcome: "not-applied", result: err(portStopped("evaluate.run")) };
      return { outcome: "not-applied", result: value.ok ? ok({ value: value.value }) : value };
    },
  };
}
