import type { PluginAdmin } from "../../runtime/index.js";
import type { CommandContext, Prepared } from "../context.js";

/** What a command on plugins works with. */
export interface Administration {
  readonly context: CommandContext;
  readonly prepared: Prepared;
  readonly admin: PluginAdmin;
}
