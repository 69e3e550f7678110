import { createParser } from "eventsource-parser";
import { err, ok, type Result } from "../../base/index.js";
import type { FramedEvent } from "../../schema/index.js";

/** Longest event, in characters (give or take one piece), and how much text without any event is kept to explain it. */
const MAX_EVENT = 8 * 1024 * 1024;
const MAX_UNFRAMED = 64 * 1024;

export interface SseFramer {
  /** Events that are complete now; the error says that one is over the bound, after which nothing more is framed. */
  push(bytes: Uint8Array): Result<readonly FramedEvent[], string>;
  /** At a proper end of the body: an event whose blank line is missing, unless it is visibly cut. */
  end(): readonly FramedEvent[];
  /** Text that came before the first event, bounded: what an answer holds that is no event stream. */
  readonly unframed: string;
}

/** Server-sent events from bytes cut anywhere: BOM, CR, LF and CRLF, comments, several data lines (WHATWG HTML, 9.2). */
export function createSseFramer(maxEvent = MAX_EVENT): SseFramer {
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

const tooLong = (max: number): string => `one event of the stream is longer than ${String(max)} characters`;

/** An object that does not parse lost its rest with the connection; other words (a terminator) are whole. */
function isCut(data: string): boolean {
  if (!data.trimStart().startsWith("{")) return false;
  try {
    JSON.parse(data);
    return false;
  } catch {
    return true;
  }
}
