import type { RunnableId } from "../command-table.js";
import { type CommandLine, type CommonFlags, has, wordOf } from "../given-flags.js";
import { SECRET_COMMANDS, type SecretCommandId } from "./declare.js";
import type { SecretsInvocation } from "./invocation.js";

const IDS: ReadonlySet<string> = new Set(SECRET_COMMANDS.map(({ id }) => id));

export const isSecretCommand = (id: RunnableId): id is SecretCommandId => IDS.has(id);

/** Gives a line that begins with `secrets` its meaning. Pure. */
export function toSecretsInvocation(id: SecretCommandId, line: CommandLine, common: CommonFlags): SecretsInvocation {
  return id === "secrets list" ? { type: id, common, json: has(line, "--json") } : { type: id, common, name: wordOf(line, 0) };
}
