import { type Generation, listCommands } from "../../plugin/index.js";
import type { Contributions } from "../types.js";

/** What a generation brings to a frontend: names, words and looks, no code and no text of files. */
export const contributionsOf = (generation: Generation): Contributions => ({
  generation: generation.number,
  commands: listCommands(generation).map(({ name, aliases, description, command, resource }) => ({
    name,
    aliases,
    plugin: command.plugin,
    description,
    ...(command.usage === undefined ? {} : { usage: command.usage }),
    ...(resource === undefined ? {} : { resource: resource.kind }),
  })),
  themes: generation.themes,
  keys: generation.keys,
  tools: generation.tools.map(({ name }) => name),
  resources: generation.resources.map(({ kind, name, description, path, from }) => ({ kind, name, description, path, from })),
  plugins: generation.plugins.map(({ compiled, origin }) => ({ id: compiled.id, version: compiled.version, origin })),
});

/** Plugins that came, went, changed or have other files: what people are told of a new generation. In order of ids. */
export function changedPlugins(before: Generation, after: Generation): readonly string[] {
  const marks = (generation: Generation): ReadonlyMap<string, string> =>
    new Map(
      generation.plugins.map(({ compiled, origin }) => [
        compiled.id,
        JSON.stringify([
          origin,
          compiled.hash,
          compiled.grants,
          generation.resources.filter(({ plugin }) => plugin === compiled.id).map(({ kind, name, path, text }) => [kind, name, path, text]),
        ]),
      ]),
    );
  const [old, fresh] = [marks(before), marks(after)];
  return [...new Set([...old.keys(), ...fresh.keys()])].filter((id) => old.get(id) !== fresh.get(id)).sort();
}
