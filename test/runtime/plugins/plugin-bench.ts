import { type InvocationId, ok, type WorkId } from "../../../src/base/index.js";
import type { EffectContext, EffectGateway } from "../../../src/effect/index.js";
import type { Generation, GenerationLease } from "../../../src/plugin/types.js";
import { createCatalog, createCooldowns, type Dispatch, type Route } from "../../../src/provider/index.js";
import { bindModel, type Models } from "../../../src/runtime/models/index.js";
import { createRunConfig, type RunConfig } from "../../../src/runtime/plugins/run-config.js";
import { Leases } from "../../../src/runtime/session/plugins/leases.js";
import { createOverlay, type Overlay } from "../../../src/runtime/session/plugins/overlay.js";
import { createSessionPlugins, type SessionPlugins } from "../../../src/runtime/session/plugins/session-plugins.js";
import { type Diagnostic, diagnostic, type NamedValues, NO_MODEL_SETTINGS, type ThinkingLevel } from "../../../src/schema/index.js";
import type { LiveExtra } from "../live-bench.js";
import { lease } from "./fixtures.js";

/** Plugins of a session whose code the test plays. */
export interface PluginBench {
  readonly connect: NonNullable<LiveExtra["connect"]>;
  readonly plugins: () => SessionPlugins;
  readonly overlay: Overlay;
  readonly config: RunConfig;
  /** Who is routed to the session at this moment. */
  readonly routed: Set<WorkId | InvocationId>;
  readonly effects: { readonly op: string; readonly input: unknown; readonly context: EffectContext }[];
  readonly diagnostics: Diagnostic[];
  publish(generation: Generation): void;
}

const dispatchOf = (selection: string): Dispatch => ({
  ref: { provider: "toy", model: selection },
  endpoint: { baseUrl: "" },
  facts: {},
  routing: { connection: "toy" },
  bucket: "toy",
  source: selection,
  needsModel: false,
});

const routeOf = (selection: string, thinking: ThinkingLevel | undefined): Route => ({
  selection,
  targets: [{ ...dispatchOf(selection), ...(thinking === undefined ? {} : { thinking }) }],
  notes: [],
});

const models: Models = {
  route: ({ selection = "toy-1", thinking }) =>
    selection === "nope"
      ? { ok: false, error: diagnostic({ code: "model.unknown", what: "No such model.", why: "It is not there.", next: "Take another." }) }
      : ok(routeOf(selection, thinking)),
  catalog: () => createCatalog({ offers: [], snapshot: undefined, overrides: [] }),
  surroundings: () => ({
    ...{ offers: [], settings: NO_MODEL_SETTINGS, env: {}, answering: new Set() },
    credentials: { has: () => false },
  }),
  latest: (dispatch) => dispatch,
  complete: async (dispatch) => await Promise.resolve(ok(dispatch)),
};

export function pluginBench(
  first: Generation,
  code: Partial<GenerationLease>,
  answer: EffectGateway["call"] = async () => await Promise.resolve({ outcome: "applied", result: ok(null as never) }),
  values: () => NamedValues = () => ({}),
): PluginBench {
  let generation = first;
  let plugins: SessionPlugins | undefined;
  const overlay = createOverlay({ chosen: undefined });
  const config = createRunConfig();
  const routed = new Set<WorkId | InvocationId>();
  const effects: PluginBench["effects"] = [];
  const diagnostics: Diagnostic[] = [];
  const host = {
    get generation() {
      return generation;
    },
    lease: () => lease(generation, code),
  };
  const gateway: EffectGateway = {
    call: async (op, input, context) => {
      effects.push({ op, input, context });
      return await answer(op, input, context);
    },
  };
  return {
    overlay,
    config,
    routed,
    effects,
    diagnostics,
    plugins: () => {
      if (plugins === undefined) throw new Error("no session is connected");
      return plugins;
    },
    publish: (next) => {
      generation = next;
    },
    connect:
      ({ file, ids, clock, memory }) =>
      (links) => {
        plugins = createSessionPlugins(
          {
            shared: {
              config,
              models,
              closing: new AbortController().signal,
              secrets: { concealJson: (value) => value },
              isTrusted: () => true,
              dataDir: (plugin) => `/data/${plugin}`,
              hasProgram: () => false,
              host,
              deps: { clock, ids, cwd: "/project", onDiagnostic: (found) => diagnostics.push(found) },
            },
            file,
            leases: new Leases(host),
            overlay,
            model: bindModel(
              { models, cooldowns: createCooldowns(), now: () => 0, discovered: async () => await Promise.resolve() },
              { wish: { selection: undefined, thinking: undefined }, route: routeOf("toy-1", undefined) },
            ),
            memory,
            state: {
              get: async () => await Promise.resolve(ok({})),
              put: async () => await Promise.resolve(ok(undefined)),
              delete: async () => await Promise.resolve(ok(false)),
              values: async () => await Promise.resolve(values()),
            },
            effects: {
              route: (asker) => routed.add(asker),
              drop: (asker) => routed.delete(asker),
              gateway: () => gateway,
              killNow: () => undefined,
              quiesce: async () => {
                await Promise.resolve();
              },
            },
            interactive: true,
          },
          links,
        );
        return plugins;
      },
  };
}
