import { isJsonObject, type JsonValue, unreachable } from "../../base/index.js";
import type { Action, ContextTransform } from "../../schema/index.js";

/** One thing an action gives a value to. Two actions that give it different values cannot both be carried out. */
export interface Write {
  readonly key: string;
  readonly value: string;
}

/**
 * What an action writes. None for what adds up (messages, notices, notes to a result, input) and for what only says no: verdicts
 * about a call are all kept, and whoever carries them out takes the strictest.
 */
export function writesOf(plugin: string, action: Action): readonly Write[] {
  switch (action.type) {
    case "rewrite-tool":
      return [{ key: `tool-call:${action.call}:args`, value: canonical(action.args) }];
    case "replace-result":
      return [{ key: `result:${action.call}`, value: canonical([action.text, action.isError ?? null]) }];
    case "set-model":
      return [{ key: "model", value: action.model }];
    case "set-thinking":
      return [{ key: "thinking", value: action.level }];
    case "set-tools":
      return toolWrites(action);
    case "set-prompt":
      return [{ key: `prompt:${plugin}/${action.section}`, value: canonical([action.text, action.order ?? null]) }];
    case "set-state":
      return [{ key: `state:${plugin}/${action.scope}/${action.key}`, value: canonical(action.value) }];
    case "set-config":
      return [{ key: `option:${plugin}/${action.option}`, value: canonical(action.value) }];
    case "set-status":
      return [{ key: `status:${plugin}/${action.key}`, value: canonical([action.text, action.role ?? null]) }];
    case "compact":
      return [{ key: "compaction", value: canonical([action.firstKept, action.summary]) }];
    case "edit-context":
      return [{ key: `entry:${action.target}`, value: canonical(["edit", action.operation, action.text ?? null]) }];
    case "transform-context":
      return action.transforms.flatMap(transformWrites);
    case "withdraw":
      return [{ key: `submission:${action.submission}`, value: "withdraw" }];
    case "deliver":
      return deliverWrites(action.submissions);
    case "add-message":
    case "allow-tool":
    case "ask-tool":
    case "deny-tool":
    case "append-result":
    case "enqueue":
    case "keep-context":
    case "notify":
    case "stop-turn":
      return [];
    default:
      return unreachable(action);
  }
}

const toolWrites = ({ enable = [], disable = [] }: Extract<Action, { type: "set-tools" }>): readonly Write[] => [
  ...enable.map((name) => ({ key: `tool:${name}`, value: "enable" })),
  ...disable.map((name) => ({ key: `tool:${name}`, value: "disable" })),
];

const transformWrites = (transform: ContextTransform): readonly Write[] =>
  transform.operation === "append"
    ? []
    : [
        {
          key: `entry:${transform.target}`,
          value: canonical(["transform", transform.operation, transform.operation === "replace" ? transform.text : null]),
        },
      ];

/** What is not named waits, so that a delivery says something of the queue as a whole. */
const deliverWrites = (submissions: readonly string[]): readonly Write[] => [
  { key: "queue", value: canonical(submissions) },
  ...submissions.map((submission) => ({ key: `submission:${submission}`, value: "deliver" })),
];

/** JSON with the keys of objects in one order, so that equal values are equal texts. */
export function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_key, part: JsonValue) =>
    isJsonObject(part) ? Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1))) : part,
  );
}
