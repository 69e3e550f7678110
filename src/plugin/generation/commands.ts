import type { Diagnostic } from "../../schema/index.js";
import type { ActivePlugin, CommandContribution, Generation, Resource } from "../types.js";
import { createClaims } from "./claims.js";
import { duplicateCommand, shadowedResource } from "./diagnostics.js";

/** A command as it is typed. One made for a resource has the contribution it comes from and the resource. */
export interface ResolvedCommand {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly description: string;
  readonly command: CommandContribution;
  readonly resource?: Resource;
}

/**
 * Of commands that would have one name, the strongest plugin's; aliases only where no command has the name. Commands that are made for
 * each resource stay as declared: {@link listCommands} has what comes of them.
 */
export function uniqueCommands(
  plugins: readonly ActivePlugin[],
  diagnostics: Diagnostic[],
): ReadonlyMap<string, readonly CommandContribution[]> {
  const names = createClaims(diagnostics, (clash) => duplicateCommand(clash, "command"));
  const kept = plugins.map((plugin) => ({
    plugin,
    commands: plugin.compiled.commands.filter(({ name, each }) => each !== undefined || names.claim(name, plugin)),
  }));
  const aliases = createClaims(diagnostics, (clash) => duplicateCommand(clash, "alias"));
  for (const { plugin, commands } of kept) for (const { name, each } of commands) if (each === undefined) aliases.claim(name, plugin);
  return new Map(
    kept.map(({ plugin, commands }) => [
      plugin.compiled.id,
      commands.map((command) => {
        const left = command.aliases.filter((alias) => aliases.claim(alias, plugin));
        return left.length === command.aliases.length ? command : { ...command, aliases: left };
      }),
    ]),
  );
}

/**
 * Every command of a generation by the name it is typed by, each name once: the declared ones, then those made for each resource of their
 * kind, whoever brings it.
 */
export const listCommands = (generation: Pick<Generation, "commands" | "resources">): readonly ResolvedCommand[] =>
  expandCommands(generation, () => undefined);

/** Says of each resource that makes no command because its name is taken. */
export function shadowedResources(generation: Pick<Generation, "commands" | "resources">): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  expandCommands(generation, (name, owner, resource) => found.push(shadowedResource(name, owner, resource.path)));
  return found;
}

function expandCommands(
  { commands, resources }: Pick<Generation, "commands" | "resources">,
  onTaken: (name: string, owner: string, resource: Resource) => void,
): readonly ResolvedCommand[] {
  const declared = commands.filter(({ each }) => each === undefined);
  const owners = new Map(declared.flatMap(({ name, aliases, plugin }) => [name, ...aliases].map((word) => [word, plugin] as const)));
  const list: ResolvedCommand[] = declared.map((command) => ({
    name: command.name,
    aliases: command.aliases,
    description: command.description,
    command,
  }));
  for (const command of commands) {
    if (command.each === undefined) continue;
    for (const resource of resources) {
      if (resource.kind !== command.each) continue;
      const name = `${command.name}${resource.name}`;
      const owner = owners.get(name);
      if (owner === undefined) {
        owners.set(name, command.plugin);
        list.push({ name, aliases: [], description: resource.description || command.description, command, resource });
      } else if (resource.plugin === command.plugin) onTaken(name, owner, resource);
    }
  }
  return list;
}
