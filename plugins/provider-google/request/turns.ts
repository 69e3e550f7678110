import type { JsonObject } from "smith-agent/plugin";

/** A part and a turn of a conversation, as the API has them. */
export type Part = JsonObject;

export interface Turn {
  readonly role: "user" | "model";
  readonly parts: readonly Part[];
}

const OPENING: Part = { text: "[The beginning of the conversation is left out.]" };

/** Neighbours of one role as one turn, turns without parts left out, a user's turn first: what the API takes. */
export function alternating(turns: readonly Turn[]): readonly Turn[] {
  const joined: Turn[] = [];
  for (const turn of turns) {
    if (turn.parts.length === 0) continue;
    const last = joined.at(-1);
    if (last?.role === turn.role) joined[joined.length - 1] = { role: turn.role, parts: [...last.parts, ...turn.parts] };
    else joined.push(turn);
  }
  return joined[0]?.role === "user" ? joined : [{ role: "user", parts: [OPENING] }, ...joined];
}
