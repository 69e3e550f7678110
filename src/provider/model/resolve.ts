import { closest, err, ok, type Result } from "../../base/index.js";
import type { Diagnostic, Endpoint, ModelRef } from "../../schema/index.js";
import { type BaseUrl, parseBaseUrl } from "./base-url.js";
import type { ConnectionOffer, ProviderOffer } from "./contribution.js";
import { missingBaseUrl, missingKey, noProvider, unknownModel, unknownProvider } from "../diagnostics.js";
import type { EnvView } from "../http/types.js";

export interface ResolveInput {
  /** `provider/model`, `provider`, `connection/model`, `connection`, a model alone, or nothing. Blank is nothing. */
  readonly selection: string | undefined;
  readonly contributions: readonly ProviderOffer[];
  readonly env: EnvView;
}

/** Where a request goes. The user's selection stays what it was; this is what it means now. */
interface Dispatch {
  readonly ref: ModelRef;
  readonly endpoint: Endpoint;
  /** What made it this one, for the status line: a variable's name or a connection's. */
  readonly source: string;
  /** The model is not known yet (`ref.model` is empty): ask the server with `discoverModel`. */
  readonly needsModel: boolean;
  /** Tokens the model's window holds, where its server said so. */
  readonly contextLimit?: number;
}

/** A connection of a provider, with what the environment says about it. */
interface Option {
  readonly provider: ProviderOffer;
  readonly connection: ConnectionOffer;
  readonly url: string | undefined;
  readonly hasKey: boolean;
}

/** Pure: no network, no discovery. The same input gives the same dispatch. */
export function resolveModel(input: ResolveInput): Result<Dispatch, Diagnostic> {
  const options = optionsOf(input);
  const selection = input.selection?.trim() ?? "";
  if (selection === "") {
    const best = byItself(options)[0];
    return best === undefined ? err(noProvider(variablesOf(options))) : dispatch(best, best.connection.defaultModel);
  }
  const slash = selection.indexOf("/");
  const head = slash === -1 ? selection : selection.slice(0, slash);
  const model = slash === -1 ? undefined : selection.slice(slash + 1);
  const named = options.filter((option) => option.provider.id === head);
  const byName = named.length > 0 ? named : options.filter((option) => option.connection.name === head);
  if (byName.length > 0) return resolveNamed(byName, model === "" ? undefined : model, options);
  return slash === -1 ? resolveBareModel(selection, options) : err(unknown(selection, head, input.contributions));
}

/** Every connection: those that came with the program first, of these the best rank; the order of contributions decides between equals. */
function optionsOf({ contributions, env }: ResolveInput): readonly Option[] {
  return contributions
    .flatMap((provider) =>
      provider.connections.map((connection) => ({
        provider,
        connection,
        url: value(env, connection.baseUrlEnv),
        hasKey: value(env, connection.credentialEnv) !== undefined,
      })),
    )
    .sort((left, right) => tierOf(left) - tierOf(right) || left.connection.rank - right.connection.rank);
}

function value(env: EnvView, name: string | undefined): string | undefined {
  const text = name === undefined ? undefined : env[name]?.trim();
  return text === "" ? undefined : text;
}

const tierOf = ({ provider }: Option): number => (provider.isAdded === true ? 1 : 0);

/**
 * What may be taken when no connection was named, best first. Nobody agreed to send an added provider anything by installing it: it
 * needs a variable that was set for it. What needs nothing is there for want of anything else, so it comes last.
 */
function byItself(options: readonly Option[]): readonly Option[] {
  const eligible = options.filter((option) => isEligible(option, options));
  return [...eligible.filter(isSetUp), ...eligible.filter((option) => !isSetUp(option) && tierOf(option) === 0)];
}

const isSetUp = ({ connection }: Option): boolean => connection.needs !== "nothing";

/** Whether a connection has what it needs. */
function isEligible(option: Option, all: readonly Option[]): boolean {
  switch (option.connection.needs) {
    case "nothing":
      return true;
    case "credential":
      return option.hasKey;
    case "base-url":
      return option.url !== undefined && !isVendorsOwn(option, all);
  }
}

/** A base URL variable that points at some connection's own default server is no statement about another server. */
function isVendorsOwn({ connection, url }: Option, all: readonly Option[]): boolean {
  if (url === undefined || !URL.canParse(url)) return false;
  const origin = new URL(url).origin;
  return all.some(({ connection: other, hasKey }) => {
    if (other === connection || other.needs !== "credential" || !hasKey || other.credentialEnv !== connection.credentialEnv) return false;
    return other.defaultUrl !== undefined && URL.canParse(other.defaultUrl) && new URL(other.defaultUrl).origin === origin;
  });
}

/** A provider or connection was chosen by name: what it lacks is said, nothing else is taken in its place. */
function resolveNamed(named: readonly Option[], model: string | undefined, all: readonly Option[]): Result<Dispatch, Diagnostic> {
  const ready = named.find((option) => isEligible(option, all)) ?? named.find(isUsable);
  if (ready === undefined) return err(lacking(named, all));
  const { connection, provider } = ready;
  const only = hasNetwork(ready) ? undefined : connection.defaultModel;
  if (model !== undefined && only !== undefined && model !== only)
    return err(unknownModel(model, provider.id, `Choose --model ${provider.id}/${only}.`));
  return dispatch(ready, model ?? connection.defaultModel);
}

function lacking(named: readonly Option[], all: readonly Option[]): Diagnostic {
  const first = named.find(({ connection }) => connection.needs === "credential") ?? named[0];
  if (first === undefined) return noProvider(variablesOf(all));
  const { id } = first.provider;
  const { needs, credentialEnv, baseUrlEnv } = first.connection;
  if (needs === "credential" && credentialEnv !== undefined) return missingKey(id, credentialEnv);
  return missingBaseUrl(id, baseUrlEnv ?? "its base URL variable");
}

/** Reachable when it is asked for, although it is not chosen by itself. */
const isUsable = ({ connection, url }: Option): boolean =>
  connection.needs === "base-url" && (url !== undefined || connection.defaultUrl !== undefined);

/** A model alone: the connection that has it as its default, else the best one that goes to a server. */
function resolveBareModel(model: string, options: readonly Option[]): Result<Dispatch, Diagnostic> {
  const eligible = options.filter((option) => isEligible(option, options));
  const found = eligible.find((option) => option.connection.defaultModel === model) ?? byItself(options).find(hasNetwork);
  if (found !== undefined) return dispatch(found, model);
  const [best] = eligible;
  const variables = variablesOf(options);
  const suggestion = variables[0] === undefined ? "Choose another model." : `Set one of ${variables.join(", ")}, or leave out --model.`;
  return err(best === undefined ? noProvider(variables) : unknownModel(model, best.provider.id, suggestion));
}

const hasNetwork = ({ connection, url }: Option): boolean => url !== undefined || connection.defaultUrl !== undefined;

function dispatch(option: Option, model: string | undefined): Result<Dispatch, Diagnostic> {
  const { connection, provider } = option;
  const located = locate(option);
  if (!located.ok) return located;
  const isLocal = !hasNetwork(option);
  return ok({
    ref: { provider: provider.id, model: model ?? (isLocal ? provider.id : "") },
    endpoint: {
      ...located.value,
      ...(option.hasKey && connection.credentialEnv !== undefined ? { credential: connection.credentialEnv } : {}),
      ...(connection.profile === undefined ? {} : { profile: connection.profile }),
    },
    source: sourceOf(option),
    needsModel: model === undefined && !isLocal,
  });
}

function locate({ connection, url }: Option): Result<BaseUrl, Diagnostic> {
  if (url !== undefined) return parseBaseUrl(url, connection.baseUrlEnv ?? connection.name);
  if (connection.defaultUrl !== undefined) return parseBaseUrl(connection.defaultUrl, connection.name);
  return ok({ baseUrl: "" });
}

function sourceOf({ connection, url, hasKey }: Option): string {
  if (url !== undefined && connection.baseUrlEnv !== undefined) return connection.baseUrlEnv;
  return hasKey && connection.credentialEnv !== undefined ? connection.credentialEnv : connection.name;
}

/** Variables that would make some provider eligible, in order of rank. */
const variablesOf = (options: readonly Option[]): readonly string[] => [
  ...new Set(
    options.flatMap(({ connection: { needs, credentialEnv, baseUrlEnv } }) => {
      const variable = needs === "credential" ? credentialEnv : needs === "base-url" ? baseUrlEnv : undefined;
      return variable === undefined ? [] : [variable];
    }),
  ),
];

function unknown(selection: string, provider: string, contributions: readonly ProviderOffer[]): Diagnostic {
  const known = contributions.map(({ id }) => id);
  const names = [...known, ...contributions.flatMap(({ connections }) => connections.map(({ name }) => name))];
  const near = closest(provider, names);
  return unknownProvider(selection, provider, known, near === undefined ? undefined : `${near}${selection.slice(provider.length)}`);
}
