import type { SecretAdmin } from "../../runtime/index.js";
import type { CommandContext } from "../context.js";

/** What a command on secrets works with. */
export interface SecretDesk {
  readonly context: CommandContext;
  readonly admin: SecretAdmin;
}
