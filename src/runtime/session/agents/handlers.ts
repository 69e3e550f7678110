import type { ActionType, LifecycleEventType } from "../../../schema/index.js";
import type { LifecyclePort } from "../plugins/index.js";

/** What happens in any agent. A turn's beginning and end, its input and its queue are the session's own. */
const HEARD: ReadonlySet<LifecycleEventType> = new Set<LifecycleEventType>([
  "request-prepared",
  "round-settled",
  "tool-proposed",
  "permission-answered",
  "tool-settled",
  "compaction-proposed",
  "compaction-settled",
]);

/** What is meant for the agent that it was said of, and would be carried out in the session's. */
const NOT_OF_OTHERS: ReadonlySet<ActionType> = new Set<ActionType>(["set-model", "set-thinking", "set-prompt"]);

/** The handlers of the session as a sub-agent has them: policies bind it as they bind its asker. */
export const heardBySubAgents = (port: LifecyclePort): LifecyclePort => ({
  ...port,
  listens: (event, tool) => HEARD.has(event) && port.listens(event, tool),
  adopt: (actions) => {
    port.adopt(actions.filter(({ action }) => !NOT_OF_OTHERS.has(action.type)));
  },
});
