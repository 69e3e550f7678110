import { err, type JsonValue, ok, type Result, utf8Length } from "../../../base/index.js";
import type { FoundValue, StatePort, ValueFiles, ValuePlace } from "../../../effect/index.js";
import type { CompiledPlugin, StateContribution } from "../../../plugin/index.js";
import type { Diagnostic, FormerValue, NamedValues, StateScope } from "../../../schema/index.js";
import { stateTooLarge } from "../../diagnostics.js";
import type { ScopedState, StateCell } from "../scoped-state.js";
import { stateUndeclared } from "./diagnostics.js";

export interface StatePortDeps {
  /** As it is in the generation at work; undefined when it is not in it. */
  readonly plugin: (id: string) => CompiledPlugin | undefined;
  /** Session and branch. Made anew for each contract of a plugin, as a reloaded one may declare its keys otherwise. */
  readonly scoped: () => ScopedState;
  /** Project and user. */
  readonly files: ValueFiles;
  /** Hex digest that names the project. */
  readonly project: string;
}

/** Durable values of plugins as one port, with the values handlers are given beside their events. */
export interface PluginState extends StatePort {
  values(plugin: string, states: readonly StateContribution[]): Promise<NamedValues>;
}

/**
 * Joins the four scopes. What was written with another version of the value's format comes as that and nowhere else: code of today
 * must not take it for its own, and only the plugin knows what to make of it.
 */
export function createPluginState(deps: StatePortDeps): PluginState {
  const known = new Map<string, ScopedState>();
  const stores = (state: StateContribution): Store =>
    state.scope === "session" || state.scope === "branch"
      ? cellStore(cellOf(known, deps, { ...state, scope: state.scope }))
      : fileStore(deps.files, placeOf(state, state.scope, deps.project), state);
  const find = (plugin: string, { key, scope }: { readonly key: string; readonly scope: StateScope }): Result<Store, Diagnostic> => {
    const state = deps.plugin(plugin)?.states.find((declared) => declared.key === key && declared.scope === scope);
    return state === undefined ? err(stateUndeclared(plugin, key, scope)) : ok(stores(state));
  };
  return {
    async get(plugin, input) {
      const store = find(plugin, input);
      return store.ok ? await store.value.get() : store;
    },
    async put(plugin, input, value) {
      const store = find(plugin, input);
      return store.ok ? await store.value.put(value) : store;
    },
    async delete(plugin, input) {
      const store = find(plugin, input);
      return store.ok ? await store.value.delete() : store;
    },
    async values(_, states) {
      const found = await Promise.all(
        states.map(async (state): Promise<readonly (readonly [string, JsonValue])[]> => {
          const found = await stores(state).get();
          return found.ok && found.value.value !== undefined ? [[state.key, found.value.value]] : [];
        }),
      );
      return Object.fromEntries(found.flat());
    },
  };
}

interface Store {
  get(): Promise<Result<FoundValue, Diagnostic>>;
  put(value: JsonValue): Promise<Result<void, Diagnostic>>;
  delete(): Promise<Result<boolean, Diagnostic>>;
}

interface Cell {
  readonly cell: Result<StateCell, Diagnostic>;
  readonly version: number;
}

function cellOf(
  known: Map<string, ScopedState>,
  deps: StatePortDeps,
  state: StateContribution & { readonly scope: "session" | "branch" },
): Cell {
  const { plugin: owner, key, version, scope, fork, maxBytes } = state;
  const contract = JSON.stringify([owner, key, version, scope, fork, maxBytes]);
  const scoped = known.get(contract) ?? deps.scoped();
  known.set(contract, scoped);
  return { cell: scoped.declare({ owner, key, version, scope, fork, maxBytes, retention: "session" }), version };
}

function cellStore({ cell, version }: Cell): Store {
  return {
    async get() {
      if (!cell.ok) return cell;
      const found = await cell.value.get();
      return found.ok ? ok(foundAs(found.value, version)) : found;
    },
    put: async (value) => (cell.ok ? await cell.value.put(value) : cell),
    async delete() {
      if (!cell.ok) return cell;
      const before = await cell.value.get();
      if (!before.ok) return before;
      const done = await cell.value.delete();
      return done.ok ? ok(before.value !== undefined) : done;
    },
  };
}

function foundAs(stored: FormerValue | undefined, version: number): FoundValue {
  if (stored === undefined) return {};
  return stored.version === version ? { value: stored.value } : { former: { version: stored.version, value: stored.value } };
}

const placeOf = ({ plugin }: StateContribution, scope: "project" | "user", project: string): ValuePlace =>
  scope === "user" ? { plugin, scope } : { plugin, scope, project };

function fileStore(files: ValueFiles, place: ValuePlace, { key, version, plugin, maxBytes }: StateContribution): Store {
  return {
    async get() {
      const found = await files.get(place, key);
      return found.ok ? ok(foundAs(found.value, version)) : found;
    },
    async put(value) {
      const bytes = utf8Length(JSON.stringify(value));
      if (bytes > maxBytes) return err(stateTooLarge(plugin, key, { bytes, maxBytes }));
      return await files.put(place, key, { version, value });
    },
    delete: async () => await files.delete(place, key),
  };
}
