import type { Provider } from "../../src/plugin/sdk.js";
import type { ProviderAdapter } from "../../src/provider/index.js";

/**
 * A provider plugin's pure functions as an adapter, called in this process instead of the sandbox. For tests of what
 * happens around them; that the sandbox calls them alike is tested there.
 */
export function createDirectAdapter(id: string, provider: Provider): ProviderAdapter {
  return {
    id,
    plan: async (request) => provider.plan(request),
    fail: async (head, body) => provider.fail?.(head, body),
    open: (head) => {
      let state = provider.open?.(head) ?? null;
      return {
        push: async (batch) => {
          const step = provider.events?.(batch, state);
          state = step?.state ?? state;
          return step?.deltas ?? [];
        },
        close: async (outcome) => provider.close?.(outcome, state) ?? [],
        release: () => undefined,
      };
    },
    ...(provider.models === undefined
      ? {}
      : {
          models: async (endpoint) => ({
            plans: [provider.models?.(endpoint) ?? { type: "local" as const, deltas: [] }].flat(),
            parse: async (bodies) => provider.parseModels?.(bodies) ?? [],
          }),
        }),
  };
}
