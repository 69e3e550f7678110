import { type Clock, orAborted } from "../../base/index.js";
import type { Endpoint } from "../../schema/index.js";
import type { HttpEngine } from "../http/types.js";
import type { ProviderAdapter } from "../types.js";
import { listModels } from "./list.js";

/** Until a server has to show that it is there, and until one that did has to list its models. */
const PROBE_MS = 150;
const CONFIRM_MS = 500;
/** Connections that are looked at. */
const MAX_TARGETS = 16;

export interface ProbeTarget {
  readonly provider: string;
  readonly connection: string;
  readonly endpoint: Endpoint;
}

export interface ProbeInput {
  readonly targets: readonly ProbeTarget[];
  readonly adapter: (provider: string) => ProviderAdapter | undefined;
  readonly signal: AbortSignal;
}

/**
 * Names of the connections whose server answers. First whether anything at all does, without a key and without a plugin; then whether it
 * is such a server: many programs listen at a port. Never rejects; empty soon after an abort.
 */
export async function probe(deps: { readonly engine: HttpEngine; readonly clock: Clock }, input: ProbeInput): Promise<ReadonlySet<string>> {
  const { signal } = input;
  const over = new AbortController();
  const late = (): void => {
    over.abort("late");
  };
  deps.clock.sleep(PROBE_MS, over.signal).then(late, late);
  const looking = AbortSignal.any([signal, over.signal]);
  const names = await Promise.all(
    input.targets.slice(0, MAX_TARGETS).map(async (target) => {
      const isThere = await isListening(deps.engine, target.endpoint, looking);
      return isThere && (await hasModels(deps, target, input)) ? [target.connection] : [];
    }),
  );
  over.abort("over");
  return new Set(names.flat());
}

async function isListening(engine: HttpEngine, { baseUrl }: Endpoint, signal: AbortSignal): Promise<boolean> {
  const answer = await engine.exchange({ method: "GET", url: baseUrl, headers: {}, secrets: [] }, signal);
  if (answer.ok) answer.value.body.cancel();
  return answer.ok;
}

async function hasModels(
  deps: { readonly engine: HttpEngine; readonly clock: Clock },
  { provider, endpoint }: ProbeTarget,
  { adapter: adapterOf, signal }: ProbeInput,
): Promise<boolean> {
  const adapter = adapterOf(provider);
  if (adapter === undefined) return false;
  const listed = await orAborted(listModels(deps, { adapter, provider, endpoint, signal, timeoutMs: CONFIRM_MS }), signal);
  return listed !== "aborted" && listed.ok && listed.value.length > 0;
}
