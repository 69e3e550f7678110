import { lineChanges } from "../../text/index.js";

/** A part of a file that ends its lines in several ways, and what stands before it. */
export interface MixedPart {
  /** As it is in the file. */
  readonly found: string;
  /** Line end of the line before; where there is none, what most lines have. */
  readonly before: string;
}

/**
 * `fresh`, written with `\n`, with line ends as the part has them: a line that stays keeps its own, one that takes the place of another
 * gets that one's, a further one gets what the line above it has.
 */
export function withLineEndsOf({ found, before }: MixedPart, fresh: string): string {
  const old = cut(found.replaceAll("\r\n", "\n"));
  const ends = [...found.matchAll(/\r?\n/gu)].map(([end]) => end);
  const lines = cut(fresh);
  const from = oldLineOf(old, lines);
  let last = before;
  let text = "";
  for (const [index, line] of lines.entries()) {
    text += line;
    if (index === lines.length - 1) break;
    const own = from[index];
    last = (own === undefined ? undefined : ends[own]) ?? last;
    text += last;
  }
  return text;
}

const cut = (text: string): readonly string[] => text.split("\n");

/** For each new line the old one it is, or stands for. */
function oldLineOf(old: readonly string[], lines: readonly string[]): readonly (number | undefined)[] {
  const from: (number | undefined)[] = [];
  let at = 0;
  const same = (end: number): void => {
    for (; from.length < end; at += 1) from.push(at);
  };
  for (const change of lineChanges(old, lines)) {
    same(change.newStart);
    for (let index = change.newStart; index < change.newEnd; index += 1) {
      const stands = change.oldStart + index - change.newStart;
      from.push(stands < change.oldEnd ? stands : undefined);
    }
    at = change.oldEnd;
  }
  same(lines.length);
  return from;
}
