import { utf8Length } from "../../base/index.js";
import type { GrepOutput } from "../../schema/index.js";
import { SEARCH_BOUNDS } from "./task.js";

type Line = GrepOutput["files"][number]["lines"][number];

/** The lines of one file that are shown: matches and `context` lines around them, each once. */
export interface ContextLines {
  readonly shown: readonly Line[];
  /** UTF-8 bytes of them. */
  readonly bytes: number;
  match(line: number, text: string, at: number): void;
  pass(line: number, text: string): void;
}

export function createContextLines(context: number): ContextLines {
  const shown: Line[] = [];
  const before: Line[] = [];
  let after = 0;
  let bytes = 0;
  const show = (line: Line): void => {
    shown.push(line);
    bytes += utf8Length(line.text) + 8;
  };
  return {
    shown,
    get bytes() {
      return bytes;
    },
    match(line, text, at) {
      for (const earlier of before.splice(0)) show(earlier);
      show({ line, text: excerpt(text, at), match: true });
      after = context;
    },
    pass(line, text) {
      if (context === 0) return;
      const passed = { line, text: excerpt(text, 0), match: false };
      if (after > 0) {
        after -= 1;
        show(passed);
        return;
      }
      before.push(passed);
      if (before.length > context) before.shift();
    },
  };
}

const BEFORE_MATCH = 100;
const SHOWN_PART = SEARCH_BOUNDS.lineCharacters - 60;

/** A long line is shown around its first match, with its whole length; no half characters. */
function excerpt(text: string, at: number): string {
  if (text.length <= SEARCH_BOUNDS.lineCharacters) return text;
  const start = at + BEFORE_MATCH < SHOWN_PART ? 0 : at - BEFORE_MATCH;
  const part = text
    .slice(start, start + SHOWN_PART)
    .replace(/^[\udc00-\udfff]/u, "")
    .replace(/[\ud800-\udbff]$/u, "");
  const from = start === 0 ? "" : "[…] ";
  return `${from}${part} [cut; the line has ${text.length} characters]`;
}
