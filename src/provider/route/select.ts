import { closest, err, ok, type Result } from "../../base/index.js";
import { type Diagnostic, isThinkingLevel, type ThinkingLevel } from "../../schema/index.js";
import type { Catalog, ModelEntry } from "../catalog/types.js";
import {
  connectionWithoutProvider,
  missingBaseUrl,
  missingKey,
  noMatch,
  noProvider,
  unknownModel,
  unknownProvider,
} from "./diagnostics.js";
import { newestOf } from "./configured.js";
import { anyCase, candidatesOf, type Found, nearestModel, partMatch, servingOf, usableOf } from "./match.js";
import { byItself, hasNetwork, isEligible, isOpen, isUsable, type Option, variablesOf } from "./options.js";
import type { RouteInput } from "./types.js";

/** A connection with the model that is asked there; without one its server has to tell. */
export interface Chosen {
  readonly option: Option;
  readonly model?: string;
}

/** Why a selection cannot be taken: what it names is not set up, or it names nothing that is. */
export interface Refusal {
  readonly isUnready: boolean;
  readonly diagnostic: Diagnostic;
}

export interface Choice {
  readonly input: Pick<RouteInput, "offers" | "settings">;
  readonly catalog: Catalog;
  readonly options: readonly Option[];
}

const wrong = (diagnostic: Diagnostic): { readonly ok: false; readonly error: Refusal } => err({ isUnready: false, diagnostic });
const unready = (diagnostic: Diagnostic): { readonly ok: false; readonly error: Refusal } => err({ isUnready: true, diagnostic });

/** A selection and the level behind its last colon. Other words there (`qwen3:8b`, `x:free`) belong to the id. */
export function splitLevel(selection: string): { readonly text: string; readonly level?: ThinkingLevel } {
  const at = selection.lastIndexOf(":");
  const level = at < 1 ? "" : selection.slice(at + 1).trim();
  return isThinkingLevel(level) ? { text: selection.slice(0, at).trim(), level } : { text: selection };
}

/** What is taken when nothing was selected. */
export function chooseDefault({ options }: Choice): Result<Chosen, Refusal> {
  const [best] = byItself(options);
  return best === undefined ? unready(noProvider(variablesOf(options))) : ok(withDefault(best));
}

const withDefault = (option: Option): Chosen => {
  const model = option.connection.defaultModel;
  return { option, ...(model === undefined ? {} : { model }) };
};

/** What a selection means that is no alias and no group. */
export function choose(selection: string, choice: Choice): Result<Chosen, Refusal> {
  const slash = selection.indexOf("/");
  const head = slash === -1 ? selection : selection.slice(0, slash).trim();
  const rest = slash === -1 ? "" : selection.slice(slash + 1).trim();
  const named = namedBy(head, choice);
  if (named !== undefined) return named.ok ? chooseNamed(named.value, rest, choice) : named;
  return chooseBare(selection, slash === -1 ? undefined : head, choice);
}

/** The connections a name stands for: a configured one, those of a provider, a provider's own one; then the same in any case. */
function namedBy(name: string, { input, options }: Choice): Result<readonly Option[], Refusal> | undefined {
  for (const same of [(text: string) => text === name, (text: string) => text.toLowerCase() === name.toLowerCase()]) {
    const setting = newestOf(input.settings.connections).find((each) => same(each.name));
    if (setting !== undefined) {
      const configured = options.filter((option) => option.setting === setting);
      if (configured.length > 0) return ok(configured);
      const known = input.offers.map(({ id }) => id);
      return wrong(connectionWithoutProvider(setting, known, closest(setting.provider, known)));
    }
    const ofProvider = options.filter(({ provider }) => same(provider.id));
    const found = ofProvider.length > 0 ? ofProvider : options.filter(({ connection }) => same(connection.name));
    if (found.length > 0) return ok(found);
  }
  return undefined;
}

/** A provider or connection was chosen by name: what it lacks is said, nothing else is taken in its place. */
function chooseNamed(named: readonly Option[], rest: string, choice: Choice): Result<Chosen, Refusal> {
  const eligible = named.filter((option) => isEligible(option, choice.options));
  const ready = eligible.length > 0 ? eligible : named.filter(isUsable).slice(0, 1);
  const [best] = ready;
  if (best === undefined) return unready(lacking(named, choice.options));
  if (rest === "") return ok(withDefault(best));
  const only = hasNetwork(best) ? undefined : best.connection.defaultModel;
  if (only !== undefined)
    return rest === only
      ? ok(withDefault(best))
      : wrong(unknownModel(rest, best.provider.id, `Choose --model ${best.provider.id}/${only}.`));
  return chooseAmong(rest, { best, ready }, choice.catalog);
}

function chooseAmong(
  rest: string,
  { best, ready }: { readonly best: Option; readonly ready: readonly Option[] },
  catalog: Catalog,
): Result<Chosen, Refusal> {
  const entry = catalog.find({ provider: best.provider.id, model: rest }, best.connection.name);
  const taken: Chosen = { option: servingOf(entry, ready) ?? best, model: rest };
  // What a server of one's own has loaded, nobody else knows.
  if (isExplicit(entry) || isOpen(best)) return ok(taken);
  const candidates = candidatesOf(ofProviders(catalog, ready), ready);
  const sameName = anyCase(rest, candidates);
  if (sameName !== undefined) return ok(sameName);
  // An id that the catalog does not have yet looks like the ids it has; only what cannot be one is taken as a part of a name.
  if (!isPart(rest)) return ok(taken);
  const part = partMatch(rest, candidates);
  return part.ok ? ok(part.value ?? taken) : wrong(part.error);
}

const isPart = (text: string): boolean => /\s/u.test(text) || !/\d/u.test(text);

const isExplicit = ({ known }: ModelEntry): boolean => known !== "unknown" && known !== "family";

const ofProviders = (catalog: Catalog, options: readonly Option[]): readonly ModelEntry[] => {
  const ids = new Set(options.map(({ provider }) => provider.id));
  return catalog.list().filter(({ ref }) => ids.has(ref.provider));
};

/** A model alone: the connection that has it as its default, one whose catalog or server knows it, else one that may have any model. */
function chooseBare(selection: string, head: string | undefined, choice: Choice): Result<Chosen, Refusal> {
  const { options, catalog } = choice;
  const usable = usableOf(options);
  const exact = usable.find(({ connection }) => connection.defaultModel === selection);
  if (exact !== undefined) return ok({ option: exact, model: selection });
  const known = knownBy(selection, usable, catalog);
  if (known !== undefined) return ok(known);
  const entries = catalog.list();
  const candidates = candidatesOf(entries, usable);
  const sameName = anyCase(selection, candidates);
  if (sameName !== undefined) return ok(sameName);
  const part = partMatch(selection, candidates);
  if (!part.ok) return wrong(part.error);
  if (part.value !== undefined) return ok(part.value);
  const near = nearestModel(selection, candidates);
  const taker = head === undefined && near === undefined ? takerOf(options) : undefined;
  if (taker !== undefined) return ok({ option: taker, model: selection });
  const elsewhere = chooseUnready(selection, entries, choice);
  if (elsewhere !== undefined) return elsewhere;
  return head === undefined ? unknownEverywhere(selection, near, options) : wrong(unknownHead(selection, head, near, choice));
}

/** Who takes a model that no catalog has: a server without a catalog, or with whatever models somebody loaded. */
const takerOf = (options: readonly Option[]): Option | undefined =>
  byItself(options).find((option) => hasNetwork(option) && (isOpen(option) || option.provider.catalog === undefined));

/** Those that have it under this id before those that have it under another. */
function knownBy(model: string, usable: readonly Option[], catalog: Catalog): Chosen | undefined {
  const entries = [...new Set(usable.map(({ provider }) => provider.id))]
    .map((provider) => catalog.find({ provider, model }))
    .filter(isExplicit);
  const entry = entries.find(({ isAlso }) => isAlso !== true) ?? entries[0];
  if (entry === undefined) return undefined;
  const option = servingOf(
    entry,
    usable.filter(({ provider }) => provider.id === entry.ref.provider),
  );
  return option === undefined ? undefined : { option, model };
}

/** A model that there is, of a connection that lacks something: what it lacks is the answer. */
function chooseUnready(
  selection: string,
  entries: readonly ModelEntry[],
  { options, catalog }: Choice,
): Result<Chosen, Refusal> | undefined {
  const rest = options.filter((option) => !isEligible(option, options) && !isUsable(option));
  const candidates = candidatesOf(entries, rest);
  const byPart = (): Found | undefined => {
    const part = partMatch(selection, candidates);
    return part.ok ? part.value : undefined;
  };
  const found = knownBy(selection, rest, catalog) ?? anyCase(selection, candidates) ?? byPart();
  if (found === undefined) return undefined;
  return unready(
    lacking(
      rest.filter(({ provider }) => provider === found.option.provider),
      options,
    ),
  );
}

function unknownHead(selection: string, head: string, near: string | undefined, { input, options }: Choice): Diagnostic {
  const known = input.offers.map(({ id }) => id);
  const name = closest(head, [...known, ...options.map(({ connection }) => connection.name)]);
  return unknownProvider(selection, head, known, name === undefined ? near : `${name}${selection.slice(head.length)}`);
}

function unknownEverywhere(model: string, near: string | undefined, options: readonly Option[]): Result<Chosen, Refusal> {
  const network = byItself(options).filter(hasNetwork);
  if (network.length > 0 || near !== undefined)
    return wrong(noMatch(model, [...new Set(network.map(({ provider }) => provider.id))], near));
  const best = options.find((option) => isEligible(option, options));
  const variables = variablesOf(options);
  if (best === undefined) return unready(noProvider(variables));
  const suggestion = variables[0] === undefined ? "Choose another model." : `Set one of ${variables.join(", ")}, or leave out --model.`;
  return wrong(unknownModel(model, best.provider.id, suggestion));
}

function lacking(named: readonly Option[], all: readonly Option[]): Diagnostic {
  const first = named.find(({ connection }) => connection.needs === "credential") ?? named[0];
  if (first === undefined) return noProvider(variablesOf(all));
  const { provider, connection, authName, setting } = first;
  if (connection.needs === "credential") {
    const others = named.filter((option) => option.connection.needs === "credential" && option.provider === provider);
    const lookedAt = [...new Set([first, ...others].flatMap((option) => option.lookedAt))];
    return missingKey(setting === undefined ? provider.id : connection.name, lookedAt, authName);
  }
  return missingBaseUrl(provider.id, connection.baseUrlEnv ?? "its base URL variable");
}
