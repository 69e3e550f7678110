import { utf8Length } from "../../base/index.js";

/** As many whole pieces of a text, one after another, as have room; at least one where there is one, whatever its size. */
export interface Excerpt {
  /** False: it is full, and this piece and what follows is not looked at. */
  push(text: string): boolean;
  readonly text: string;
  /** Number of its first piece, from 0. */
  readonly from: number;
  /** Number of the first piece that found no room behind it; undefined when all did. */
  readonly next: number | undefined;
}

/** From a piece on, in no more than so many UTF-8 bytes. */
export function createPage(from: number, maxBytes: number): Excerpt {
  const pieces: string[] = [];
  let bytes = 0;
  let seen = 0;
  let next: number | undefined;
  return {
    push(text) {
      seen += 1;
      if (seen <= from) return true;
      bytes += utf8Length(text);
      if (pieces.length > 0 && bytes > maxBytes) {
        next = from + pieces.length;
        return false;
      }
      pieces.push(text);
      return true;
    },
    get text() {
      return pieces.join("");
    },
    from,
    get next() {
      return next;
    },
  };
}

/** The newest pieces, in no more than so many UTF-8 bytes. */
export function createTail(maxBytes: number): Excerpt {
  let pieces: { readonly text: string; readonly bytes: number }[] = [];
  /** How many of them are no part of it any more: they are taken away many at a time. */
  let stale = 0;
  let gone = 0;
  let total = 0;
  return {
    push(text) {
      const bytes = utf8Length(text);
      pieces.push({ text, bytes });
      total += bytes;
      for (let oldest = pieces[stale]; total > maxBytes && stale < pieces.length - 1; oldest = pieces[stale]) {
        total -= oldest?.bytes ?? 0;
        stale += 1;
        gone += 1;
      }
      if (stale > pieces.length / 2) {
        pieces = pieces.slice(stale);
        stale = 0;
      }
      return true;
    },
    get text() {
      return pieces
        .slice(stale)
        .map(({ text }) => text)
        .join("");
    },
    get from() {
      return gone;
    },
    next: undefined,
  };
}
