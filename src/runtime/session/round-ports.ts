import { invariant, ok, type Result } from "../../base/index.js";
import type { DriverPorts, RoundFacts } from "../../agent/index.js";
import type { Generation } from "../../plugin/index.js";
import { type Dispatch, providerDiagnostic, respond } from "../../provider/index.js";
import type { AssistantResult, Diagnostic, MutationState, ProviderError, ProviderRequest } from "../../schema/index.js";
import { createRegistry, type Dispatcher, type ToolRegistry } from "../../tool/index.js";
import { type ModelBinding, providerGone } from "../models.js";
import { composePrompt, type PromptFacts } from "../prompt.js";
import type { Shared } from "../shared.js";
import { routedDispatcher, type SessionEffects } from "./effects/index.js";
import type { Leases, Overlay } from "./plugins/index.js";

export interface RoundDeps {
  readonly shared: Shared;
  readonly interactive: boolean;
  readonly leases: Leases;
  readonly overlay: Overlay;
  readonly model: ModelBinding;
  readonly effects: Pick<SessionEffects, "route">;
}

/** Prompt and tools as a generation and the run's overlay make them; the same value as long as both stay. */
interface Offer {
  readonly generation: Generation;
  readonly revision: number;
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
  const offers = createOffers(shared, overlay);
  let dispatcher: Dispatcher | undefined;
  return {
    offer: () => offers(leases.generation()),
    async facts(signal): Promise<Result<RoundFacts, Diagnostic>> {
      const lease = leases.renew();
      const dispatch = await model.dispatch(lease, signal);
      if (!dispatch.ok) return dispatch;
      const { generation } = lease;
      const { ref, contextLimit } = dispatch.value;
      const contribution = generation.providers.find((provider) => provider.id === ref.provider);
      if (contribution === undefined || lease.provider(ref.provider) === undefined) return { ok: false, error: providerGone(ref.provider) };
      const { registry, system } = offers(generation);
      dispatcher = routedDispatcher(shared, { registry, tools: lease.tools }, deps.effects);
      const thinking = overlay.thinking();
      return ok({
        system,
        tools: registry.active,
        generation: generation.number,
        dispatch: ref,
        selection: model.selection,
        plugin: contribution.plugin,
        ...(thinking === undefined ? {} : { thinking }),
        ...(contextLimit === undefined ? {} : { contextLimit }),
      });
    },
    respond: (round) => runRound(deps, round),
    dispatcher() {
      // What an earlier process left open is answered with what is known of it and never run.
      invariant(dispatcher !== undefined, "a tool call belongs to a round");
      return dispatcher;
    },
    diagnose: ({ error, partial }) => diagnose(model.latest(), error, partial),
  };
}

/** Facts are taken once, when the session is opened: what a prompt begins with must not change because a day ended. */
function createOffers({ deps }: Shared, overlay: Overlay): (generation: Generation) => Offer {
  const facts: PromptFacts = {
    cwd: deps.cwd,
    date: new Date(deps.clock.now()).toISOString().slice(0, 10),
    platform: deps.process.platform,
    shell: deps.process.shell,
  };
  let last: Offer | undefined;
  return (generation) => {
    const { revision } = overlay;
    if (last?.generation === generation && last.revision === revision) return last;
    const registry = createRegistry(generation.tools, overlay.offered(generation.tools));
    const system = composePrompt({
      sections: [...generation.prompts, ...overlay.sections()],
      tools: registry.active,
      resources: generation.resources,
      facts,
      system: deps.settings.system.value,
      append: deps.settings.appendSystem.value,
    });
    last = { generation, revision, registry, system };
    return last;
  };
}

async function* runRound(
  { shared, interactive, model, leases }: RoundDeps,
  { facts, messages, signal }: Parameters<DriverPorts["respond"]>[0],
): ReturnType<DriverPorts["respond"]> {
  const { deps, host, engine } = shared;
  const lease = leases.share();
  try {
    const adapter = lease.provider(facts.dispatch.provider);
    // A person's next request is likely to need them; a one-shot answer often does not, and memory is not free.
    if (interactive && facts.tools.length > 0) host.warm("tools");
    if (adapter === undefined) throw new TypeError(`provider ${facts.dispatch.provider} vanished within a round`);
    const asked: ProviderRequest = {
      model: facts.dispatch.model,
      endpoint: model.latest().endpoint,
      system: facts.system,
      messages,
      tools: facts.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
      context: { cwd: deps.cwd },
      ...(facts.thinking === undefined ? {} : { thinking: facts.thinking }),
    };
    yield* respond({ engine, clock: deps.clock, ids: deps.ids, random: deps.random }, { adapter, request: asked, signal });
  } finally {
    lease.release();
  }
}

/** A failed response in words, and what is known of it: `unknown` when it may have been made and charged all the same. */
export function diagnose(
  { ref, endpoint }: Dispatch,
  error: ProviderError,
  partial: AssistantResult,
): { readonly error: Diagnostic; readonly outcome: MutationState } {
  const { baseUrl: url, credential } = endpoint;
  const place = { provider: ref.provider, model: ref.model, url, ...(credential === undefined ? {} : { credential }) };
  const isEmpty = partial.text === "" && partial.thinking.length === 0 && partial.toolCalls.length === 0;
  // A plugin that fails after the exchange (its error has the URL) had an answer before it.
  const isRefusal = error.class === "plugin" ? error.url === undefined : REFUSALS.has(error.class);
  return { error: providerDiagnostic(error, place), outcome: isEmpty && isRefusal ? "not-applied" : "unknown" };
}

/** The provider said no: nothing was answered and nothing is charged. Any other end may have been both. */
const REFUSALS: ReadonlySet<ProviderError["class"]> = new Set<ProviderError["class"]>([
  "auth",
  "invalid",
  "not-found",
  "context-overflow",
  "rate-limit",
  "overloaded",
]);
