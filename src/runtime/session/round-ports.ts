import { invariant, ok, type Result } from "../../base/index.js";
import type { DriverPorts, RoundFacts } from "../../agent/index.js";
import type { Generation } from "../../plugin/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { createRegistry, type Dispatcher, type ToolRegistry } from "../../tool/index.js";
import { composePrompt, type PromptFacts } from "../plugins/index.js";
import type { Shared } from "../shared.js";
import { routedDispatcher } from "./effects/index.js";
import { createExchange } from "./exchange.js";
import type { RoundDeps } from "./round-deps.js";
import type { Overlay } from "./plugins/index.js";

/** Prompt and tools as a generation and the run's overlay make them; the same value as long as both stay. */
interface Offer {
  readonly generation: Generation;
  readonly revision: number;
  /** How many secrets were known. */
  readonly version: number;
  readonly trained: readonly string[];
  readonly registry: ToolRegistry;
  readonly system: string;
}

export interface Rounds extends Pick<DriverPorts, "facts" | "respond" | "diagnose" | "dispatcher"> {
  /** What the next request would offer. */
  readonly offer: () => Pick<Offer, "registry" | "system">;
}

/** Prompt, tools and model of each round, the provider round itself, and its tools: all of one generation. */
export function createRounds(deps: RoundDeps): Rounds {
  const { shared, leases, overlay, model } = deps;
  const offers = createOffers(shared, overlay, deps.system);
  const exchange = createExchange(deps);
  let dispatcher: Dispatcher | undefined;
  return {
    offer: () => offers(leases.generation(), model.latest().facts.trainedTools),
    async facts(signal): Promise<Result<RoundFacts, Diagnostic>> {
      const ready = await shared.servers.ready(signal);
      if (!ready.ok) return ready;
      const lease = leases.renew();
      const routed = await model.route(lease, signal);
      if (!routed.ok) return routed;
      const { generation } = lease;
      const { registry, system } = offers(generation, routed.value.targets[0].facts.trainedTools);
      const attempt = exchange.begin(routed.value, generation, registry.active);
      if (!attempt.ok) return attempt;
      dispatcher = routedDispatcher(shared, { registry, tools: lease.tools }, deps.effects);
      return ok({ ...attempt.value, system, tools: registry.active, generation: generation.number, selection: model.selection });
    },
    respond: exchange.respond,
    dispatcher() {
      // What an earlier process left open is answered with what is known of it and never run.
      invariant(dispatcher !== undefined, "a tool call belongs to a round");
      return dispatcher;
    },
    diagnose: ({ error, partial }) => exchange.diagnose(error, partial),
  };
}

const NONE: readonly string[] = [];

/** Facts are taken once, when the session is opened: what a prompt begins with must not change because a day ended. */
function createOffers(
  { deps, secrets, hasProgram }: Shared,
  overlay: Overlay,
  own?: string,
): (generation: Generation, trained?: readonly string[]) => Offer {
  const facts: PromptFacts = {
    cwd: deps.cwd,
    date: new Date(deps.clock.now()).toISOString().slice(0, 10),
    platform: deps.process.platform,
    shell: deps.process.shell,
  };
  let last: Offer | undefined;
  return (generation, trained = NONE) => {
    const { revision } = overlay;
    const { version } = secrets;
    if (last?.generation === generation && last.revision === revision && last.version === version && last.trained === trained) return last;
    const { names, hidden } = overlay.offered(generation.tools, {
      trained,
      hasProgram,
      hasResource: (kind) => generation.resources.some((resource) => resource.kind === kind),
    });
    const registry = createRegistry(secrets.concealKnown(generation.tools), names, hidden);
    // Before texts are cut: half a secret would not be recognized.
    const parts = secrets.concealJson({
      sections: [...generation.prompts, ...overlay.sections()],
      tools: registry.active,
      resources: generation.resources,
      facts,
      system: own ?? deps.settings.system.value,
      append: deps.settings.appendSystem.value,
    });
    last = { generation, revision, version, trained, registry, system: secrets.conceal(composePrompt(parts)) };
    return last;
  };
}
