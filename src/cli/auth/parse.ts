import type { RunnableId } from "../command-table.js";
import { type CommandLine, type CommonFlags, has, wordOf } from "../given-flags.js";
import { AUTH_COMMANDS, type AuthCommandId } from "./declare.js";
import type { AuthInvocation } from "./invocation.js";

const IDS: ReadonlySet<string> = new Set(AUTH_COMMANDS.map(({ id }) => id));

export const isAuthCommand = (id: RunnableId): id is AuthCommandId => IDS.has(id);

/** Gives a line that begins with `auth` its meaning. Pure. */
export function toAuthInvocation(id: AuthCommandId, line: CommandLine, common: CommonFlags): AuthInvocation {
  const name = wordOf(line, 0);
  const json = has(line, "--json");
  switch (id) {
    case "auth login":
      return { type: id, common, name, keyStdin: has(line, "--key-stdin") };
    case "auth logout":
      return { type: id, common, name };
    case "auth status":
      return { type: id, common, json };
    case "auth check":
      return { type: id, common, json, name: line.words.length === 0 ? undefined : name };
  }
}
