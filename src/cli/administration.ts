import { ok, type Result } from "../base/index.js";
import type { Diagnostic } from "../schema/index.js";
import type { AuthCommandId } from "./auth/declare.js";
import type { AuthInvocation } from "./auth/invocation.js";
import { isAuthCommand, toAuthInvocation } from "./auth/parse.js";
import type { RunnableId } from "./command-table.js";
import type { CommandLine, CommonFlags } from "./given-flags.js";
import type { ServerCommandId } from "./mcp-servers/declare.js";
import type { ServersInvocation } from "./mcp-servers/invocation.js";
import { isServerCommand, toServersInvocation } from "./mcp-servers/parse.js";
import type { ModelCommandId } from "./models/declare.js";
import type { ModelsInvocation } from "./models/invocation.js";
import { isModelCommand, toModelsInvocation } from "./models/parse.js";
import type { PluginCommandId } from "./plugins/declare.js";
import type { PluginsInvocation } from "./plugins/invocation.js";
import { isPluginCommand, toPluginsInvocation } from "./plugins/parse.js";
import type { SecretCommandId } from "./secrets/declare.js";
import type { SecretsInvocation } from "./secrets/invocation.js";
import { isSecretCommand, toSecretsInvocation } from "./secrets/parse.js";

/** Commands that look after what runs are made with, and run nothing. */
export type AdministrationInvocation = PluginsInvocation | AuthInvocation | ModelsInvocation | SecretsInvocation | ServersInvocation;

type AdministrationId = AuthCommandId | SecretCommandId | ServerCommandId | ModelCommandId | PluginCommandId;

export const isAdministration = (id: RunnableId): id is AdministrationId =>
  isAuthCommand(id) || isSecretCommand(id) || isServerCommand(id) || isModelCommand(id) || isPluginCommand(id);

/** Gives a line of one of these groups its meaning. Pure. */
export function toAdministration(
  id: AdministrationId,
  line: CommandLine,
  common: () => CommonFlags,
): Result<AdministrationInvocation, Diagnostic> {
  if (isAuthCommand(id)) return ok(toAuthInvocation(id, line, common()));
  if (isSecretCommand(id)) return ok(toSecretsInvocation(id, line, common()));
  if (isServerCommand(id)) return toServersInvocation(id, line, common());
  if (isModelCommand(id)) return ok(toModelsInvocation(id, line, common()));
  return toPluginsInvocation(id, line, common());
}
