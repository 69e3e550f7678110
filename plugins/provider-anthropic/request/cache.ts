import type { JsonObject } from "smith-agent/plugin";
import type { Turn } from "./conversation.js";

const POINT: JsonObject = { type: "ephemeral" };

/** Marks a block as the end of something worth caching. */
export const cached = (block: JsonObject): JsonObject => ({ ...block, cache_control: POINT });

/** The last of a list, marked. */
export const withCachedLast = (blocks: readonly JsonObject[]): readonly JsonObject[] =>
  blocks.map((block, at) => (at === blocks.length - 1 ? cached(block) : block));

/**
 * Points at the ends of the last two user-side messages: up to the second last everything was sent before, so it is read from the cache,
 * and the last is where the next request will find it. With the tools' and the system prompt's these are the four the vendor takes.
 */
export function withCachePoints(turns: readonly Turn[]): readonly Turn[] {
  const users = turns.flatMap(({ role }, at) => (role === "user" ? [at] : [])).slice(-2);
  return turns.map((turn, at) => (users.includes(at) ? { ...turn, content: withCachedLast(turn.content) } : turn));
}
