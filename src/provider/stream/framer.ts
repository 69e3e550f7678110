import type { Result } from "../../base/index.js";
import type { FramedEvent } from "../../schema/index.js";

/** Longest event, in characters (give or take one piece), and how much text without any event is kept to explain it. */
export const MAX_EVENT = 8 * 1024 * 1024;
export const MAX_UNFRAMED = 64 * 1024;

/** Cuts a body into events, wherever its bytes were cut on the way. */
export interface Framer {
  /** Events that are complete now; the error says that one is over the bound, after which nothing more is framed. */
  push(bytes: Uint8Array): Result<readonly FramedEvent[], string>;
  /** At a proper end of the body: an event whose own end is missing, unless it is visibly cut. */
  end(): readonly FramedEvent[];
  /** Text that came before the first event, bounded: what an answer holds that is no stream of events. */
  readonly unframed: string;
}

export const tooLong = (max: number): string => `one event of the stream is longer than ${String(max)} characters`;

/** An object that does not parse lost its rest with the connection; other words (a terminator) are whole. */
export function isCut(data: string): boolean {
  if (!data.trimStart().startsWith("{")) return false;
  try {
    JSON.parse(data);
    return false;
  } catch {
    return true;
  }
}
