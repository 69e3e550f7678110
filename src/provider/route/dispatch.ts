import { ok, type Result } from "../../base/index.js";
import type { Diagnostic, Endpoint, Routing, TargetRef } from "../../schema/index.js";
import type { Catalog } from "../catalog/types.js";
import type { Dispatch } from "../types.js";
import { type BaseUrl, parseBaseUrl } from "./base-url.js";
import type { Target } from "./expand.js";
import { unknownFacts } from "./notes.js";
import { hasNetwork, type Option } from "./options.js";
import { effectiveThinking } from "./thinking.js";
import type { RouteInput } from "./types.js";

export interface Dispatched {
  readonly dispatch: Dispatch;
  readonly notes: readonly Diagnostic[];
}

/**
 * What a target means on the wire. Until its server told the model (`needsModel`), `thinking` is the level that is wished: what becomes
 * of it is decided with the model.
 */
export function dispatchTo(target: Target, wished: RouteInput["thinking"], catalog: Catalog): Result<Dispatched, Diagnostic> {
  const { option } = target;
  const located = endpointOf(option);
  if (!located.ok) return located;
  const isLocal = !hasNetwork(option);
  const model = target.model ?? (isLocal ? option.provider.id : undefined);
  const ref = { provider: option.provider.id, model: model ?? "" };
  const level = target.level ?? wished;
  const own = ownConnection(option);
  const named: TargetRef = { ...ref, ...own };
  const common = {
    ref,
    ...own,
    endpoint: located.value,
    routing: routingOf(target),
    bucket: bucketOf(option),
    source: sourceOf(option),
  };
  if (model === undefined)
    return ok({ dispatch: { ...common, facts: {}, ...(level === undefined ? {} : { thinking: level }), needsModel: true }, notes: [] });
  const entry = catalog.find(ref, option.connection.name);
  const thinking = effectiveThinking(level, entry.facts, named);
  const isUnheardOf = entry.known === "unknown" && !isLocal;
  return ok({
    dispatch: {
      ...common,
      facts: entry.facts,
      ...(thinking.level === undefined ? {} : { thinking: thinking.level }),
      needsModel: false,
    },
    notes: [...(isUnheardOf ? [unknownFacts(named, undefined)] : []), ...(thinking.note === undefined ? [] : [thinking.note])],
  });
}

/** A person's own server goes by its name: several may have one model. */
const ownConnection = ({ setting, connection }: Option): Pick<Dispatch, "connection"> =>
  setting === undefined ? {} : { connection: connection.name };

/** Where a connection is reached. Fails on a base URL that is none. */
export function endpointOf(option: Option): Result<Endpoint, Diagnostic> {
  const { connection, credential } = option;
  const located = locate(option);
  if (!located.ok) return located;
  return ok({
    ...located.value,
    ...(credential === undefined ? {} : { credential }),
    ...(connection.profile === undefined ? {} : { profile: connection.profile }),
    ...(connection.headers === undefined ? {} : { headers: connection.headers }),
  });
}

function locate({ connection, url, setting, provider }: Option): Result<BaseUrl, Diagnostic> {
  const { name, baseUrlEnv, defaultUrl } = connection;
  if (url !== undefined) {
    const variable = baseUrlEnv ?? name;
    return parseBaseUrl(url, { name: variable, source: { type: "env", name: variable } });
  }
  if (defaultUrl === undefined) return ok({ baseUrl: "" });
  return parseBaseUrl(defaultUrl, { name, source: setting?.source ?? { type: "provider", id: provider.id } });
}

const routingOf = ({ option: { connection, credential }, via }: Target): Routing => ({
  connection: connection.name,
  ...(via.length === 0 ? {} : { via: via.map(({ type, name }) => `${type} ${name}`) }),
  ...(credential === undefined ? {} : { credential }),
});

/** Who sends one key to one provider has one limit there; without a key, each server has its own. */
const bucketOf = ({ connection, provider, credential }: Option): string =>
  connection.bucket ?? `${provider.id} ${credential ?? connection.name}`;

/** The variable that made it this one, else the connection. */
function sourceOf({ connection, url, credential }: Option): string {
  if (url !== undefined && connection.baseUrlEnv !== undefined) return connection.baseUrlEnv;
  return credential === undefined || credential.includes(":") || connection.isConfigured === true ? connection.name : credential;
}

/** Equal for dispatches that would send the same request to the same place. */
export const identityOf = ({ ref, endpoint, thinking }: Dispatch): string =>
  JSON.stringify([ref.provider, ref.model, endpoint.baseUrl, endpoint.query, endpoint.credential, endpoint.profile, thinking]);

/** It answers without any server: it was taken for want of one. */
export const isLastResort = ({ endpoint }: Dispatch): boolean => endpoint.baseUrl === "";
