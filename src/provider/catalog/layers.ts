import {
  type CatalogModel,
  diagnosticPlace,
  type DiagnosticSource,
  type ModelFacts,
  type ModelInfo,
  type ModelOverride,
  type ProviderCatalog,
} from "../../schema/index.js";
import type { ProviderOffer } from "../offer.js";
import { stemOf } from "./family.js";
import { FACTS, type Statement } from "./facts.js";
import type { CatalogInput, ServerList } from "./types.js";

/** A model of a reviewed catalog, with that catalog. */
export interface Reviewed {
  readonly model: CatalogModel;
  readonly catalog: ProviderCatalog;
  readonly by: "plugin" | "catalog";
}

/** What servers listed under one connection. */
export interface Listed {
  readonly list: ServerList;
  readonly models: ReadonlyMap<string, ModelInfo>;
}

/** Everything that is said of the models of one provider, by the id it is said of. */
export interface ProviderLayers {
  /** Strongest catalog first: its ids, then the ids its models also have. */
  reviewed(id: string): readonly Reviewed[];
  readonly catalogs: readonly ProviderCatalog[];
  /** Newest list first. */
  readonly listed: readonly Listed[];
  /** Of a connection's own name before those of its provider; the later, stronger configuration first. */
  overrides(id: string, connection: string | undefined): readonly ModelOverride[];
  /** Every id something is said of, each once: those of catalogs, of servers, of people. */
  ids(): readonly string[];
}

export function layersOf(provider: string, input: CatalogInput): ProviderLayers {
  const offers = input.offers.filter(({ id }) => id === provider);
  const ordered = [...offers.filter(isAdded), ...offers.filter((offer) => !isAdded(offer))];
  const reviewed = indexReviewed(ordered);
  const listed = (input.snapshot?.lists ?? [])
    .filter((list) => list.provider === provider)
    .sort((left, right) => right.takenAt - left.takenAt || (left.connection < right.connection ? -1 : 1))
    .map((list) => ({ list, models: new Map(list.models.map((model) => [model.ref.model, model])) }));
  const overrides = input.overrides.filter(({ ref }) => ref.provider === provider).reverse();
  return {
    reviewed: (id) => reviewed.get(id) ?? [],
    catalogs: ordered.flatMap(({ catalog }) => catalog ?? []),
    listed,
    overrides: (id, connection) => [
      ...(connection === undefined || connection === provider ? [] : ofConnection(input, connection)).filter(({ ref }) => ref.model === id),
      ...overrides.filter(({ ref }) => ref.model === id),
    ],
    ids: () => {
      const own = [...reviewed].flatMap(([id, [first]]) => (first?.model.id === id ? [id] : []));
      const found = [...listed.flatMap(({ models }) => [...models.keys()]), ...overrides.map(({ ref }) => ref.model)];
      return [...new Set([...own, ...found.filter((id) => !reviewed.has(id))])];
    },
  };
}

/** A server of one's own is named by its connection, as in a selection. */
const ofConnection = ({ overrides }: CatalogInput, connection: string): readonly ModelOverride[] =>
  overrides.filter(({ ref }) => ref.provider === connection).reverse();

const isAdded = (offer: ProviderOffer): boolean => offer.isAdded === true;

function indexReviewed(offers: readonly ProviderOffer[]): ReadonlyMap<string, readonly Reviewed[]> {
  const index = new Map<string, Reviewed[]>();
  const put = (id: string, entry: Reviewed): void => {
    const there = index.get(id);
    if (there === undefined) index.set(id, [entry]);
    // Within one catalog an id that is a model's own is not another model's other name.
    else if (!there.some(({ catalog }) => catalog === entry.catalog)) there.push(entry);
  };
  for (const offer of offers) {
    const { catalog } = offer;
    if (catalog === undefined) continue;
    const by = isAdded(offer) ? "plugin" : "catalog";
    for (const model of catalog.models) put(model.id, { model, catalog, by });
    for (const model of catalog.models) for (const id of model.also ?? []) put(id, { model, catalog, by });
  }
  return index;
}

/** What is said of one model, strongest first. */
export interface Said {
  /** Gathered when it is asked for: a list of all models is mostly read for their names. */
  readonly statements: () => readonly Statement[];
  /** Who says the first of them. */
  readonly known: Statement["by"] | "unknown";
  readonly title?: string;
  readonly released?: string;
  readonly listedBy: readonly string[];
  /** Other ids of the same model. */
  readonly also: readonly string[];
  readonly isAlso: boolean;
}

/** Gathers the statements of every layer. A model is known by each id its catalog gives it; the asked one counts first. */
export function statementsOf(layers: ProviderLayers, id: string, connection: string | undefined): Said {
  const reviewed = layers.reviewed(id);
  const ids = [...new Set([id, ...reviewed.flatMap(({ model }) => [model.id, ...(model.also ?? [])])])];
  const overrides = ids.flatMap((each) => layers.overrides(each, connection));
  const servers = serverOrder(layers.listed, connection).flatMap(({ list, models }) => {
    const found = ids.map((each) => models.get(each)).find((info) => info !== undefined);
    return found === undefined ? [] : [{ list, info: found }];
  });
  const family = reviewed.length > 0 ? [] : familyOf(layers, id);
  const title = [...overrides, ...servers.map(({ info }) => info), ...reviewed.map(({ model }) => model)].find((said) => said.title)?.title;
  const released = reviewed.find(({ model }) => model.released !== undefined)?.model.released;
  return {
    statements: () => [
      ...overrides.map(({ facts, source }): Statement => ({ by: "user", source: placeOf(source), facts: factsIn(facts) })),
      ...servers.map(({ list, info }): Statement => ({
        by: "server",
        source: list.url,
        date: isoDate(list.takenAt),
        facts: factsIn(info),
      })),
      ...reviewed.map((each) => statementOf(each, each.by)),
      ...family.map((each) => statementOf(each, "family")),
    ],
    known: strongest(overrides, servers) ?? reviewed[0]?.by ?? (family.length > 0 ? "family" : "unknown"),
    ...(title === undefined ? {} : { title }),
    ...(released === undefined ? {} : { released }),
    listedBy: [...new Set(servers.map(({ list }) => list.connection))],
    also: ids.slice(1),
    isAlso: reviewed.length > 0 && !reviewed.some(({ model }) => model.id === id),
  };
}

const strongest = (overrides: readonly unknown[], servers: readonly unknown[]): "user" | "server" | undefined =>
  overrides.length > 0 ? "user" : servers.length > 0 ? "server" : undefined;

/** The list of the very server first. */
const serverOrder = (listed: readonly Listed[], connection: string | undefined): readonly Listed[] =>
  connection === undefined
    ? listed
    : [...listed.filter(({ list }) => list.connection === connection), ...listed.filter(({ list }) => list.connection !== connection)];

function familyOf(layers: ProviderLayers, id: string): readonly Reviewed[] {
  const stem = stemOf(id);
  return stem === id ? [] : layers.reviewed(stem);
}

const statementOf = ({ model, catalog }: Reviewed, by: Statement["by"]): Statement => ({
  by,
  source: catalog.source,
  date: catalog.date,
  facts: factsIn(model),
});

/** The facts alone, without what names the model. */
const factsIn = (from: ModelFacts): ModelFacts =>
  Object.fromEntries(FACTS.flatMap((fact) => (from[fact] === undefined ? [] : [[fact, from[fact]]])));

const isoDate = (ms: number): string => new Date(ms).toISOString();

function placeOf(source: DiagnosticSource): string {
  if (source.type === "flag" || source.type === "env") return source.name;
  return diagnosticPlace(source) ?? source.type;
}
