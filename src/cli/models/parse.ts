import type { RunnableId } from "../command-table.js";
import { type CommandLine, type CommonFlags, has } from "../given-flags.js";
import { MODEL_COMMANDS, type ModelCommandId } from "./declare.js";
import type { ModelsInvocation } from "./invocation.js";

const IDS: ReadonlySet<string> = new Set(MODEL_COMMANDS.map(({ id }) => id));

export const isModelCommand = (id: RunnableId): id is ModelCommandId => IDS.has(id);

/** Gives a line that begins with `models` its meaning. Pure. */
export function toModelsInvocation(id: ModelCommandId, line: CommandLine, common: CommonFlags): ModelsInvocation {
  const words = line.words.map(({ text }) => text.trim()).filter((text) => text !== "");
  const json = has(line, "--json");
  switch (id) {
    case "models list":
      return { type: id, common, words: words.join(" "), all: has(line, "--all"), json };
    case "models show":
      return { type: id, common, selection: words.length === 0 ? undefined : words.join(" "), json };
    case "models use":
      return { type: id, common, selection: words.join(" ") };
    case "models refresh":
      return { type: id, common, names: words, json };
  }
}
