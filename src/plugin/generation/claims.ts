import type { Diagnostic } from "../../schema/index.js";
import type { ActivePlugin, PluginOrigin } from "../types.js";
import type { Clash } from "./diagnostics.js";

/** Weakest first. */
const ORIGINS: readonly PluginOrigin[] = ["bundled", "user", "project", "run"];

export const strengthOf = (plugin: ActivePlugin): number => ORIGINS.indexOf(plugin.origin);

export const compareText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** Names of one kind, each given to one plugin. Plugins claim in their order, strongest first. */
export interface Claims {
  /** Whether `plugin` has the name now; else the clash was said. A plugin may ask for its own again. */
  claim(name: string, plugin: ActivePlugin): boolean;
  ownerOf(name: string): ActivePlugin | undefined;
}

export function createClaims(diagnostics: Diagnostic[], complain: (clash: Clash) => Diagnostic): Claims {
  const owners = new Map<string, ActivePlugin>();
  return {
    claim(name, plugin) {
      const owner = owners.get(name);
      if (owner === undefined) owners.set(name, plugin);
      else if (owner !== plugin) diagnostics.push(complain(clashOf(name, owner, plugin)));
      return owner === undefined || owner === plugin;
    },
    ownerOf: (name) => owners.get(name),
  };
}

export const clashOf = (name: string, winner: ActivePlugin, loser: ActivePlugin): Clash => ({
  name,
  winner: winner.compiled.id,
  loser: loser.compiled.id,
  byOrigin: winner.origin !== loser.origin,
});
