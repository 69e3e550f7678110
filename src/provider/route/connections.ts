import type { Diagnostic, Endpoint } from "../../schema/index.js";
import { endpointOf } from "./dispatch.js";
import { hasNetwork, isEligible, type Option, optionsOf, type Surroundings } from "./options.js";

/** A connection for people and for what asks all of them: where it is, and whether it can be asked. */
export interface ConnectionView {
  readonly provider: string;
  readonly title: string;
  readonly connection: string;
  /**
   * `ready`: it has what it needs. `no-key`, `no-url`: it lacks that. `no-answer`: no server was found at its address. `other`: its base
   * URL is that of another connection, which is asked in its place. `bad-url`: see `problem`.
   */
  readonly state: "ready" | "no-key" | "no-url" | "no-answer" | "other" | "bad-url";
  /** Names under which a key was looked for, in that order. */
  readonly lookedAt: readonly string[];
  /** The name `smith auth login` stores its key by. */
  readonly authName: string;
  /** It is asked over the network; absent where it cannot be. */
  readonly endpoint?: Endpoint;
  readonly problem?: Diagnostic;
  readonly isConfigured: boolean;
  readonly isAdded: boolean;
}

/** Every connection, in the order in which they are taken when nothing is chosen. Pure. */
export function listConnections(input: Surroundings): readonly ConnectionView[] {
  const options = optionsOf(input);
  return options.map((option) => viewOf(option, options));
}

function viewOf(option: Option, all: readonly Option[]): ConnectionView {
  const { provider, connection, lookedAt, authName, setting } = option;
  const located = endpointOf(option);
  const common = {
    provider: provider.id,
    title: provider.title,
    connection: connection.name,
    lookedAt,
    authName,
    isConfigured: setting !== undefined,
    isAdded: provider.isAdded === true,
  };
  if (!located.ok) return { ...common, state: "bad-url", problem: located.error };
  const endpoint = hasNetwork(option) ? { endpoint: located.value } : {};
  return { ...common, ...endpoint, state: isEligible(option, all) ? "ready" : lackOf(option) };
}

function lackOf({ connection, url }: Option): ConnectionView["state"] {
  if (connection.needs === "credential") return "no-key";
  if (connection.needs === "answer") return "no-answer";
  return url === undefined ? "no-url" : "other";
}
