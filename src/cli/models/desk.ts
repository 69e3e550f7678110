import type { ModelAdmin, Route } from "../../runtime/index.js";
import { targetName } from "../../schema/index.js";
import type { CommandContext, Prepared } from "../context.js";

/** What a command on models works with. */
export interface ModelDesk {
  readonly context: CommandContext;
  readonly prepared: Prepared;
  readonly admin: ModelAdmin;
}

/** One model of a route, with where it would be asked. */
export type Target = Route["targets"][number];

/** What a selection would have to be to mean it, for people. A model that its server has yet to tell is meant by whose it is alone. */
export const targetWords = ({ ref, connection, routing, needsModel }: Target): string =>
  needsModel
    ? `the first model that ${routing.connection} lists`
    : targetName({ ...ref, ...(connection === undefined ? {} : { connection }) });
