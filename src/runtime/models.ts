import { type Clock, ok, type Result } from "../base/index.js";
import type { PluginHost } from "../plugin/index.js";
import { discoverModel, type Dispatch, type EnvView, type HttpEngine, resolveModel } from "../provider/index.js";
import { type Diagnostic, diagnostic } from "../schema/index.js";

/** Which model a session's requests go to. Resolution is pure and at once; asking a server for its first model is not. */
export interface ModelBinding {
  /** What is known without the network. */
  readonly resolved: Dispatch;
  readonly selection: string;
  /** What is known by now: with the model once a server was asked. */
  latest(): Dispatch;
  /** The dispatch with its model. Asks the server until one answer came; ends with a diagnostic soon after `signal` aborts. */
  dispatch(signal: AbortSignal): Promise<Result<Dispatch, Diagnostic>>;
}

export interface ModelPorts {
  readonly host: PluginHost;
  readonly engine: HttpEngine;
  readonly clock: Clock;
  readonly env: EnvView;
  readonly signal: AbortSignal;
}

export function bindModel(selection: string | undefined, ports: ModelPorts): Result<ModelBinding, Diagnostic> {
  const { host, env } = ports;
  const found = resolveModel({ selection, contributions: host.generation.providers, env });
  if (!found.ok) return found;
  const resolved = found.value;
  let known = resolved;
  return ok({
    resolved,
    selection: selection ?? resolved.source,
    latest: () => known,
    async dispatch(given) {
      if (!known.needsModel) return ok(known);
      const adapter = host.provider(known.ref.provider);
      if (adapter === undefined) return { ok: false, error: providerGone(known.ref.provider) };
      const signal = AbortSignal.any([ports.signal, given]);
      const answer = await discoverModel({ engine: ports.engine, clock: ports.clock }, { adapter, dispatch: known, signal });
      if (answer.ok) known = answer.value;
      return answer;
    },
  });
}

export const providerGone = (id: string): Diagnostic =>
  diagnostic({
    code: "provider.gone",
    what: `No plugin contributes the provider ${id}.`,
    why: "It was disabled or removed since the model was chosen.",
    next: "Enable its plugin, or choose another model with --model.",
    exit: 2,
  });
