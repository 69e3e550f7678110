import type { JsonObject, JsonValue, ProviderDelta } from "smith-agent/plugin";
import { asArray, asObject, asText } from "../json.js";
import { detailDeltas } from "./details.js";

/**
 * Text and thinking of one choice. Content is a string, or a list of parts; thinking has three names and one list form, which
 * says most and so counts alone. `seen` is how many entries of that list came before.
 */
export function spoken(delta: JsonObject, seen: number): readonly ProviderDelta[] {
  const details = detailDeltas(asArray(delta["reasoning_details"]), seen);
  const plain = asText(delta["reasoning_content"]) || asText(delta["reasoning"]);
  const isTold = details.some((detail) => detail.type === "thinking" && detail.text !== "");
  const content = delta["content"];
  const text = asText(content) || asText(delta["refusal"]);
  return [
    ...(plain === "" || isTold ? [] : [{ type: "thinking" as const, text: plain }]),
    ...details,
    ...asArray(content).flatMap(part),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
  ];
}

/** The calls of one choice; the older single `function_call` counts as the first. */
export function callsOf(delta: JsonObject): readonly JsonValue[] {
  const calls = asArray(delta["tool_calls"]);
  const single = asObject(delta["function_call"]);
  return single === undefined ? calls : [...calls, { index: 0, function: single }];
}

function part(value: JsonValue): readonly ProviderDelta[] {
  if (typeof value === "string") return value === "" ? [] : [{ type: "text", text: value }];
  const object = asObject(value);
  const thinking =
    asText(object?.["thinking"]) ||
    asArray(object?.["thinking"])
      .map((piece) => asText(asObject(piece)?.["text"]))
      .join("");
  if (thinking !== "") return [{ type: "thinking", text: thinking }];
  const text = asText(object?.["text"]);
  return text === "" ? [] : [{ type: "text", text }];
}
