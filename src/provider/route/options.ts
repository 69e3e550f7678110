import { bareHost, isLoopback } from "../../base/index.js";
import type { ConnectionSetting } from "../../schema/index.js";
import type { ConnectionOffer, ProviderOffer } from "../offer.js";
import { configuredFrom, newestOf, originOf } from "./configured.js";
import type { RouteInput } from "./types.js";

/** What a connection is looked at with. */
export type Surroundings = Pick<RouteInput, "offers" | "settings" | "env" | "credentials" | "answering">;

/** A connection of a provider, with what surrounds it says about it. */
export interface Option {
  readonly provider: ProviderOffer;
  readonly connection: ConnectionOffer;
  /** What its base URL variable holds. */
  readonly url?: string;
  /** Name of the secret that would be sent. */
  readonly credential?: string;
  /** Names under which its key was looked for, in that order. */
  readonly lookedAt: readonly string[];
  /** The name `smith auth login` stores its key by. */
  readonly authName: string;
  /** It is a server of its own at its default URL, and it was found to answer. */
  readonly answers: boolean;
  /** A person configured it. */
  readonly setting?: ConnectionSetting;
}

/**
 * Every connection: those that came with the program first, of these the best rank; the order of offers decides between equals, and what
 * a person configured comes after what it is like.
 */
export function optionsOf(input: Surroundings): readonly Option[] {
  const settings = newestOf(input.settings.connections);
  return input.offers
    .flatMap((provider) => {
      const own = settings.filter((setting) => setting.provider === provider.id);
      const replaced = new Set(own.map(({ name }) => name));
      const configured = own.map((setting) => ({ connection: configuredFrom(setting, provider), setting }));
      const offered = provider.connections.filter(({ name }) => !replaced.has(name)).map((connection) => ({ connection }));
      return [...offered, ...configured].map((each) => look(input, provider, each));
    })
    .sort((left, right) => tierOf(left) - tierOf(right) || left.connection.rank - right.connection.rank);
}

function look(
  input: Surroundings,
  provider: ProviderOffer,
  { connection, setting }: { readonly connection: ConnectionOffer; readonly setting?: ConnectionSetting },
): Option {
  const isSet = (name: string): boolean => valueOf(input, name) !== undefined || input.credentials.has(name);
  const keyOf = (one: ConnectionOffer): string | undefined =>
    keyNames(input, provider, one).find((name) => name.startsWith("command:") || isSet(name));
  const lookedAt = keyNames(input, provider, connection);
  const url = valueOf(input, connection.baseUrlEnv);
  const credential = keyOf(connection);
  // A key that another connection of the same server has is for it.
  const isKeyless = !provider.connections.some((one) => one.baseUrlEnv === connection.baseUrlEnv && keyOf(one) !== undefined);
  return {
    provider,
    connection: isKeyless && isOfThisMachine(url) ? asOpen(connection) : connection,
    lookedAt,
    authName: authNameOf(connection, provider),
    answers: connection.needs === "answer" && input.answering.has(connection.name),
    ...(url === undefined ? {} : { url }),
    ...(credential === undefined ? {} : { credential }),
    ...(setting === undefined ? {} : { setting }),
  };
}

/** Whether a base URL that a person set leads to a server of this machine. */
const isOfThisMachine = (url: string | undefined): boolean => url !== undefined && URL.canParse(url) && isLoopback(bareHost(new URL(url)));

/** Servers of one's own that speak a vendor's language want no key of the vendor, and have other models. */
function asOpen(connection: ConnectionOffer): ConnectionOffer {
  if (connection.needs !== "credential") return connection;
  const { defaultModel: _, ...rest } = connection;
  return { ...rest, needs: "base-url" };
}

/** What a variable holds, without blanks; nothing when that is nothing. */
function valueOf({ env }: Surroundings, name: string | undefined): string | undefined {
  const text = name === undefined ? undefined : env[name]?.trim();
  return text === "" ? undefined : text;
}

/**
 * Where a key may be, first to last: the variables, then what `smith auth login` stored for the connection or for its provider. Of a
 * configured connection with a name of its own, what was stored under that name is meant for it before any variable is.
 */
function keyNames(input: Surroundings, provider: ProviderOffer, connection: ConnectionOffer): readonly string[] {
  const { credential, credentialEnvs, name } = connection;
  switch (credential?.type) {
    case "none":
      return [];
    case "env":
      return credential.names;
    case "auth":
      return [`auth:${credential.name}`];
    case "command":
      return [`command:${name}`];
    case undefined: {
      const isConfigured = connection.isConfigured === true;
      const storedAs = (login: string): readonly string[] => (isLoginOf(input, provider, login) ? [`auth:${login}`] : []);
      const own = isConfigured ? [`auth:${name}`] : storedAs(name);
      const shared = takesKeyOf(connection, provider) ? storedAs(provider.id) : [];
      const isAccount = isConfigured && !provider.connections.some((offered) => offered.name === name);
      return [...new Set(isAccount ? [...own, ...credentialEnvs, ...shared] : [...credentialEnvs, ...own, ...shared])];
    }
  }
}

/**
 * Whether what is stored under a name can be meant for this provider. Nobody who installed a plugin was told that it gets a key which was
 * stored for somebody else: of a provider that was added, names that others have are theirs.
 */
function isLoginOf({ offers, settings }: Surroundings, provider: ProviderOffer, login: string): boolean {
  if (provider.isAdded !== true) return true;
  const isConfiguredFor = (other: ConnectionSetting): boolean => other.name === login && other.provider !== provider.id;
  if (settings.connections.some(isConfiguredFor)) return false;
  const others = offers.filter(({ id, isAdded }) => id !== provider.id && (login !== provider.id || isAdded !== true));
  return !others.some(({ id, connections }) => id === login || connections.some(({ name }) => name === login));
}

/**
 * Whether a key stored under the provider's name is for this connection: that of its best connection that takes a key, and of those
 * which read the same variable. A key of one vendor never goes to another because one plugin speaks with both.
 */
function takesKeyOf(connection: ConnectionOffer, { id, connections }: ProviderOffer): boolean {
  if (isStranger(connection, connections)) return false;
  if (connection.name === id || connections.length === 1) return true;
  const [leading] = connections.filter((one) => one.credentialEnvs.length > 0).sort((left, right) => left.rank - right.rank);
  return leading !== undefined && leading.credentialEnvs[0] === connection.credentialEnvs[0];
}

/** A server of a person's own, which only speaks the provider's language. */
const isStranger = ({ isConfigured, needs, defaultUrl }: ConnectionOffer, own: readonly ConnectionOffer[]): boolean =>
  isConfigured === true && needs !== "credential" && !own.some((one) => originOf(one.defaultUrl) === originOf(defaultUrl));

function authNameOf(connection: ConnectionOffer, provider: ProviderOffer): string {
  if (connection.credential?.type === "auth") return connection.credential.name;
  if (connection.isConfigured === true) return connection.name;
  return takesKeyOf(connection, provider) ? provider.id : connection.name;
}

export const tierOf = ({ provider }: Option): number => (provider.isAdded === true ? 1 : 0);

export const hasNetwork = ({ connection, url }: Option): boolean => url !== undefined || connection.defaultUrl !== undefined;

/** A server that has whatever models somebody loaded: any id may be one of them. */
export const isOpen = ({ connection }: Option): boolean => connection.needs === "base-url" || connection.needs === "answer";

/**
 * What may be taken when no connection was named, best first. Nobody agreed to send an added provider anything by installing it: it
 * needs a variable, a key or a connection that was set for it. What only happens to answer comes after all that was set up, and what
 * needs nothing is there for want of anything else.
 */
export function byItself(options: readonly Option[]): readonly Option[] {
  const eligible = options.filter((option) => isEligible(option, options) && !isRedirected(option, options));
  const isOwn = (option: Option): boolean => tierOf(option) === 0;
  return [
    ...eligible.filter((option) => isSetUp(option) && isOwn(option)),
    ...eligible.filter((option) => !isSetUp(option) && option.connection.needs === "answer" && isOwn(option)),
    ...eligible.filter((option) => isSetUp(option) && !isOwn(option)),
    ...eligible.filter((option) => option.connection.needs === "nothing" && isOwn(option)),
  ];
}

/** Somebody did something for it: set a variable, stored a key, configured it. */
const isSetUp = ({ connection, url }: Option): boolean =>
  connection.needs === "credential" || connection.needs === "base-url" || (connection.needs === "answer" && url !== undefined);

/** Whether a connection has what it needs. */
export function isEligible(option: Option, all: readonly Option[]): boolean {
  switch (option.connection.needs) {
    case "nothing":
      return true;
    case "credential":
      return option.credential !== undefined;
    case "base-url":
      return isPlaced(option) || (option.url !== undefined && !isVendorsOwn(option, all));
    case "answer":
      return option.url !== undefined || option.answers;
  }
}

/**
 * Whether the key of a vendor was set for another server: a base URL variable that goes with the same key variable leads elsewhere. Then
 * neither the key nor what is said goes to the vendor, unless it is named.
 */
export function isRedirected({ connection, setting, credential }: Option, all: readonly Option[]): boolean {
  if (connection.needs !== "credential" || setting !== undefined || credential === undefined) return false;
  return all.some(
    (other) =>
      other.connection.needs === "base-url" &&
      other.url !== undefined &&
      other.connection.credentialEnvs.includes(credential) &&
      !isVendorsOwn(other, all),
  );
}

/** A person said where it is, or that its own address is to be used without a key. */
const isPlaced = ({ setting, connection }: Option): boolean =>
  setting !== undefined && connection.defaultUrl !== undefined && (setting.baseUrl !== undefined || setting.credential?.type === "none");

/** Reachable when it is asked for, although it is not chosen by itself. */
export const isUsable = (option: Option): boolean => isOpen(option) && hasNetwork(option);

/** A base URL variable that points at some connection's own default server is no statement about another server. */
function isVendorsOwn({ connection, url }: Option, all: readonly Option[]): boolean {
  const origin = originOf(url);
  if (origin === undefined) return false;
  return all.some(({ connection: other, credential }) => {
    if (other === connection || other.needs !== "credential" || credential === undefined) return false;
    return other.credentialEnvs.some((name) => connection.credentialEnvs.includes(name)) && originOf(other.defaultUrl) === origin;
  });
}

/** Variables that would make some provider eligible, in order of rank. */
export const variablesOf = (options: readonly Option[]): readonly string[] => [
  ...new Set(
    options.flatMap(({ connection: { needs, baseUrlEnv }, lookedAt }) => {
      if (needs === "credential") return lookedAt.filter((name) => !name.includes(":"));
      return needs === "base-url" && baseUrlEnv !== undefined ? [baseUrlEnv] : [];
    }),
  ),
];
