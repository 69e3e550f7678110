import { connectionsOf } from "../../provider/index.js";
import type { ModelSettings } from "../../schema/index.js";
import type { ModelView } from "../types.js";
import type { Models, Offering } from "./models.js";

export interface ModelViewDeps {
  readonly models: Models;
  readonly settings: ModelSettings;
  readonly host: { readonly generation: Offering };
}

/** What selections can name, for people. Looks at the generation that is current when it is asked. */
export const createModelView = ({ models, settings, host }: ModelViewDeps): ModelView => ({
  entries: () => models.catalog(host.generation).list(),
  find: (ref) => models.catalog(host.generation).find(ref),
  connections: () => connectionsOf(models.surroundings(host.generation)),
  route: (selection, thinking) => models.route({ selection, thinking }, host.generation),
  names: [
    ...settings.aliases.map(({ name, to }) => ({ type: "alias" as const, name, members: [to] })),
    ...settings.groups.map(({ name, members }) => ({ type: "group" as const, name, members })),
  ],
});
