import type { LifecycleEvent } from "../../schema/index.js";
import type { Generation, HandlerContribution, Lifecycle } from "../types.js";

const toolOf = (event: LifecycleEvent): string | undefined => ("tool" in event ? event.tool : undefined);

const isFor = (handler: HandlerContribution, tool: string | undefined): boolean =>
  handler.tools === undefined || tool === undefined || handler.tools.includes(tool);

/** Those that are told of an event, in the order of the generation. `only`: of this plugin. */
export const handlersOf = (generation: Generation, event: LifecycleEvent, only: string | undefined): readonly HandlerContribution[] =>
  generation.handlers.filter(
    (handler) => handler.event === event.type && isFor(handler, toolOf(event)) && (only === undefined || handler.plugin === only),
  );

/** Whether anybody is: asked before an event is made. */
export const listens: Lifecycle["listens"] = (generation, type, tool) =>
  generation.handlers.some((handler) => handler.event === type && isFor(handler, tool));
