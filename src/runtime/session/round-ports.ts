import type { Result } from "../../base/index.js";
import type { DriverPorts, RoundFacts } from "../../agent/index.js";
import { type Dispatch, providerDiagnostic, respond } from "../../provider/index.js";
import type { Diagnostic, ProviderRequest } from "../../schema/index.js";
import type { ToolRegistry } from "../../tool/index.js";
import { providerGone } from "../models.js";
import { composePrompt } from "../prompt.js";
import type { Shared } from "../shared.js";

/** Prompt, tools and model of each round, and the provider round itself. */
export function createRoundPorts(shared: Shared, registry: ToolRegistry): Pick<DriverPorts, "facts" | "respond" | "diagnose"> {
  const { deps, host, model, engine } = shared;
  let last: Dispatch = model.resolved;
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
    async facts(): Promise<Result<RoundFacts, Diagnostic>> {
      const dispatch = await model.dispatch();
      if (!dispatch.ok) return dispatch;
      last = dispatch.value;
      const contribution = host.generation.providers.find((provider) => provider.id === last.ref.provider);
      if (contribution === undefined || host.provider(last.ref.provider) === undefined)
        return { ok: false, error: providerGone(last.ref.provider) };
      return {
        ok: true,
        value: {
          system,
          tools: registry.active,
          generation: host.generation.number,
          dispatch: last.ref,
          selection: model.selection,
          plugin: contribution.plugin,
          ...(thinking === undefined ? {} : { thinking }),
        },
      };
    },
    async *respond({ facts, messages, signal }) {
      const adapter = host.provider(facts.dispatch.provider);
      if (adapter === undefined) throw new TypeError(`provider ${facts.dispatch.provider} vanished within a round`);
      const asked: ProviderRequest = {
        model: facts.dispatch.model,
        endpoint: last.endpoint,
        system: facts.system,
        messages,
        tools: facts.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
        context: { cwd: deps.cwd },
        ...(facts.thinking === undefined ? {} : { thinking: facts.thinking }),
      };
      yield* respond({ engine, clock: deps.clock, ids: deps.ids, random: deps.random }, { adapter, request: asked, signal });
    },
    diagnose: ({ error }) => {
      const { baseUrl, credential } = last.endpoint;
      return providerDiagnostic(error, {
        provider: last.ref.provider,
        model: last.ref.model,
        url: baseUrl,
        ...(credential === undefined ? {} : { credential }),
      });
    },
  };
}
