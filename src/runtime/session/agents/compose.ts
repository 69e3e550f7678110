import type { SessionId } from "../../../base/index.js";
import { NO_SPEND, type RunLimits } from "../../../schema/index.js";
import { bindModel, type ModelBinding } from "../../models/index.js";
import { sha256 } from "../../digest.js";
import type { SessionEffects } from "../effects/index.js";
import type { SessionFile } from "../file/index.js";
import { type LifecyclePort, Leases, type Overlay, type PluginLinks } from "../plugins/index.js";
import type { RoundDeps } from "../round-deps.js";
import { createRounds, type Rounds } from "../round-ports.js";
import { heardBySubAgents } from "./handlers.js";
import { createSubAgents, type SubAgents } from "./sub-agents.js";

/** The session that has sub-agents, as far as they work with what it has. */
export interface AgentOwner {
  readonly id: SessionId;
  readonly file: SessionFile;
  readonly ready: () => Promise<void>;
  readonly limits: () => RunLimits;
  readonly overlay: Overlay;
  readonly model: ModelBinding;
  readonly leases: Leases;
  /** Of the session's own agent, once it is there. */
  readonly rounds: () => Rounds;
  readonly effects: () => SessionEffects;
  readonly lifecycle: () => LifecyclePort;
  readonly links: () => PluginLinks;
  readonly sampling: RoundDeps["sampling"];
  readonly interactive: boolean;
  /** Tells each thing once, whichever agent finds it. */
  readonly tell: RoundDeps["tell"];
}

export function createSessionAgents(shared: RoundDeps["shared"], own: AgentOwner): SubAgents {
  const { clock, ids, cwd } = shared.deps;
  const { links } = own;
  const turn = () => links().running()?.state().turn;
  return createSubAgents({
    ...{ clock, ids, cwd, sha256, session: own.id, ready: own.ready, limits: own.limits },
    mode: () => links().status.value.mode,
    approve: async (call, tool, asked) => await links().approve(call, tool, asked),
    get lifecycle() {
      return heardBySubAgents(own.lifecycle());
    },
    commit: (entries) => {
      const ticket = own.file.commit({ entries });
      return ticket.durable.then(() => ticket.position);
    },
    generation: () => own.leases.generation(),
    own: {
      overlay: own.overlay,
      model: own.model,
      rounds: { offer: () => own.rounds().offer() },
      toolOf: (call) => turn()?.batch?.calls.find((open) => open.call === call)?.name,
    },
    spend: () => turn()?.spend ?? NO_SPEND,
    bind: (selection) => {
      const wish = { selection, thinking: undefined };
      const route = shared.models.route(wish, own.leases.generation());
      return route.ok ? { ok: true, value: bindModel({ ...shared, now: () => clock.now() }, { wish, route: route.value }) } : route;
    },
    rounds: ({ overlay, model, system }) => {
      const leases = new Leases(shared.host);
      const rounds = createRounds({
        ...{ shared, session: own.id, interactive: own.interactive, leases, overlay, model, effects: own.effects() },
        ...{ sampling: own.sampling, tell: own.tell },
        ...(system === undefined ? {} : { system }),
      });
      return {
        rounds,
        end: () => {
          leases.end();
        },
      };
    },
    drop: (work) => {
      own.effects().drop(work);
    },
    onRecorded: (entries) => {
      links().narrator.spent(entries);
    },
  });
}
