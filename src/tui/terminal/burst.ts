import type { InputEvent } from "./keys.js";

const isEnter = (event: InputEvent): boolean => event.type === "key" && !event.key.ctrl && !event.key.alt && event.key.name === "enter";
const isNewline = (event: InputEvent): boolean => event.type === "key" && event.key.ctrl && event.key.name === "j";
const isTab = (event: InputEvent): boolean => event.type === "key" && !event.key.shift && event.key.name === "tab";
const isTyped = (event: InputEvent): boolean => event.type === "text" || isEnter(event) || isNewline(event) || isTab(event);

/** Whether a burst of one read is a paste without markers: nobody types two further lines within one read. */
function isPasteLike(events: readonly InputEvent[], continuing: boolean): boolean {
  let lines = 0;
  for (const [index, event] of events.entries()) {
    const next = events[index + 1];
    if ((isEnter(event) || isNewline(event)) && next !== undefined && (next.type === "text" || isTab(next))) lines += 1;
  }
  return lines >= 2 || (continuing && events.length > 1 && events.some((event) => event.type === "text"));
}

/**
 * Makes one paste of the lines that a terminal without bracketed paste sends as keys, so that they are not sent line by line.
 * `continuing`: the read just before was such a burst.
 */
export function foldBurst(
  events: readonly InputEvent[],
  continuing: boolean,
): { readonly events: readonly InputEvent[]; readonly folded: boolean } {
  if (!events.every(isTyped) || !isPasteLike(events, continuing)) return { events, folded: false };
  const text = events.map((event) => (event.type === "text" ? event.text : isTab(event) ? "\t" : "\n")).join("");
  return { events: [{ type: "paste", text }], folded: true };
}
