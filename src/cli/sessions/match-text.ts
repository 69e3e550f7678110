import { shortId } from "../../base/index.js";
import type { GrepMatch } from "../../runtime/index.js";
import type { Paint } from "../output/colour.js";
import { clipColumns, visibleLine } from "../output/visible.js";

/** A line of a file a tool read may be of any length; people get its beginning, `--json` all of it. */
const SHOWN_COLUMNS = 400;

/** Matches as lines for people. Each call gives what is due then; `end` the rest. */
export interface MatchText {
  add(match: GrepMatch): string;
  end(): string;
}

/** One line a match, due at once. */
export const plainMatches = (paint: Paint): MatchText => ({
  add: (match) => lineOf(match, { line: match.line, text: match.text, mark: ":" }, paint),
  end: () => "",
});

/**
 * Matches with the lines around them, as grep shows them: no line twice, groups that do not touch apart. A match is held back
 * until the next one is known, since that may be one of the lines after it.
 */
export function contextMatches(paint: Paint): MatchText {
  let held: GrepMatch | undefined;
  /** Last line shown of the text that `held` is in; 0 when none is. */
  let shown = 0;
  let hasGroups = false;
  const release = (before: number): string => {
    if (held === undefined) return "";
    const match = held;
    const lines = (match.after ?? [])
      .map((text, index) => ({ line: match.line + 1 + index, text, mark: "-" as const }))
      .filter(({ line }) => line < before);
    shown = lines.at(-1)?.line ?? shown;
    return lines.map((line) => lineOf(match, line, paint)).join("");
  };
  return {
    add(match) {
      const isSame = held !== undefined && isSameText(held, match);
      const rest = release(isSame ? match.line : Infinity);
      if (!isSame) shown = 0;
      const before = match.before ?? [];
      const lines = before
        .map((text, index) => ({ line: match.line - before.length + index, text, mark: "-" as const }))
        .filter(({ line }) => line > shown);
      const first = lines[0]?.line ?? match.line;
      const gap = hasGroups && !(isSame && first === shown + 1) ? `${paint("dim", "--")}\n` : "";
      hasGroups = true;
      held = match;
      shown = match.line;
      return (
        rest + gap + [...lines, { line: match.line, text: match.text, mark: ":" as const }].map((l) => lineOf(match, l, paint)).join("")
      );
    },
    end: () => release(Infinity),
  };
}

const isSameText = (one: GrepMatch, other: GrepMatch): boolean =>
  one.session === other.session && one.entry === other.entry && one.part === other.part && other.line > one.line;

interface ShownLine {
  readonly line: number;
  readonly text: string;
  readonly mark: ":" | "-";
}

function lineOf(match: GrepMatch, { line, text, mark }: ShownLine, paint: Paint): string {
  const place = [match.short ?? shortId(match.session), shortId(match.entry), visibleLine(match.part), String(line), ""].join(mark);
  return `${paint(mark === ":" ? "cyan" : "dim", place)} ${clipColumns(visibleLine(text), SHOWN_COLUMNS)}`.trimEnd() + "\n";
}
