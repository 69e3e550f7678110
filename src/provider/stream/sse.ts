import { createParser } from "eventsource-parser";
import { err, ok } from "../../base/index.js";
import type { FramedEvent } from "../../schema/index.js";
import { type Framer, isCut, MAX_EVENT, MAX_UNFRAMED, tooLong } from "./framer.js";

/** Server-sent events from bytes cut anywhere: BOM, CR, LF and CRLF, comments, several data lines (WHATWG HTML, 9.2). */
export function createSseFramer(maxEvent = MAX_EVENT): Framer {
  const decoder = new TextDecoder();
  let events: FramedEvent[] = [];
  let sinceEvent = 0;
  let framedAny = false;
  let unframed = "";
  const parser = createParser({
    onEvent: ({ event, data }) => {
      events.push(event === undefined ? { data } : { event, data });
    },
  });
  const feed = (text: string): readonly FramedEvent[] => {
    if (text === "") return [];
    events = [];
    parser.feed(text);
    sinceEvent = events.length === 0 ? sinceEvent + text.length : 0;
    if (events.length > 0) framedAny = true;
    else if (!framedAny && unframed.length < MAX_UNFRAMED) unframed += text.slice(0, MAX_UNFRAMED - unframed.length);
    return events;
  };
  return {
    push: (bytes) => {
      if (sinceEvent > maxEvent) return err(tooLong(maxEvent));
      const framed = feed(decoder.decode(bytes, { stream: true }));
      return sinceEvent > maxEvent ? err(tooLong(maxEvent)) : ok(framed);
    },
    end: () => {
      const last = decoder.decode();
      return feed(`${last}\n\n`).filter((event) => !isCut(event.data));
    },
    get unframed() {
      return framedAny ? "" : unframed;
    },
  };
}
