import { type Clock, ok, type Result } from "../../base/index.js";
import type { Generation, GenerationLease } from "../../plugin/index.js";
import {
  type Catalog,
  completeDispatch,
  createCatalog,
  type CredentialPort,
  type Dispatch,
  type EnvView,
  type HttpEngine,
  type ModelSnapshot,
  type ProviderOffer,
  resolveRoute,
  type Route,
  type RouteInput,
} from "../../provider/index.js";
import type { Diagnostic, ModelSettings, ThinkingLevel } from "../../schema/index.js";
import { providerGone } from "./diagnostics.js";

export interface ModelPorts {
  readonly engine: HttpEngine;
  readonly clock: Clock;
  readonly env: EnvView;
  readonly credentials: CredentialPort;
  readonly settings: ModelSettings;
  /** What servers said of their models when they were last asked. */
  readonly snapshot: ModelSnapshot | undefined;
  /** Connections whose server answers, as far as that is known. */
  readonly answering: () => ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/** What a person or plugin wants of the next requests. */
export interface Wish {
  /** Absent: the best there is. */
  readonly selection: string | undefined;
  /** Absent: what the selection says, else the model's own. */
  readonly thinking: ThinkingLevel | undefined;
}

/** What selections mean in one runtime. What a server answered is known to all its sessions. */
export interface Models {
  /** Pure and at once; asking a server for its first model is not. */
  route(wish: Wish, generation: Offering): Result<Route, Diagnostic>;
  catalog(generation: Offering): Catalog;
  /** What connections are looked at with. */
  surroundings(generation: Offering): Omit<RouteInput, "selection" | "thinking" | "catalog">;
  /** What is known by now: with the model once its server was asked. */
  latest(dispatch: Dispatch): Dispatch;
  /** With its model. Asks the server until one answer came; ends with a diagnostic soon after `signal` aborts. */
  complete(dispatch: Dispatch, lease: Pick<GenerationLease, "provider">, options: CompleteOptions): Promise<Result<Dispatch, Diagnostic>>;
}

export interface CompleteOptions {
  readonly signal: AbortSignal;
  /** Told what a person should know of the model that was taken. */
  readonly onNote?: (note: Diagnostic) => void;
}

export type Offering = Pick<Generation, "providers" | "plugins">;

/** Which of them came with the program is all that is known of their plugins from here on. */
function offersOf({ providers, plugins }: Offering): readonly ProviderOffer[] {
  const bundled = new Set(plugins.flatMap(({ origin, compiled }) => (origin === "bundled" ? [compiled.id] : [])));
  return providers.map(({ id, title, connections, catalog, plugin }) => ({
    id,
    title,
    connections,
    isAdded: !bundled.has(plugin),
    ...(catalog === undefined ? {} : { catalog }),
  }));
}

/** What the providers of one generation offer, with their catalog. */
interface Offered {
  readonly of: Offering["providers"];
  readonly offers: readonly ProviderOffer[];
  readonly catalog: Catalog;
}

export function createModels(ports: ModelPorts): Models {
  const known = new Map<string, Dispatch>();
  let last: Offered | undefined;
  const offered = (generation: Offering): Offered => {
    if (last?.of === generation.providers) return last;
    const offers = offersOf(generation);
    const catalog = createCatalog({ offers, snapshot: ports.snapshot, overrides: ports.settings.overrides });
    return (last = { of: generation.providers, offers, catalog });
  };
  const latest = (dispatch: Dispatch): Dispatch => {
    const answered = dispatch.needsModel ? known.get(serverOf(dispatch)) : undefined;
    // The same server may go by several names.
    if (answered === undefined) return dispatch;
    // The same server may go by several names; the level is the one that model has.
    const { thinking: _, ...asked } = dispatch;
    const { ref, facts, thinking } = answered;
    return { ...asked, ref, facts, needsModel: false, ...(thinking === undefined ? {} : { thinking }) };
  };
  const surroundings: Models["surroundings"] = (generation) => {
    const { settings, env, credentials } = ports;
    return { offers: offered(generation).offers, settings, env, credentials, answering: ports.answering() };
  };
  return {
    route: ({ selection, thinking }, generation) =>
      resolveRoute({ ...surroundings(generation), selection, thinking, catalog: offered(generation).catalog }),
    surroundings,
    catalog: (generation) => offered(generation).catalog,
    latest,
    async complete(dispatch, lease, { signal: given, onNote }) {
      const now = latest(dispatch);
      if (!now.needsModel) return ok(now);
      const adapter = lease.provider(dispatch.ref.provider);
      if (adapter === undefined) return { ok: false, error: providerGone(dispatch.ref.provider) };
      const signal = AbortSignal.any([ports.signal, given]);
      const answer = await completeDispatch(ports, {
        ...{ adapter, dispatch, signal },
        ...(last === undefined ? {} : { catalog: last.catalog }),
        ...(onNote === undefined ? {} : { onNote }),
      });
      if (answer.ok) known.set(serverOf(dispatch), answer.value);
      return answer;
    },
  };
}

const serverOf = ({ ref, endpoint, thinking }: Dispatch): string =>
  `${ref.provider} ${endpoint.baseUrl} ${endpoint.credential ?? ""} ${thinking ?? ""}`;
