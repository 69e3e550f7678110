import type { Result } from "../../base/index.js";
import type { DriverPorts, RoundFacts } from "../../agent/index.js";
import { type Dispatch, providerDiagnostic, respond } from "../../provider/index.js";
import type { AssistantResult, Diagnostic, MutationState, ProviderError, ProviderRequest } from "../../schema/index.js";
import type { ToolRegistry } from "../../tool/index.js";
import { providerGone } from "../models.js";
import { composePrompt } from "../prompt.js";
import type { Shared } from "../shared.js";
import type { OpenOptions } from "../types.js";

/** Prompt, tools and model of each round, and the provider round itself. */
export function createRoundPorts(
  shared: Shared,
  registry: ToolRegistry,
  { interactive = false }: OpenOptions,
): Pick<DriverPorts, "facts" | "respond" | "diagnose"> {
  const { deps, host, model, engine } = shared;
  const system = composePrompt(host.generation.prompts, registry.active, {
    facts: {
      cwd: deps.cwd,
      date: new Date(deps.clock.now()).toISOString().slice(0, 10),
      platform: deps.process.platform,
      shell: deps.process.shell,
    },
    system: deps.settings.system.value,
    append: deps.settings.appendSystem.value,
  });
  const thinking = deps.settings.thinking.value;
  return {
    async facts(signal): Promise<Result<RoundFacts, Diagnostic>> {
      const dispatch = await model.dispatch(signal);
      if (!dispatch.ok) return dispatch;
      const { ref } = dispatch.value;
      const contribution = host.generation.providers.find((provider) => provider.id === ref.provider);
      if (contribution === undefined || host.provider(ref.provider) === undefined) return { ok: false, error: providerGone(ref.provider) };
      return {
        ok: true,
        value: {
          system,
          tools: registry.active,
          generation: host.generation.number,
          dispatch: ref,
          selection: model.selection,
          plugin: contribution.plugin,
          ...(thinking === undefined ? {} : { thinking }),
        },
      };
    },
    async *respond({ facts, messages, signal }) {
      const adapter = host.provider(facts.dispatch.provider);
      // A person's next request is likely to need them; a one-shot answer often does not, and memory is not free.
      if (interactive && registry.active.length > 0) host.warm("tools");
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
    },
    diagnose: ({ error, partial }) => diagnose(model.latest(), error, partial),
  };
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
