import type { Diagnostic } from "../../schema/index.js";
import type { ActivePlugin, Generation, GenerationInput, HandlerContribution, OfferedSet, PromptSection } from "../types.js";
import { compareText, createClaims, strengthOf } from "./claims.js";
import { shadowedResources, uniqueCommands } from "./commands.js";
import {
  type Clash,
  duplicateKeyBinding,
  duplicatePlugin,
  duplicateProvider,
  duplicateTheme,
  duplicateTool,
  sdkMismatch,
} from "./diagnostics.js";
import { isSupportedSdk } from "./version.js";

export interface ResolvedGeneration {
  readonly generation: Generation;
  /** Clashes and plugins that were left out. None of them keeps the rest from being used. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The contributions of every plugin as one set, frozen with everything in it. Of one id the later origin is used, whole. Of one name the
 * later origin has it, of the same origin the first id. Everything is listed in order of plugin ids, but prompts and handlers by
 * their own order first. Pure.
 */
export function resolveGeneration(number: number, input: GenerationInput): ResolvedGeneration {
  const diagnostics: Diagnostic[] = [];
  const plugins = usable(input.plugins, diagnostics);
  const strongest = plugins.toSorted((left, right) => strengthOf(right) - strengthOf(left));
  const ids = new Set(plugins.map(({ compiled }) => compiled.id));
  const commands = uniqueCommands(strongest, diagnostics);
  const unique = <T>(listOf: ListOf<T>, nameOf: (one: T) => string, complain: (clash: Clash) => Diagnostic): readonly T[] =>
    uniqueOf({ plugins, strongest, diagnostics }, { listOf, nameOf, complain });
  const tools = unique(
    ({ compiled }) => compiled.tools,
    ({ name }) => name,
    duplicateTool,
  );
  const declared = plugins.flatMap(({ compiled }) => commands.get(compiled.id) ?? []);
  const sets = (input.sets ?? []).filter((offered) => declares(plugins, offered));
  const generation: Generation = {
    number,
    plugins,
    tools: [...tools, ...offeredBeside(sets, ({ tools: offered }) => offered, tools)],
    commands: [...declared, ...offeredBeside(sets, ({ commands: offered }) => offered, declared)],
    providers: unique(
      ({ compiled }) => compiled.providers,
      ({ id }) => id,
      duplicateProvider,
    ),
    prompts: [...plugins.flatMap(({ compiled }) => compiled.prompts), ...sets.flatMap(promptOf)].sort(byPromptOrder),
    resources: input.resources.filter(({ plugin }) => ids.has(plugin)),
    themes: unique(
      ({ compiled }) => compiled.themes,
      ({ name }) => name,
      duplicateTheme,
    ),
    keys: unique(
      ({ compiled }) => compiled.keys,
      ({ key }) => key,
      duplicateKeyBinding,
    ),
    handlers: plugins.flatMap(({ compiled }) => compiled.handlers).sort(byHandlerOrder),
  };
  diagnostics.push(...shadowedResources(generation));
  return { generation: freezeDeep(generation), diagnostics };
}

/** One plugin of each id, of an SDK this program speaks, in order of ids. */
function usable(plugins: readonly ActivePlugin[], diagnostics: Diagnostic[]): readonly ActivePlugin[] {
  const byId = new Map<string, ActivePlugin>();
  for (const plugin of plugins.toSorted(byPlace)) {
    const { id } = plugin.compiled;
    const earlier = byId.get(id);
    if (earlier?.origin === plugin.origin) diagnostics.push(duplicatePlugin(earlier, plugin));
    else byId.set(id, plugin);
  }
  const known = [...byId.values()].filter(({ compiled }) => {
    if (isSupportedSdk(compiled.sdk)) return true;
    diagnostics.push(sdkMismatch(compiled.id, compiled.sdk));
    return false;
  });
  return known.sort((left, right) => compareText(left.compiled.id, right.compiled.id));
}

/** Stronger origins later; of one origin by folder, so that the order things were found in does not count. */
const byPlace = (left: ActivePlugin, right: ActivePlugin): number =>
  strengthOf(left) - strengthOf(right) || compareText(placeOf(left), placeOf(right));

const placeOf = ({ dir, modules }: ActivePlugin): string => dir ?? (modules.type === "none" ? "" : modules.path);

type ListOf<T> = (plugin: ActivePlugin) => readonly T[];

interface Sources {
  readonly plugins: readonly ActivePlugin[];
  readonly strongest: readonly ActivePlugin[];
  readonly diagnostics: Diagnostic[];
}

interface Registry<T> {
  readonly listOf: ListOf<T>;
  readonly nameOf: (one: T) => string;
  readonly complain: (clash: Clash) => Diagnostic;
}

/** Names are claimed by the strongest first and listed in order of ids. */
function uniqueOf<T>({ plugins, strongest, diagnostics }: Sources, { listOf, nameOf, complain }: Registry<T>): readonly T[] {
  const claims = createClaims(diagnostics, complain);
  for (const plugin of strongest) for (const one of listOf(plugin)) claims.claim(nameOf(one), plugin);
  return plugins.flatMap((plugin) => listOf(plugin).filter((one) => claims.ownerOf(nameOf(one)) === plugin));
}

const declares = (plugins: readonly ActivePlugin[], { plugin, set }: OfferedSet): boolean =>
  plugins.some(({ compiled }) => compiled.id === plugin && compiled.toolSets.some(({ name }) => name === set));

/** What sets offer, less what has a name already: manifests come first, then the sets in their order. */
function offeredBeside<T extends { readonly name: string }>(
  sets: readonly OfferedSet[],
  of: (set: OfferedSet) => readonly T[],
  taken: readonly T[],
): readonly T[] {
  const names = new Set(taken.map(({ name }) => name));
  return sets.flatMap((set) => of(set).filter(({ name }) => !names.has(name) && names.add(name).has(name)));
}

/** Behind what manifests bring: it changes while smith runs, and what stands before it stays as it is. */
const SET_ORDER = 5_000;

const promptOf = ({ plugin, set, prompt }: OfferedSet): readonly PromptSection[] =>
  prompt === undefined ? [] : [{ name: set, plugin, order: SET_ORDER, text: prompt }];

const byPromptOrder = (left: PromptSection, right: PromptSection): number =>
  left.order - right.order || compareText(left.name, right.name) || compareText(left.plugin, right.plugin);

const byHandlerOrder = (left: HandlerContribution, right: HandlerContribution): number =>
  left.order - right.order || compareText(left.plugin, right.plugin);

/** What is in it is JSON: it has no cycles, and what was frozen by an earlier generation is frozen all through. */
function freezeDeep<T extends object>(value: T): T {
  if (Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value) as readonly unknown[]) if (typeof inner === "object" && inner !== null) freezeDeep(inner);
  return value;
}
