import type { Diagnostic, Endpoint } from "../../schema/index.js";
import { endpointOf } from "./dispatch.js";
import { hasNetwork, isEligible, isUsable, type Option, optionsOf, type Surroundings } from "./options.js";

/** A way to reach a provider as it is now: names of keys, never their values. */
export interface ConnectionState {
  readonly provider: string;
  readonly title: string;
  readonly connection: string;
  /** Absent: its base URL is none, or there is none; `problem` says which. An empty base URL: it needs no server. */
  readonly endpoint?: Endpoint;
  readonly problem?: Diagnostic;
  /** Names under which its key is looked for, in that order; empty: it takes none. */
  readonly lookedAt: readonly string[];
  /** The first of them that is set. */
  readonly credential?: string;
  /** The name `smith auth login` stores its key by. */
  readonly authName: string;
  readonly needsKey: boolean;
  /** It can be asked now. */
  readonly isSetUp: boolean;
  /** It can be asked when it is named: also a server of this machine that nobody set up and that may be there or not. */
  readonly isReachable: boolean;
  /** A person configured it. */
  readonly isConfigured: boolean;
}

/** All connections there are, best first. Pure; asks nobody. */
export function connectionsOf(surroundings: Surroundings): readonly ConnectionState[] {
  const options = optionsOf(surroundings);
  return options.map((option) => stateOf(option, options));
}

function stateOf(option: Option, all: readonly Option[]): ConnectionState {
  const { provider, connection, lookedAt, credential, authName, setting } = option;
  const located = endpointOf(option);
  const isPlaced = connection.needs === "nothing" || hasNetwork(option);
  return {
    provider: provider.id,
    title: provider.title,
    connection: connection.name,
    ...(located.ok && isPlaced ? { endpoint: located.value } : {}),
    ...(located.ok ? {} : { problem: located.error }),
    lookedAt,
    ...(credential === undefined ? {} : { credential }),
    authName,
    needsKey: connection.needs === "credential",
    isSetUp: located.ok && (isEligible(option, all) || (isUsable(option) && (connection.needs !== "answer" || setting !== undefined))),
    isReachable: located.ok && (isEligible(option, all) || isUsable(option)),
    isConfigured: setting !== undefined,
  };
}
