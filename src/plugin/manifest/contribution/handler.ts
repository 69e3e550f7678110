import type { KdlNode } from "../../../config/index.js";
import { ACTIONS_OF_EVENT, type LifecycleEventType } from "../../../schema/index.js";
import type { HandlerContribution, StateContribution } from "../../types.js";
import { TOOL_NAME, WORD } from "../names.js";
import {
  type ManifestScope,
  readChildren,
  readCount,
  readList,
  readProperties,
  readTexts,
  rejectProperty,
  unknownProblem,
} from "../node-reader.js";

const TIMEOUT_MS = { usual: 2_000, min: 1, max: 10_000 };
const ORDER = { usual: 100, min: -1_000_000, max: 1_000_000 };

const EVENTS = Object.keys(ACTIONS_OF_EVENT).filter((name): name is LifecycleEventType => name !== "command");
/** Events that are about one tool. */
const OF_TOOLS: ReadonlySet<LifecycleEventType> = new Set<LifecycleEventType>(["tool-proposed", "permission-answered", "tool-settled"]);

/** `handler "tool-proposed" order=100 timeout-ms=500 required=#true tools="shell,write" state="rules"` */
export function compileHandler(
  scope: ManifestScope,
  { plugin, states }: { readonly plugin: string; readonly states: readonly StateContribution[] },
  node: KdlNode,
): HandlerContribution {
  const event = readEvent(scope, node);
  readChildren(scope, node, []);
  const properties = readProperties(scope, node, {
    order: "integer",
    "timeout-ms": "integer",
    required: "flag",
    tools: "text",
    state: "text",
  });
  if (event !== "tool-proposed") rejectProperty(scope, node, "required", "absent: only a handler of tool-proposed can be required");
  if (!OF_TOOLS.has(event)) rejectProperty(scope, node, "tools", `absent: ${event} is about no tool`);
  const tools = readList(scope, node, { name: "tools", value: properties.tools }, TOOL_NAME);
  return {
    event,
    plugin,
    order: readCount(scope, node, { name: "order", value: properties.order }, ORDER),
    timeoutMs: readCount(scope, node, { name: "timeout-ms", value: properties["timeout-ms"] }, TIMEOUT_MS),
    required: properties.required ?? false,
    ...(properties.tools === undefined ? {} : { tools }),
    state: readStates(scope, node, properties.state, states),
  };
}

function readEvent(scope: ManifestScope, node: KdlNode): LifecycleEventType {
  const [word] = readTexts(scope, node, { atLeast: 1, atMost: 1 });
  const event = EVENTS.find((known) => known === word);
  if (event === undefined && word !== undefined)
    scope.problems.push(unknownProblem(scope, node.entries[0] ?? node, { word, owner: "the lifecycle", words: EVENTS }));
  return event ?? "idle";
}

function readStates(
  scope: ManifestScope,
  node: KdlNode,
  value: string | undefined,
  states: readonly StateContribution[],
): readonly string[] {
  const words = states.map(({ key }) => key);
  const keys = readList(scope, node, { name: "state", value }, WORD);
  const entry = node.entries.find(({ name }) => name === "state") ?? node;
  for (const word of keys)
    if (!words.includes(word)) scope.problems.push(unknownProblem(scope, entry, { word, owner: "the declared state", words }));
  return keys;
}
