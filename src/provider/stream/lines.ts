import { err, ok } from "../../base/index.js";
import type { FramedEvent } from "../../schema/index.js";
import { type Framer, isCut, MAX_EVENT, tooLong } from "./framer.js";

/** One event for each line that is not blank, without its end (LF or CRLF): newline-delimited JSON. */
export function createLineFramer(maxEvent = MAX_EVENT): Framer {
  const decoder = new TextDecoder();
  let rest = "";
  let isOver = false;
  const take = (lines: readonly string[]): readonly FramedEvent[] =>
    lines.map((line) => ({ data: line.replace(/\r$/u, "") })).filter(({ data }) => data.trim() !== "");
  return {
    push(bytes) {
      if (isOver) return err(tooLong(maxEvent));
      const text = decoder.decode(bytes, { stream: true });
      // Only what is new can hold the end of a line: a long one is not searched again with each piece.
      const end = text.lastIndexOf("\n");
      if (end === -1) rest += text;
      const whole = end === -1 ? [] : `${rest}${text.slice(0, end)}`.split("\n");
      if (end !== -1) rest = text.slice(end + 1);
      isOver = rest.length > maxEvent || whole.some((line) => line.length > maxEvent);
      return isOver ? err(tooLong(maxEvent)) : ok(take(whole));
    },
    end() {
      const last = `${rest}${decoder.decode()}`;
      rest = "";
      return take([last]).filter(({ data }) => !isCut(data));
    },
    // Every line is an event: nothing can be left over.
    unframed: "",
  };
}
