import type { ModelRef } from "../../schema/index.js";
import { mergeStatements } from "./facts.js";
import { layersOf, type ProviderLayers, statementsOf } from "./layers.js";
import type { Catalog, CatalogInput, ModelEntry } from "./types.js";

/**
 * All layers as one view. Nothing is indexed before it is asked for, and then only the provider that is: finding the model of a start
 * reads one provider's lists. The same input gives the same answers, in the same order.
 */
export function createCatalog(input: CatalogInput): Catalog {
  const layers = new Map<string, ProviderLayers>();
  const layersFor = (provider: string): ProviderLayers => {
    const made = layers.get(provider) ?? layersOf(provider, input);
    layers.set(provider, made);
    return made;
  };
  let listed: readonly ModelEntry[] | undefined;
  return {
    find: (ref, connection) => entryOf(ref, layersFor(ref.provider), connection),
    list: () =>
      (listed ??= [...new Set(input.offers.map(({ id }) => id))].flatMap((provider) => {
        const own = layersFor(provider);
        return own
          .ids()
          .map((model) => entryOf({ provider, model }, own, undefined))
          .sort(newestFirst);
      })),
  };
}

function entryOf({ provider, model }: ModelRef, layers: ProviderLayers, connection: string | undefined): ModelEntry {
  const { statements, known, title, released, listedBy, also, isAlso } = statementsOf(layers, model, connection);
  let merged: Pick<ModelEntry, "facts" | "claims"> | undefined;
  const all = (): Pick<ModelEntry, "facts" | "claims"> => (merged ??= mergeStatements(statements()));
  return {
    ref: { provider, model },
    ...(title === undefined ? {} : { title }),
    ...(released === undefined ? {} : { released }),
    ...(also.length === 0 ? {} : { also }),
    ...(isAlso ? { isAlso } : {}),
    ...(listedBy.length === 0 ? {} : { listedBy }),
    known,
    get facts() {
      return all().facts;
    },
    get claims() {
      return all().claims;
    },
  };
}

/** Without a date of release last; equals by id, so that the order is one and the same. */
export function newestFirst(left: ModelEntry, right: ModelEntry): number {
  const [a, b] = [left.released ?? "", right.released ?? ""];
  if (a !== b) return a > b ? -1 : 1;
  return left.ref.model < right.ref.model ? -1 : 1;
}
