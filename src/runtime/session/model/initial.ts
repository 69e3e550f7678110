import type { SessionId } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { type InitialModel, isSameChoice, type ModelChoice, NO_CHOICE, wishOf } from "../../models/index.js";
import type { Shared } from "../../shared.js";
import { choiceUnusable } from "./diagnostics.js";

/** What a session that is opened begins with. */
export interface OpenedModel {
  readonly model: InitialModel;
  /** Why what was chosen in it is not taken. */
  readonly problem?: Diagnostic;
}

/** What was chosen in it, unless this run says otherwise; where that cannot be resolved any more, what a new session would take. */
export function initialModel(
  { model, chosen, models, host }: Pick<Shared, "model" | "chosen" | "models" | "host">,
  id: SessionId,
  recorded: ModelChoice,
): OpenedModel {
  if (isSameChoice(recorded, NO_CHOICE)) return { model };
  const wish = wishOf(model.wish, recorded, chosen);
  const route = models.route(wish, host.generation);
  if (route.ok) return { model: { wish, route: route.value } };
  return { model, problem: choiceUnusable(id, wish.selection ?? "", { instead: model.route.targets[0].ref, cause: route.error }) };
}
