import type { JsonObject } from "smith-agent/plugin";
import { contentParts, type WireMessage } from "./messages.js";

/** Messages beside the system prompt that carry a point. The vendors behind allow four in all. */
const POINTS = 2;
const POINT: JsonObject = { type: "ephemeral" };

/**
 * Marks what is worth keeping: the system prompt with the tools before it, and the last messages of user or tools. The one before the
 * last was the last in the request before, so its prefix is read while the new one is written.
 */
export function withCachePoints(messages: readonly WireMessage[]): readonly WireMessage[] {
  const marked = new Set<number>();
  for (let at = messages.length - 1; at >= 0 && marked.size < POINTS; at -= 1) {
    const role = messages[at]?.role;
    if (role === "user" || role === "tool") marked.add(at);
  }
  return messages.map((message, at) => (marked.has(at) || message.role === "system" ? withPoint(message) : message));
}

function withPoint(message: WireMessage): WireMessage {
  const parts = contentParts(message.content);
  const last = parts.at(-1);
  return last === undefined ? message : { ...message, content: [...parts.slice(0, -1), { ...last, cache_control: POINT }] };
}
