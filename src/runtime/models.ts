import { type Clock, ok, type Result } from "../base/index.js";
import type { Generation, GenerationLease } from "../plugin/index.js";
import { discoverModel, type Dispatch, type EnvView, type HttpEngine, type ProviderOffer, resolveModel } from "../provider/index.js";
import { type Diagnostic, diagnostic } from "../schema/index.js";

export interface ModelPorts {
  readonly engine: HttpEngine;
  readonly clock: Clock;
  readonly env: EnvView;
  readonly signal: AbortSignal;
}

/** What selections mean in one runtime. What a server answered is known to all its sessions. */
export interface Models {
  /** Pure and at once; asking a server for its first model is not. `undefined` is the best there is. */
  resolve(selection: string | undefined, generation: Offering): Result<Dispatch, Diagnostic>;
  /** What is known by now: with the model once its server was asked. */
  latest(dispatch: Dispatch): Dispatch;
  /** With its model. Asks the server until one answer came; ends with a diagnostic soon after `signal` aborts. */
  complete(dispatch: Dispatch, lease: Pick<GenerationLease, "provider">, signal: AbortSignal): Promise<Result<Dispatch, Diagnostic>>;
}

type Offering = Pick<Generation, "providers" | "plugins">;

/** Which of them came with the program is all that is known of their plugins from here on. */
function offersOf({ providers, plugins }: Offering): readonly ProviderOffer[] {
  const bundled = new Set(plugins.flatMap(({ origin, compiled }) => (origin === "bundled" ? [compiled.id] : [])));
  return providers.map(({ id, title, connections, plugin }) => ({ id, title, connections, isAdded: !bundled.has(plugin) }));
}

export function createModels(ports: ModelPorts): Models {
  const known = new Map<string, Dispatch>();
  return {
    resolve: (selection, generation) => resolveModel({ selection, contributions: offersOf(generation), env: ports.env }),
    latest: (dispatch) => (dispatch.needsModel ? (known.get(serverOf(dispatch)) ?? dispatch) : dispatch),
    async complete(dispatch, lease, given) {
      if (!dispatch.needsModel) return ok(dispatch);
      const answered = known.get(serverOf(dispatch));
      if (answered !== undefined) return ok(answered);
      const adapter = lease.provider(dispatch.ref.provider);
      if (adapter === undefined) return { ok: false, error: providerGone(dispatch.ref.provider) };
      const signal = AbortSignal.any([ports.signal, given]);
      const answer = await discoverModel({ engine: ports.engine, clock: ports.clock }, { adapter, dispatch, signal });
      if (answer.ok) known.set(serverOf(dispatch), answer.value);
      return answer;
    },
  };
}

const serverOf = ({ ref, endpoint }: Dispatch): string => `${ref.provider} ${endpoint.baseUrl} ${endpoint.credential ?? ""}`;

/** Which model a session's requests go to. */
export interface ModelBinding {
  /** As a person or plugin chose it, else what made this model the one. */
  readonly selection: string;
  /** What is known without asking anybody. */
  latest(): Dispatch;
  /** For the next request. A selection means what the generation of the lease says it means. */
  dispatch(lease: GenerationLease, signal: AbortSignal): Promise<Result<Dispatch, Diagnostic>>;
  /** Another selection from the next request on; refused ones change nothing. */
  select(selection: string, generation: Generation): Result<Dispatch, Diagnostic>;
}

export function bindModel(models: Models, initial: { readonly selection: string | undefined; readonly resolved: Dispatch }): ModelBinding {
  let { selection, resolved } = initial;
  let resolvedIn: Generation["providers"] | undefined;
  return {
    get selection() {
      return selection ?? resolved.source;
    },
    latest: () => models.latest(resolved),
    async dispatch(lease, signal) {
      const { providers } = lease.generation;
      if (selection !== undefined && resolvedIn !== undefined && resolvedIn !== providers) {
        const again = models.resolve(selection, lease.generation);
        if (!again.ok) return again;
        resolved = again.value;
      }
      resolvedIn = providers;
      return await models.complete(resolved, lease, signal);
    },
    select(wanted, generation) {
      const found = models.resolve(wanted, generation);
      if (!found.ok) return found;
      selection = wanted;
      resolved = found.value;
      resolvedIn = generation.providers;
      return ok(models.latest(resolved));
    },
  };
}

export const providerGone = (id: string): Diagnostic =>
  diagnostic({
    code: "provider.gone",
    what: `No plugin contributes the provider ${id}.`,
    why: "It was disabled or removed since the model was chosen.",
    next: "Enable its plugin, or choose another model with --model.",
    exit: 2,
  });
