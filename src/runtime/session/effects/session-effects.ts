import { join } from "node:path";
import type { SessionId, WorkId } from "../../../base/index.js";
import {
  createEffectGateway,
  createFacilities,
  type FacilitySet,
  type FileTracker,
  type OwnedEffectGateway,
} from "../../../effect/index.js";
import type { Change, CommitTicket } from "../../../session/index.js";
import { createDispatcher, type Dispatcher, type ToolRegistry } from "../../../tool/index.js";
import { childEnvironment } from "./child-environment.js";
import { redactJson, redactOutput } from "../../secrets.js";
import type { Shared } from "../../shared.js";

export interface SessionEffects {
  route(work: WorkId): void;
  /** The work is over: effects still asked for in its name are refused. */
  readonly drop: (work: WorkId) => void;
  /** Ends every running command at once, without waiting or recording. For a process about to end. */
  readonly killNow: () => void;
  /** Ends what runs and waits for its record. Effects asked for later get a ledger of their own. */
  readonly quiesce: () => Promise<void>;
}

/** The ledger and the facilities of one session, made at its first tool call. */
export function createSessionEffects(
  shared: Shared,
  own: { readonly id: SessionId; readonly tracker: FileTracker; readonly commit: (change: Change) => CommitTicket },
): SessionEffects {
  const { deps, search, locks, router, model } = shared;
  let gateway: OwnedEffectGateway | undefined;
  let facilities: FacilitySet | undefined;
  const routed = new Set<WorkId>();
  const make = (): OwnedEffectGateway => {
    const { redact } = shared.secrets;
    facilities = createFacilities({
      clock: deps.clock,
      ids: deps.ids,
      env: childEnvironment(deps.env, shared.secrets.names, { id: own.id, model: model.latest().ref.model }),
      policy: {
        tempDir: deps.process.tempDir,
        denied: [deps.paths.sessions, join(deps.paths.state, "temporary"), join(deps.paths.data, "auth.json")],
      },
      search,
      locks,
      tracker: own.tracker,
    });
    return createEffectGateway({
      commit: async (entries) => await own.commit({ entries }).durable,
      ids: deps.ids,
      clock: deps.clock,
      facilities,
      redact: (value) => redactJson(value, redact),
    });
  };
  return {
    route(work) {
      gateway ??= make();
      router.route(work, gateway);
      routed.add(work);
    },
    drop: (work) => {
      router.drop(work);
      routed.delete(work);
    },
    killNow: () => facilities?.killNow(),
    async quiesce() {
      for (const work of routed) router.drop(work);
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
  shared: Pick<Shared, "secrets"> & { readonly deps: Pick<Shared["deps"], "clock">; readonly host: Pick<Shared["host"], "tools"> },
  registry: ToolRegistry,
  effects: Pick<SessionEffects, "route">,
): Dispatcher {
  return createDispatcher(registry, {
    run: async (invocation) => {
      effects.route(invocation.work);
      const started = shared.deps.clock.monotonic();
      const { redact } = shared.secrets;
      const onProgress = (text: string): void => {
        invocation.onProgress(redact(text));
      };
      const settlement = await shared.host.tools.run({ ...invocation, onProgress });
      const output = redactOutput(settlement.output, redact);
      return { ...settlement, output, durationMs: shared.deps.clock.monotonic() - started };
    },
  });
}
