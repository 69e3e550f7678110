import { join } from "node:path";
import type { Paths } from "../../../config/index.js";
import type { InvocationId, SessionId, WorkId } from "../../../base/index.js";
import {
  type AgentPort,
  createEffectGateway,
  createFacilities,
  type EffectGateway,
  type FacilitySet,
  type FileTracker,
  type OwnedEffectGateway,
  type ResourcePort,
  type StatePort,
  type ToolsPort,
  type UiPort,
} from "../../../effect/index.js";
import type { ActionsEntry } from "../../../schema/index.js";
import type { Change, CommitTicket } from "../../../session/index.js";
import { createDispatcher, type Dispatcher, type ToolRegistry, type ToolRunner } from "../../../tool/index.js";
import type { Voice } from "./effect-router.js";
import { childEnvironment } from "./child-environment.js";
import type { Shared } from "../../shared.js";

export interface SessionEffects {
  /** What comes of a work, or of one run of a command or handler, is this session's. What it says is on record as said at `trigger`. */
  route(asker: WorkId | InvocationId, trigger: ActionsEntry["trigger"]): void;
  /** It is over: effects still asked for in its name are refused. */
  readonly drop: (asker: WorkId | InvocationId) => void;
  /** For what the session itself does in the name of a plugin. */
  readonly gateway: () => EffectGateway;
  /** Ends every running command at once, without waiting or recording. For a process about to end. */
  readonly killNow: () => void;
  /** Ends what runs and waits for its record. Effects asked for later get a ledger of their own. */
  readonly quiesce: () => Promise<void>;
}

/**
 * What belongs to smith itself, which no grant reaches: who may change it could approve a plugin, trust a project or put code where
 * approved code is expected. Packages of plugins are not in it: a changed one is not used until it is approved again.
 */
const deniedFolders = ({ sessions, state, data, cache }: Paths): readonly string[] => [
  sessions,
  join(state, "temporary"),
  ...["auth.json", "secrets.json", "plugins.json", "trust.json", "mcp-auth.json", "plugin-state"].map((name) => join(data, name)),
  cache,
];

export interface EffectOwner {
  readonly id: SessionId;
  readonly tracker: FileTracker;
  readonly commit: (change: Change) => CommitTicket;
  /** Name of the model that is asked now, for the environment of commands. */
  readonly model: () => string;
  readonly ui: UiPort;
  readonly state: StatePort;
  readonly resources: ResourcePort;
  readonly tools: ToolsPort;
  readonly agents: AgentPort;
  readonly voice: (trigger: ActionsEntry["trigger"]) => Voice;
}

/** The ledger and the facilities of one session, made at its first tool call. */
export function createSessionEffects(shared: Shared, own: EffectOwner): SessionEffects {
  const { deps, search, locks, router } = shared;
  let gateway: OwnedEffectGateway | undefined;
  let facilities: FacilitySet | undefined;
  const routed = new Set<WorkId | InvocationId>();
  const make = (): OwnedEffectGateway => {
    facilities = createFacilities({
      clock: deps.clock,
      ids: deps.ids,
      env: childEnvironment(deps.env, shared.secrets.names(), { id: own.id, model: own.model() }),
      policy: {
        tempDir: deps.process.tempDir,
        denied: deniedFolders(deps.paths),
        readable: [join(deps.paths.state, "outputs", own.id)],
      },
      search,
      markdownWorkerUrl: new URL("markdown-worker.js", deps.installDir),
      changeWorkerUrl: new URL("change-worker.js", deps.installDir),
      locks,
      tracker: own.tracker,
      ui: own.ui,
      state: own.state,
      resources: own.resources,
      evaluate: shared.evaluator,
      mcp: shared.servers.port,
      tools: own.tools,
      agents: own.agents,
      outputs: join(deps.paths.state, "outputs", own.id),
      ...shared.secrets.portsFor(own.id),
    });
    return createEffectGateway({
      commit: async (entries) => await own.commit({ entries }).durable,
      ids: deps.ids,
      clock: deps.clock,
      facilities,
      redact: shared.secrets.concealJson,
    });
  };
  return {
    route(asker, trigger) {
      gateway ??= make();
      router.route(asker, { gateway, voice: own.voice(trigger) });
      routed.add(asker);
    },
    drop: (asker) => {
      router.drop(asker);
      routed.delete(asker);
    },
    gateway: () => (gateway ??= make()),
    killNow: () => facilities?.killNow(),
    async quiesce() {
      for (const asker of routed) router.drop(asker);
      routed.clear();
      const ending = gateway;
      gateway = undefined;
      await ending?.close();
      if (gateway === undefined) facilities = undefined;
    },
  };
}

/** Tool calls of this session's works reach this session's ledger. */
export function routedDispatcher(
  shared: Pick<Shared, "secrets"> & { readonly deps: Pick<Shared["deps"], "clock"> },
  { registry, tools }: { readonly registry: ToolRegistry; readonly tools: ToolRunner },
  effects: Pick<SessionEffects, "route">,
): Dispatcher {
  return createDispatcher(registry, {
    run: async (invocation) => {
      effects.route(invocation.work, "tool-settled");
      const started = shared.deps.clock.monotonic();
      const { conceal, concealJson } = shared.secrets;
      const onProgress = (text: string): void => {
        invocation.onProgress(conceal(text));
      };
      const settlement = concealJson(await tools.run({ ...invocation, onProgress }));
      return { ...settlement, durationMs: shared.deps.clock.monotonic() - started };
    },
  });
}
