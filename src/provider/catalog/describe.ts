import type { JsonValue } from "../../base/index.js";
import { FACTS, type Fact } from "./facts.js";
import type { Claim, ModelEntry } from "./types.js";

/** One fact of a model for people: what counts, who says so, and who says otherwise. */
export interface FactRow {
  readonly fact: Fact;
  readonly value: JsonValue;
  readonly by: Claim["by"];
  readonly source: string;
  readonly date?: string;
  /** Weaker claims with another value, strongest first. */
  readonly conflicts: readonly Claim[];
}

/** Every known fact of an entry, in the order of {@link FACTS}. */
export const describeEntry = (entry: ModelEntry): readonly FactRow[] =>
  FACTS.flatMap((fact) => {
    const [first, ...rest] = entry.claims[fact] ?? [];
    if (first === undefined) return [];
    const value = canonical(first.value);
    return [{ fact, ...first, conflicts: rest.filter((claim) => canonical(claim.value) !== value) }];
  });

/** Equal for equal values, whatever the order of their keys. */
function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_key, held: JsonValue) =>
    typeof held === "object" && held !== null && !Array.isArray(held)
      ? Object.fromEntries(Object.entries(held).sort(([left], [right]) => (left < right ? -1 : 1)))
      : held,
  );
}
