import { invariant } from "../../base/index.js";
import type { Boundary, Entry } from "../../schema/index.js";
import { type ActionBoundary, refuseAll } from "../boundary.js";
import { actionsUnrecordable } from "../lifecycle/index.js";
import type { AgentInput, Decision } from "../state.js";
import { isRefusal } from "./refusal.js";

/** What came of a boundary, and the entries it made. */
export interface Published {
  readonly published: Boundary;
  readonly entries: readonly Entry[];
}

/** Records a boundary. What storage refuses to take in is recorded as refused, if that can be. */
export async function recordBoundary(apply: (input: AgentInput) => Promise<Decision>, boundary: ActionBoundary): Promise<Published> {
  try {
    return publishedOf(await apply({ type: "actions-published", boundary }));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const refused = refuseAll(boundary, (plugin) => actionsUnrecordable(plugin, error.diagnostic));
    try {
      return publishedOf(await apply({ type: "actions-published", boundary: refused }));
    } catch (again) {
      if (!isRefusal(again)) throw again;
      return { published: refused, entries: [] };
    }
  }
}

function publishedOf({ published, entries }: Decision): Published {
  invariant(published !== undefined, "actions were published without what came of them");
  return { published, entries };
}
