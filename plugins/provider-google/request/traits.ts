import type { ModelFacts } from "smith-agent/plugin";
import { modelId } from "../url.js";

/** How one model wants to be asked, beyond what every provider knows of it. Everything that differs between models is a field here. */
export interface Traits {
  /** How thinking is asked for: by a level, or by a number of tokens within bounds. */
  readonly thinking: "level" | "budget";
  readonly minBudget: number;
  readonly maxBudget: number;
  /** Refuses a function call of the model's side that has no thought signature. */
  readonly demandsSignatures: boolean;
  /** Schemas as JSON Schema, or reduced to the older form of the API. */
  readonly schema: "json" | "reduced";
  /** Takes images within the result of a function. */
  readonly imagesInResults: boolean;
  /** Takes functions and a response format in one request. */
  readonly formatWithTools: boolean;
}

/**
 * Hints of the catalog first. For a model it does not have, its generation is read from its name: 3 and later think by levels and
 * demand signatures, and every form that older ones take is used for the rest.
 */
export function traitsOf(model: string, { hints = {} }: ModelFacts): Traits {
  const isLater = generation(model) >= 3;
  return {
    thinking: hints["thinking"] === "level" || (hints["thinking"] !== "budget" && isLater) ? "level" : "budget",
    minBudget: count(hints["budget-min"], 512),
    maxBudget: count(hints["budget-max"], 24_576),
    demandsSignatures: hints["signatures"] === "demanded" || (hints["signatures"] === undefined && isLater),
    schema: hints["schema"] === "json" ? "json" : "reduced",
    imagesInResults: hints["result-images"] === true,
    formatWithTools: hints["format-with-tools"] === true,
  };
}

/** The number in `gemini-N…`; the names that always mean the newest count as it; 0 for all others. */
function generation(model: string): number {
  const name = modelId(model).split("/").at(-1) ?? "";
  if (/^gemini-(?:[a-z-]+-)?latest$/u.test(name)) return Number.POSITIVE_INFINITY;
  return Number(/^gemini-(\d+)/u.exec(name)?.[1] ?? 0);
}

const count = (value: string | number | boolean | undefined, otherwise: number): number => (typeof value === "number" ? value : otherwise);
