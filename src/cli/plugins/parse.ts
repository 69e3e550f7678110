import { err, ok, type Result } from "../../base/index.js";
import type { PluginKind } from "../../runtime/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { RunnableId } from "../command-table.js";
import { type CommandLine, type CommonFlags, has, valueOf, wordOf } from "../given-flags.js";
import { choiceOf } from "../sessions/parse/values.js";
import { PLUGIN_COMMANDS, type PluginCommandId } from "./declare.js";
import { revokeTakesNoId } from "./diagnostics.js";
import type { NewInvocation, PluginsInvocation, TrustInvocation } from "./invocation.js";

const IDS: ReadonlySet<string> = new Set(PLUGIN_COMMANDS.map(({ id }) => id));

export const isPluginCommand = (id: RunnableId): id is PluginCommandId => IDS.has(id);

/** Gives a line that begins with `plugins` its meaning. Pure. */
export function toPluginsInvocation(id: PluginCommandId, line: CommandLine, common: CommonFlags): Result<PluginsInvocation, Diagnostic> {
  const shared = { common, json: has(line, "--json"), yes: has(line, "--yes") };
  const word = wordOf(line, 0);
  switch (id) {
    case "plugins list":
      return ok({ type: id, ...shared });
    case "plugins info":
    case "plugins remove":
    case "plugins enable":
    case "plugins disable":
      return ok({ type: id, ...shared, id: word });
    case "plugins install":
      return ok({ type: id, ...shared, specs: line.words.map(({ text }) => text) });
    case "plugins trust":
      return toTrust(line, shared);
    case "plugins check":
      return ok({ type: id, ...shared, dir: word });
    case "plugins new":
      return toNew(line, shared);
  }
}

type Shared = Pick<TrustInvocation, "common" | "json" | "yes">;

function toTrust(line: CommandLine, shared: Shared): Result<TrustInvocation, Diagnostic> {
  const [id] = line.words;
  const revokes = has(line, "--revoke");
  if (revokes && id !== undefined) return err(revokeTakesNoId(id.text));
  const what = id === undefined ? ({ type: revokes ? "revoke" : "project" } as const) : ({ type: "plugin", id: id.text } as const);
  return ok({ type: "plugins trust", ...shared, what });
}

const KINDS = ["tool", "command", "policy", "provider", "theme"] as const satisfies readonly PluginKind[];

function toNew(line: CommandLine, shared: Shared): Result<NewInvocation, Diagnostic> {
  const kind = choiceOf(line, "--kind", KINDS);
  if (!kind.ok) return kind;
  return ok({ type: "plugins new", ...shared, dir: wordOf(line, 0), kind: kind.value ?? "tool", id: valueOf(line, "--id") });
}
